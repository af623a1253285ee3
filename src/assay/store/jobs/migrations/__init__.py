"""Migrations of the tables of jobs."""
