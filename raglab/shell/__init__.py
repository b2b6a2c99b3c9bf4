"""The command line and what starts from it."""
