"""Databases, on disk or on a server: runs with their judgements and replies."""
