"""Views: tables, pages and sites."""
