"""The wires: how requests come in and replies go out, for each API. Bodies, checks and streams are shared."""
