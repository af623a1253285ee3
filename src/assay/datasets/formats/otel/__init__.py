"""Exported traces: model calls, with the documents that were retrieved for them."""
