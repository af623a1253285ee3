"""Detectors made of detectors: votes, cascades, folds, two steps, outside knowledge."""
