"""`discourse`: claims and the relations between them, checked apart, folded to sentences."""
