"""The audit of finished labels: flags, decisions, revisions."""
