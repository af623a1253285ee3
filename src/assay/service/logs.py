"""The log: one line of JSON for each request and each event, on standard error, without texts."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

NAME = "assay.service"
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
    """Sends everything that is logged here to standard error, the server's own lines too."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in (NAME, "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(logging.INFO if name == NAME else logging.WARNING)
