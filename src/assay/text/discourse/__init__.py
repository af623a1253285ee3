"""How a text hangs together: its clauses, the claims they make, and the links between these."""
