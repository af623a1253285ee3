"""A board as a folder of static files: tables, charts, and the responses behind every number."""
