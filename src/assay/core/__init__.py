"""The nouns: what is judged, by which menu of labels, and what is said of it."""
