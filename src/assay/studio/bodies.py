"""The bodies of requests."""

from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator, model_validator


class Body(BaseModel):
    """A JSON object of a request; what is unknown is refused, and so is what is no text.

    No database keeps half a pair of surrogates, nor PostgreSQL a zero character, and people write
    neither.
    """

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _plain_names(cls, value: Any) -> Any:
        if isinstance(value, dict):
            require_plain(list(value))
        return value

    @field_validator("*", mode="before")
    @classmethod
    def _plain_texts(cls, value: Any) -> Any:
        require_plain(value)
        return value


def require_plain(value: Any) -> None:
    """Raises where a text in some JSON is none; nesting was limited when it was read."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            if "\0" in each:
                raise ValueError("a text has a character U+0000")
            try:
                each.encode()
            except UnicodeEncodeError:
                message = "a text has a lone surrogate, which is half a character"
                raise ValueError(message) from None
        elif isinstance(each, dict):
            waiting += each.keys()
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
