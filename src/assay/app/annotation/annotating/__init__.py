"""What one person does on one item: drafts, checks, submission, evidence, history."""
