"""Holding detectors against gold labels, and published tables against released data."""
