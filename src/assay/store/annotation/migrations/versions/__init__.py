"""The migrations of the studio in order."""
