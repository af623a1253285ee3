"""How well detectors say what is wrong: gold inconsistencies, matchers and figures."""
