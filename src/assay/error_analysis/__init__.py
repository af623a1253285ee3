"""Errors that detectors miss or invent and their reasons, and errors missing from the gold."""
