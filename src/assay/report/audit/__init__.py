"""Audits in the terminal, in Markdown, CSV and on a page."""
