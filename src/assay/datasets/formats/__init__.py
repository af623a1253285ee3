"""Whole annotation projects in the forms of others: FaithBench's, RAGTruth's, and a flat table."""
