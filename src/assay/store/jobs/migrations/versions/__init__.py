"""The migrations of jobs in order."""
