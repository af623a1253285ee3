"""Public model files: which there are, where they are kept, and how they are fetched."""
