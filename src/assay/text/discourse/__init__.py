"""The discourse structure of a text: its clauses, their claims, and the relations between them."""
