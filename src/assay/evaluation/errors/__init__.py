"""What judges miss and what they invent, why, and what the gold itself has missed."""
