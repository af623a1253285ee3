"""Jobs in a database: what was asked for, its rows, and who works on it."""
