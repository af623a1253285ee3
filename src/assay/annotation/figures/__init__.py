"""Figures of a project's board: progress, agreement, disagreements, labels by model."""
