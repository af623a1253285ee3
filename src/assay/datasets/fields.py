"""From a row of anybody's data to an example: the field names that people use."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.texts import Response, Source

ALIASES: dict[str, tuple[str, ...]] = {
    "source": (
        "source",
        "document",
        "doc",
        "context",
        "contexts",
        "retrieved_contexts",
        "retrieval_context",
        "passages",
    ),
    "response": ("response", "answer", "output", "actual_output", "summary", "generated_answer"),
    "question": ("question", "query", "input", "user_input"),
    "id": ("id", "example_id"),
    "model": ("model", "generator"),
    "language": ("language", "lang"),
}
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Columns:
    """The user's own names for the fields; an empty name means: look for the usual ones."""

    source: str = ""
    response: str = ""
    question: str = ""

    def find(self, field: str, row: Mapping[str, object]) -> object:
        """The row's value for a field, or None; two usual names at once are not guessed about."""
        chosen = getattr(self, field, "")
        if chosen and chosen not in row:
            raise InputError(f"no field '{chosen}'; the fields are: {_listing(row)}")
        names = (chosen,) if chosen else ALIASES[field]
        found = [name for name in names if _given(row.get(name))]
        if len(found) > 1:
            raise InputError(
                f"both '{found[0]}' and '{found[1]}' could be the {field}; "
                f"choose with --{field}-field or columns=Columns({field}=...)"
            )
        return row[found[0]] if found else None

    def require(self, field: str, row: Mapping[str, object]) -> object:
        """Like `find`, but a missing field raises, and an empty one too."""
        value = self.find(field, row)
        if value is not None:
            return value
        names = [getattr(self, field) or name for name in ALIASES[field]]
        empty = next((name for name in names if name in row), None)
        if empty:
            raise InputError(f"the {field} is empty (field '{empty}')")
        raise InputError(
            f"no {field}: none of {', '.join(ALIASES[field])} among the fields {_listing(row)}"
        )


def read_example(
    row: Mapping[str, object], number: int, columns: Columns | None = None, language: str = "en"
) -> Example:
    """The example in a row; `number` is its id where the row has none."""
    columns = columns or Columns()
    identity = columns.find("id", row)
    return Example(
        id=str(number if identity is None else identity),
        source=check_source(read_source(columns.require("source", row))),
        response=Response(
            check_text(columns.require("response", row), "response"),
            model=str(columns.find("model", row) or ""),
        ),
        question=str(columns.find("question", row) or ""),
        language=str(columns.find("language", row) or language),
    )


def check_source(source: Source) -> Source:
    """Itself, if it is text that can be read."""
    check_text(source.text, "source")
    return source


def check_text(value: object, what: str) -> str:
    """The value, if it is text that can be checked; otherwise raises."""
    if not isinstance(value, str):
        raise InputError(f"the {what} must be text, not {type(value).__name__}")
    if not value.strip():
        raise InputError(f"the {what} is empty")
    bad = _NOT_TEXT.search(value)
    if bad:
        kind = "a NUL byte" if bad[0] == "\x00" else "bytes that are not UTF-8"
        raise InputError(
            f"the {what} contains {kind} at character {bad.start()}; save it as UTF-8 text"
        )
    return value


def _given(value: object) -> bool:
    """Whether a cell has a value; None, NaN and empty cells do not."""
    if value is None or (isinstance(value, float) and value != value):
        return False
    if isinstance(value, str):
        return bool(value.strip())
    return not hasattr(value, "__len__") or len(value) > 0


def _listing(row: Mapping[str, object]) -> str:
    return ", ".join(map(str, row)) or "(none)"
