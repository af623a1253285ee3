"""What is kept on disk: the journal of a run."""
