"""Local corpora: made from files, kept in one SQLite file, searched in milliseconds."""
