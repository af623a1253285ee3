"""Notices for the user before something leaves the machine, through the logger `assay`.

The notices have the level INFO, so that a library stays silent unless its user asks. Those that
rest on a file of the working folder, rather than on the user's own word, are marked `from_folder`.
What went wrong, and was got over, has the level WARNING.
"""

import logging

LOGGER = "assay"


def notify(message: str, *, from_folder: bool = False) -> None:
    """Says something that the user may want to know before it happens."""
    logging.getLogger(LOGGER).info("%s", message, extra={"from_folder": from_folder})


def warn(message: str) -> None:
    """Says what went wrong, where the work goes on nevertheless."""
    logging.getLogger(LOGGER).warning("%s", message)
