"""From anybody's rows to examples: the field names that people use, and what Python holds rows in.

Data frames and named tuples are read without importing the libraries they come from.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Judgement
from assay.core.rendering import read_source
from assay.core.taxonomies import BINARY, taxonomy
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Verdict

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
    """The user's own names for the fields; an empty name means: look for the usual ones.

    A label is read only where its field is named, as a label of `taxonomy`.
    """

    source: str = ""
    response: str = ""
    question: str = ""
    label: str = ""
    taxonomy: str = BINARY.name

    def find(self, field: str, row: Mapping[str, object]) -> object:
        """The row's value for a field, or None; two usual names at once are not guessed about."""
        found = [name for name in self._names(field, row) if _given(row[name])]
        if len(found) > 1 and hasattr(self, field):
            raise InputError(
                f"both '{found[0]}' and '{found[1]}' could be the {field}; name the one to read",
                code="two-columns",
                field=f"{field}_field",
            )
        return row[found[0]] if found else None

    def require(self, field: str, row: Mapping[str, object]) -> object:
        """Like `find`, but a missing field raises, and an empty one too."""
        value = self.find(field, row)
        if value is not None:
            return value
        empty = self._names(field, row)
        if empty:
            raise InputError(f"the {field} is empty (field '{empty[0]}')")
        raise InputError(
            f"no {field}: none of {', '.join(ALIASES[field])} among the fields {_listing(row)}; "
            "name the one to read",
            field=f"{field}_field",
        )

    def _names(self, field: str, row: Mapping[str, object]) -> list[str]:
        """The names in the row that could be the field: the chosen one, or the usual ones."""
        return _names(getattr(self, field, ""), field, tuple(row))


@lru_cache(maxsize=256)  # the rows of a file have the same names
def _names(chosen: str, field: str, names: tuple[str, ...]) -> list[str]:
    written = {str(name).casefold(): name for name in reversed(names)}
    if not chosen:
        return [written[alias] for alias in ALIASES[field] if alias in written]
    if chosen in names:
        return [chosen]
    if chosen.casefold() in written:
        return [written[chosen.casefold()]]
    raise InputError(
        f"no field '{chosen}'; the fields are: {_listing(names)}", field=f"{field}_field"
    )


def read_row(
    row: Mapping[str, object], number: int, columns: Columns | None = None, language: str = "en"
) -> Annotated:
    """The example in a row, with its label if there is one; `number` is its id if it has none."""
    columns = columns or Columns()
    source = check_source(read_source(columns.require("source", row)))
    response = check_text(columns.require("response", row), "response")
    example = Example(
        id=_optional("id", row, columns) or str(number),
        source=source,
        response=Response(response, model=_optional("model", row, columns)),
        question=_optional("question", row, columns),
        language=check_language(_optional("language", row, columns) or language),
    )
    return Annotated(example, _gold(row, example, columns))


def read_rows(
    data: object, columns: Columns | None = None, language: str = "en"
) -> Iterator[Annotated]:
    """The examples in a row (dict, pandas row, named tuple, Example) or in many of them."""
    for number, row in enumerate(_rows(data), start=1):
        if isinstance(row, Annotated):
            yield row
            continue
        try:
            yield read_row(row, number, columns, language)
        except InputError as error:
            raise InputError(f"row {number}: {error}", code=error.code, field=error.field) from None


_Row = Mapping[str, object] | Annotated


def _rows(data: Any) -> Iterator[_Row]:
    row = _as_row(data)
    if row is not None:
        yield row
    elif hasattr(data, "columns") and hasattr(data, "itertuples"):  # a pandas data frame
        tuples = data.itertuples(index=False, name=None)
        yield from (dict(zip(data.columns, values, strict=True)) for values in tuples)
    elif isinstance(data, Iterable) and not isinstance(data, str | bytes):
        yield from (_one_row(each) for each in data)
    else:
        _one_row(data)


def _as_row(data: Any) -> _Row | None:
    if isinstance(data, Example):
        return Annotated(data)
    if isinstance(data, Annotated | Mapping):
        return data
    if hasattr(data, "_asdict"):  # a named tuple, as data frames give
        return dict(data._asdict())
    if hasattr(data, "to_dict") and hasattr(data, "index") and not hasattr(data, "columns"):
        return dict(data.to_dict())  # a row of a pandas data frame
    return None


def _one_row(data: object) -> _Row:
    row = _as_row(data)
    if row is None:
        raise InputError(
            f"an example cannot be read from a value of type {type(data).__name__}; "
            "give source and response texts, a dict with these fields, or a list of such dicts"
        )
    return row


def _gold(row: Mapping[str, object], example: Example, columns: Columns) -> tuple[Judgement, ...]:
    """The label of the whole response, where its field is named; 1 is faithful and 0 is not."""
    value = columns.find("label", row) if columns.label else None
    if value is None:
        return ()
    menu = taxonomy(columns.taxonomy)
    name = str(int(value)) if isinstance(value, bool | int | float) else str(value).strip()
    label = BINARY.labels[int(name)] if name in ("0", "1") else menu[name]
    unit = Unit.response(example.response.text)
    return (Judgement(example.id, GOLD, (unit,), (Verdict(unit.id, label),)),)


def _optional(field: str, row: Mapping[str, object], columns: Columns) -> str:
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
    """Whether a cell has a value; None, NaN, pandas' NA and NaT, and empty cells do not."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return False
    if isinstance(value, float) and value != value:
        return False
    if isinstance(value, str):
        return bool(value.strip())
    return not hasattr(value, "__len__") or len(value) > 0


def _listing(row: Iterable[object]) -> str:
    return _NOT_TEXT.sub("\ufffd", ", ".join(map(str, row))) or "(none)"
