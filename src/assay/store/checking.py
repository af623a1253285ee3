"""What a database gives for a run, checked as it is read: the file may be anybody's."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import msgspec
from msgspec import Meta
from sqlalchemy import func, select

from assay.core.codec import Reader, require_judgement
from assay.core.errors import InputError
from assay.core.wire import Count
from assay.store.tables import units

if TYPE_CHECKING:
    from assay.store.journal import Journal

_Amount = Annotated[int, Meta(ge=0, le=2**63 - 1)]  # of money: trillionths of a dollar
_Measure = Annotated[float, Meta(ge=0, le=1e15)]


class _Usage(TypedDict, total=False):
    calls: Count
    cached: Count
    failed: Count
    prompt_tokens: Count
    completion_tokens: Count
    estimated: Count
    cost: _Measure | None
    seconds: _Measure
    spent: Annotated[list[_Amount], Meta(min_length=3, max_length=3)]


class _Retry(TypedDict):
    attempt: Annotated[int, Meta(ge=0, le=2**31 - 1)]
    open: bool


class _Unread(TypedDict):
    count: Count
    first: list[tuple[str, str, str]]


class _Facts(TypedDict, total=False):
    """The facts that somebody reads; others are kept as they are."""

    state: str
    usage: _Usage
    adaptations: list[str]
    retry: _Retry
    unread: _Unread


_facts = Reader(dict[str, Any])


def require_types(rows: Sequence[Any], query: Any, what: str) -> Sequence[Any]:
    """The rows, if all values are of the types of their columns, which SQLite does not see to."""
    columns = [
        (each.type.python_type, getattr(each, "nullable", True)) for each in query.selected_columns
    ]
    for row in rows:
        for value, (kind, may_be_empty) in zip(row, columns, strict=True):
            if type(value) is not kind and not (value is None and may_be_empty):
                found = f"a value of type {type(value).__name__} in the place of {kind.__name__}"
                raise InputError(f"{what} is damaged: it has {found}", code="damaged")
    return rows


def read_facts(text: str, origin: str) -> dict[str, Any]:
    """The facts of a run; a known one of another type raises and says where.

    The origin is a noun in the singular.
    """
    found = _facts.read(text, origin)
    try:
        msgspec.convert(found, _Facts)
    except msgspec.ValidationError as error:
        raise InputError(f"{origin} is damaged: {error}", code="damaged") from None
    return found


def require_sound(journal: "Journal") -> None:
    """Raises where something of a run is damaged, whatever of it the caller reads."""
    journal.failures()
    journal.select(select(func.count()).select_from(units))
    for record in journal.records():
        require_judgement(record, f"a judgement of the run '{journal.name}'")
