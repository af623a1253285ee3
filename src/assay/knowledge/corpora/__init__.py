"""Local corpora: built from files, kept in one SQLite file, searched in milliseconds."""
