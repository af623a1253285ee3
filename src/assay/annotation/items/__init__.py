"""Items and the work of one person on them: drafts, checks, submission, evidence, history."""
