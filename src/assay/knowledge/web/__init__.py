"""Wikis, web-search services and pages, with rules on what is contacted, how often and how much."""
