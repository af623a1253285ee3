"""The use cases of the studio: people annotate, discuss, review, adjudicate and audit."""
