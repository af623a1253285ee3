"""Annotation projects in a database: accounts, items, work in progress, and what was submitted."""
