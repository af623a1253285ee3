"""The migrations of the shared replies in order."""
