"""Migrations of the table of replies that a team shares."""
