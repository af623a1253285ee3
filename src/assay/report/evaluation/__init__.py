"""Evaluations, agreement and corpora in the terminal, in Markdown, CSV and on a page."""
