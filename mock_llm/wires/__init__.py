"""The wires: how requests come in and replies go out. One module for each API, and one for streams."""
