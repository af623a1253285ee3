"""The contents of a corpus, counted: labels, lengths, changes."""
