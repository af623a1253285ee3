"""Assay inside other frameworks: thin translations of their objects into checks, and back.

Each module needs the package of its framework, and nothing else imports it.
"""
