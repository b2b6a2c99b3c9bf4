"""The wires: how requests come in and replies go out, one API at a time. Streams and checks are shared."""
