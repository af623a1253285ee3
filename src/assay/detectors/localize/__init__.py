"""Detectors that say what is wrong with a response: a list of inconsistencies in words."""
