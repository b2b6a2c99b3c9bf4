"""Planted instructions: a scan of documents, and attacks to try defences with."""
