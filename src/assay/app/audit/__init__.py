"""Audits of gold labels: flags, decisions of people, votes of models, and a new version."""
