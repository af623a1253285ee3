"""Sentences with exact offsets, their words, and the passages of a source that matter for them."""
