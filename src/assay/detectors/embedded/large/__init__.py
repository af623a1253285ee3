"""The large entailment model: a public base in few bits, read from its file, and our adapter."""
