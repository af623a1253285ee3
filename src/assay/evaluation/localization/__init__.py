"""Evaluation of what detectors say is wrong: gold inconsistencies, matchers and figures."""
