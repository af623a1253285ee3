"""Figures that a response computes from its source: what is stated, what it is computed from."""
