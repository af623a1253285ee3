"""Audits of gold labels: flags, decisions of people, votes, revisions."""
