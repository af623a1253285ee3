"""A suite of sources with judged sentences, written for measuring only; see README.md."""
