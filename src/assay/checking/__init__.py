"""Checking examples with a detector: the library function behind command, page and service."""

from assay.checking.api import acheck, check, check_each
from assay.checking.results import Checked, Report

__all__ = ["Checked", "Report", "acheck", "check", "check_each"]
