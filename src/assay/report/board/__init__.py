"""Boards in the terminal, in Markdown, CSV and JSON."""
