"""Decisions of people about proposals: forms, nouns, which decision counts, and agreement."""
