"""Pages of examples and judgements: one HTML file each."""
