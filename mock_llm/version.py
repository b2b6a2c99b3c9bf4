"""The version of this server, shown by `GET /health`. Equal to the project's own."""

__version__ = "0.1.0"
