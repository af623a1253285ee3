"""Replies of models, read: JSON, menus, verdict lines, lists."""
