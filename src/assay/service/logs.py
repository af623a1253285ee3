"""The log: one line of JSON for each request and each event, on standard error, without texts."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

from assay.core.system.notices import LOGGER

NAME = f"{LOGGER}.service"
log = logging.getLogger(NAME)
_FIELDS = "fields"  # of a record: what stands beside its message


class JsonLines(logging.Formatter):
    """A record on one line; nothing in it can begin another."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        said: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, _FIELDS, {}),
        }
        if record.exc_info:
            said["trace"] = self.formatException(record.exc_info)
        return json.dumps(said)


def tell(event: str, level: int = logging.INFO, **fields: object) -> None:
    """Logs an event with what there is to say of it; what is empty is left out."""
    if log.isEnabledFor(level):
        given = {name: value for name, value in fields.items() if value not in ("", None)}
        log.log(level, event, extra={_FIELDS: given})


def log_to_stderr() -> None:
    """Sends what is logged to standard error: the service, the work on jobs, and the server."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name, level in ((LOGGER, logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level)
