"""A suite of sources and judged sentences in other languages, written for measuring only."""
