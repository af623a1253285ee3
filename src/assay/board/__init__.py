"""Boards: LLMs ranked by how often they hallucinate, and detectors by how well they notice."""
