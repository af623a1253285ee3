"""Detectors that ask a language model."""
