"""Detectors that others have published, run with their own weights."""
