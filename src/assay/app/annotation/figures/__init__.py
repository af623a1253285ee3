"""What a board shows: progress, agreement, disagreements, labels by model."""
