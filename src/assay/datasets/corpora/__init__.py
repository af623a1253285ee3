"""One module per corpus: its card, and a loader that turns its files into examples."""
