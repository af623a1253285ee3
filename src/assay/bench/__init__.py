"""Benchmarks made from documents: responses collected, filtered, mined for hard ones, given out."""
