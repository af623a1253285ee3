"""What is shown to a reader: the page of a check."""
