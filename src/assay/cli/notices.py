"""Tells on standard error where texts go, before they do."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from assay.cli.errors import say
from assay.core.notices import LOGGER


@contextmanager
def telling(*, quiet: bool = False) -> Iterator[None]:
    """Prints each notice once; quietly, only warnings, and what a working folder decides."""
    logger = logging.getLogger(LOGGER)
    if any(isinstance(each, _Teller) for each in logger.handlers):
        yield
        return
    teller, level = _Teller(quiet), logger.level
    logger.addHandler(teller)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(teller)
        logger.setLevel(level)


class _Teller(logging.Handler):
    """Prints what was not printed yet."""

    def __init__(self, quiet: bool) -> None:
        super().__init__(logging.INFO)
        self._quiet = quiet
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Prints a notice."""
        message = record.getMessage()
        is_warning = record.levelno >= logging.WARNING
        is_wanted = not self._quiet or is_warning or getattr(record, "from_folder", False)
        if is_wanted and message not in self._told:
            self._told.add(message)
            say(message)
