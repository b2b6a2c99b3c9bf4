"""Hits → prompt, and the fences that keep a passage's text data."""
