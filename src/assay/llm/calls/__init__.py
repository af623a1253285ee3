"""Calls to a model's server: HTTP, dialects, answers and errors, limits, retries and a cache."""
