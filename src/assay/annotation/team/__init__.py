"""Teamwork: batches, training, discussion, adjudication."""
