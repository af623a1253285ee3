"""From a row with anybody's field names to an example."""

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Judgement
from assay.core.problems import Problem
from assay.core.rendering import read_source
from assay.core.taxonomies import BINARY, taxonomy
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.datasets.cells import read_list
from assay.datasets.fields import NOT_TEXT, Columns
from assay.datasets.shapes import (
    ANSWER,
    Conversation,
    find_conversation,
    object_fields,
    plain_source,
)

Row = Mapping[str, object]
T = TypeVar("T")


def read_row(
    row: Row, number: int | str, columns: Columns | None = None, language: str = "en"
) -> Annotated:
    """The example in a row, with its label if there is one; `number` is its id if it has none."""
    columns = columns or Columns()
    row = _with_answer(row, columns)
    if said := find_conversation(row):
        row = _with_fields_of(said, row, columns)
        _require_fields(said, row, columns)
    example = Example(
        id=_optional("id", row, columns) or str(number),
        source=_source(row, columns),
        response=_response(row, columns),
        question=_optional("question", row, columns),
        language=check_language(_optional("language", row, columns) or language),
    )
    return Annotated(example, _gold(row, example, columns))


def problem_of(
    error: Exception, where: str, row: Row, number: int | str, columns: Columns | None = None
) -> Problem:
    """The problem of a row that could not be read, with as much of the row as can be."""
    columns = columns or Columns()
    row = _or_empty(lambda: _with_conversation(row, columns)) or row
    example = Example(
        id=_or_empty(lambda: _optional("id", row, columns)) or str(number),
        source=_or_empty(lambda: _source(row, columns)) or Source(""),
        response=_or_empty(lambda: _response(row, columns)) or Response(""),
        question=_or_empty(lambda: _optional("question", row, columns)) or "",
    )
    if isinstance(error, InputError):
        return Problem(where, str(error), error.field, example, error.code)
    return Problem(where, f"{type(error).__name__}: {error}", "", example)


def _or_empty(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except Exception:  # noqa: BLE001 - fields of a user's own object raise what they like
        return None


def _with_answer(row: Row, columns: Columns) -> Row:
    """The row with the fields of a response that is an object, such as LlamaIndex's, beside it."""
    answer = columns.find("response", row)
    inner = None if isinstance(answer, str) else object_fields(answer)
    if inner is None or "response" not in inner:
        return row
    rest = {name: row[name] for name in row if row[name] is not answer}
    return {**{name: inner[name] for name in inner if name in ANSWER}, **rest}


def _with_conversation(row: Row, columns: Columns) -> Row:
    row = _with_answer(row, columns)
    said = find_conversation(row)
    return _with_fields_of(said, row, columns) if said else row


def _with_fields_of(said: Conversation, row: Row, columns: Columns) -> Row:
    """The row with the fields that its conversation gives, where it has none of its own."""
    plain = {name: row[name] for name in row if name != said.field}
    given = {"response": said.response, "question": said.question, "source": list(said.source)}
    for field, value in given.items():
        if value and columns.find(field, plain) is None:
            plain[field] = value
    return plain


def _require_fields(said: Conversation, row: Row, columns: Columns) -> None:
    if columns.find("response", row) is None:
        raise InputError(f"no response: the {said.field} have no text from the assistant")
    if columns.find("source", row) is None:
        raise InputError(
            f"no source: the {said.field} have no text from a tool, and the row has no source "
            f"beside them, as in {{'{said.field}': [...], 'context': '...'}}",
            field="source_field",
        )


def _source(row: Row, columns: Columns) -> Source:
    value = columns.require("source", row)
    if isinstance(value, str):
        value = read_list(value) or value
    return check_source(read_source(plain_source(value)))


def _response(row: Row, columns: Columns) -> Response:
    text = check_text(columns.require("response", row), "response")
    return Response(text, model=_optional("model", row, columns))


def _gold(row: Row, example: Example, columns: Columns) -> tuple[Judgement, ...]:
    """The label of the whole response, where its field is named; 1 is faithful and 0 is not."""
    value = columns.find("label", row) if columns.label else None
    if value is None:
        return ()
    menu = taxonomy(columns.taxonomy)
    name = str(int(value)) if isinstance(value, bool | int | float) else str(value).strip()
    label = BINARY.labels[int(name)] if name in ("0", "1") else menu[name]
    unit = Unit.response(example.response.text)
    return (Judgement(example.id, GOLD, (unit,), (Verdict(unit.id, label),)),)


def _optional(field: str, row: Row, columns: Columns) -> str:
    value = columns.find(field, row)
    return "" if value is None else check_text(str(value), field)


def check_language(code: str) -> str:
    """The language of a code such as `de` or `de-DE`; anything else raises."""
    language = re.split(r"[-_]", code.strip().casefold())[0] if isinstance(code, str) else ""
    if not re.fullmatch(r"[a-z]{2,3}", language):
        raise InputError(f"a language is given by its code, such as 'en' or 'de', not {code!r}")
    return language


def check_source(source: Source) -> Source:
    """Itself, if it is text that can be read."""
    check_text(source.text, "source")
    return source


def check_text(value: object, what: str) -> str:
    """The value, if it is text that can be checked; otherwise raises."""
    if not isinstance(value, str):
        kind = type(value).__name__
        many = "; give a row for each" if kind in ("list", "ndarray") else ""
        raise InputError(f"the {what} must be text, not {kind}{many}")
    if not value.strip():
        raise InputError(f"the {what} is empty")
    bad = NOT_TEXT.search(value)
    if bad:
        kind = "a NUL byte" if bad[0] == "\x00" else "bytes that are not UTF-8"
        raise InputError(
            f"the {what} contains {kind} at character {bad.start()}; save it as UTF-8 text"
        )
    return value
