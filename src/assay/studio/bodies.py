"""The bodies of requests."""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class Body(BaseModel):
    """A JSON object of a request; what is unknown is refused, and no text has a zero character.

    PostgreSQL keeps no such text, and people write none.
    """

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_zeros(cls, value: Any) -> Any:
        if _has_zero(value):
            raise ValueError("a text has a character U+0000")
        return value


def _has_zero(value: Any) -> bool:
    """Whether a text in some JSON has a zero character; nesting was limited when it was read."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            if "\0" in each:
                return True
        elif isinstance(each, dict):
            waiting += each.keys()
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
    return False
