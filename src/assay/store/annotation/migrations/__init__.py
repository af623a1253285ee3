"""Migrations of the studio's tables."""
