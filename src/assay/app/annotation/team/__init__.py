"""How people work together: batches, training, discussion, adjudication."""
