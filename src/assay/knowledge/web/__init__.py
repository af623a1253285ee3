"""Wikis, web-search services and pages, asked with care: what may be asked, how often, how much."""
