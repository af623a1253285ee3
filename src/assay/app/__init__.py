"""The use cases: a typed request, a function, a typed result."""
