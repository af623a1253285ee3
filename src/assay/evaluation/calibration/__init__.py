"""Calibration: the scores of a detector fitted to labels."""
