"""From a row with anybody's field names to an example."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from functools import partial
from typing import Final, TypeVar

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Judgement
from assay.core.places import RowPlace
from assay.core.problems import Problem
from assay.core.rendering import SCALARS, read_source, unboxed
from assay.core.taxonomies import BINARY, taxonomy
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.datasets.fields import NOT_TEXT, Columns, empty_error
from assay.datasets.formats.originals import keep, kept
from assay.datasets.shapes import (
    ANSWER,
    Conversation,
    find_conversation,
    object_fields,
    plain_answer,
    plain_source,
    read_list,
)

# The two-letter codes of common languages, their English names and three-letter codes.
_LANGUAGES = """
ar Arabic ara
bg Bulgarian bul
ca Catalan cat
cs Czech ces cze
da Danish dan
de German deu ger
el Greek ell gre
en English eng
es Spanish spa
et Estonian est
fa Persian fas per
fi Finnish fin
fr French fra fre
he Hebrew heb
hi Hindi hin
hr Croatian hrv
hu Hungarian hun
id Indonesian ind
it Italian ita
ja Japanese jpn
ko Korean kor
lt Lithuanian lit
lv Latvian lav
nl Dutch nld dut
no Norwegian nor
pl Polish pol
pt Portuguese por
ro Romanian ron rum
ru Russian rus
sk Slovak slk slo
sl Slovenian slv
sr Serbian srp
sv Swedish swe
sw Swahili swa
th Thai tha
tr Turkish tur
uk Ukrainian ukr
vi Vietnamese vie
zh Chinese zho chi
"""
_CODES: Final = {
    name.casefold(): code
    for code, *names in map(str.split, _LANGUAGES.strip().splitlines())
    for name in names
}


Row = Mapping[str, object]
T = TypeVar("T")

FORM = "row"  # under which the other fields of a row are kept


class PartReader:
    """Reads the parts of an example, each of them once; the first error is kept."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    def read(self, part: Callable[[], T], otherwise: T) -> T:
        """The part, or what stands for one that cannot be read."""
        try:
            return part()
        except Exception as error:  # noqa: BLE001 - a user's own object raises what it likes
            self.error = self.error or error
            return otherwise


def try_row(
    row: Row,
    where: str | RowPlace,
    number: int | str,
    columns: Columns | None = None,
    language: str | None = None,
    *,
    catch: type[Exception] = InputError,
) -> Annotated | Problem:
    """The example in a row, with its label if there is one; `number` is its id if it has none.

    A row that cannot be read is a problem, with as much of it as can be; what is not of the kind to
    `catch` raises.
    """
    parts = PartReader()
    place = where if isinstance(where, RowPlace) else None
    read = _read(row, number, columns or Columns(), language, parts, place)
    if parts.error is None:
        return read
    if not isinstance(parts.error, catch):
        raise parts.error
    return problem_of(parts.error, str(where), read.example)


def problem_of(error: Exception, where: str, example: Example) -> Problem:
    """The problem of a row that could not be read; the example has what could be."""
    if isinstance(error, InputError):
        return Problem(where, str(error), error.field, example, error.code, example.place)
    return Problem(where, f"{type(error).__name__}: {error}", "", example, place=example.place)


def _read(
    row: Row,
    number: int | str,
    columns: Columns,
    language: str | None,
    parts: PartReader,
    place: RowPlace | None = None,
) -> Annotated:
    given = row
    row = parts.read(lambda: _with_answer(given, columns), given)
    talk = parts.read(lambda: find_conversation(row), None)
    if talk:
        row = parts.read(partial(_with_fields_of, talk, row, columns), row)
        parts.read(partial(_require_fields, talk, row, columns), None)
    stated = parts.read(lambda: check_language(_optional("language", row, columns)), None)
    stated = stated or check_language(language)
    source = parts.read(lambda: _source(row, columns), Source(""))
    own_id = parts.read(lambda: _optional("id", row, columns), "")
    example = Example(
        id=own_id or str(number),
        source=replace(source, id=parts.read(lambda: _source_id(row, columns), "")),
        response=parts.read(lambda: _response(row, columns), Response("")),
        question=parts.read(lambda: _optional("question", row, columns), ""),
        language=stated or "en",
        is_english_stated=stated == "en",
        place=replace(place, names_example=not own_id) if place else None,
    )
    said: tuple[Judgement, ...] = ()
    said = parts.read(lambda: _gold(row, example, columns), said)
    if columns.keeps_all:
        example, said = parts.read(lambda: _whole(row, example, columns, said), (example, said))
    return Annotated(example, said)


def _with_answer(row: Row, columns: Columns) -> Row:
    """The row with the fields of a response that is an object, such as LlamaIndex's, beside it."""
    answer = columns.find("response", row)
    inner = None if isinstance(answer, str) else object_fields(answer)
    if inner is None or "response" not in inner:
        return row
    rest = {name: row[name] for name in row if row[name] is not answer}
    return {**{name: inner[name] for name in inner if name in ANSWER}, **rest}


def _with_fields_of(said: Conversation, row: Row, columns: Columns) -> Row:
    """The row with the fields that its conversation gives, where it has none of its own."""
    plain = {name: row[name] for name in row if name != said.field}
    given = {"response": said.response, "question": said.question, "source": list(said.source)}
    for field, value in given.items():
        if value and columns.find(field, plain) is None:
            plain[field] = value
    return plain


def _require_fields(said: Conversation, row: Row, columns: Columns) -> None:
    if "response" in columns.required and columns.find("response", row) is None:
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
        passages = read_list(value)
        value = value if passages is None else passages
    return check_source(read_source(plain_source(value)))


def _source_id(row: Row, columns: Columns) -> str:
    """The id of a source; a value that is no word or number is none."""
    value = columns.find("source_id", row)
    return _optional("source_id", row, columns) if isinstance(unboxed(value), SCALARS) else ""


def _response(row: Row, columns: Columns) -> Response:
    if "response" not in columns.required:
        return Response("")  # a response to come
    text = check_text(plain_answer(columns.require("response", row)), "response")
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


def _whole(
    row: Row, example: Example, columns: Columns, said: tuple[Judgement, ...]
) -> tuple[Example, tuple[Judgement, ...]]:
    """The example with all fields of its row; its label is read where it is one of the taxonomy."""
    rest = columns.rest(row)
    if not columns.label and (name := next((n for n in rest if _is_label(n)), "")):
        try:
            said = _gold(row, example, replace(columns, label=name))
            rest = {other: rest[other] for other in rest if other != name}
        except InputError:  # it means something else, and stays as it is
            pass
    fields = {str(name): _plain(value) for name, value in rest.items()}
    return replace(example, original=keep(FORM, fields)), said


def has_other_label(example: Example) -> bool:
    """True if a field `label` of the row was kept, since it holds no label of the taxonomy."""
    return "label" in example.original.casefold() and any(
        map(_is_label, kept(FORM, example.original))
    )


def _is_label(name: object) -> bool:
    return str(name).strip().casefold() == "label"


def _plain(value: object) -> object:
    """A value as JSON holds it, or else as text."""
    value = unboxed(value)
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return str(value)
    return value


def _optional(field: str, row: Row, columns: Columns) -> str:
    value = columns.find(field, row)
    if value is None:
        return ""
    value = unboxed(value.value if isinstance(value, Enum) else plain_answer(value))
    return check_text(str(value) if isinstance(value, SCALARS) else value, field)


def check_language(code: str | None) -> str | None:
    """The code of a language given as `de`, `de-DE`, `deu` or `German`; anything else raises."""
    if code is None or code == "":
        return None
    language = re.split(r"[-_]", code.strip().casefold())[0] if isinstance(code, str) else ""
    language = _CODES.get(language, language)
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
        many = "; give a row for each" if kind in ("list", "tuple", "ndarray") else ""
        raise InputError(f"the {what} must be text, not {kind}{many}", code="not-text")
    if not value.strip():
        raise empty_error(what)
    bad = NOT_TEXT.search(value)
    if bad:
        is_zero = bad[0] == "\x00"
        kind = "a NUL byte" if is_zero else "bytes that are not UTF-8"
        remedy = "remove it, or save it as UTF-8 if it is UTF-16" if is_zero else "save it as UTF-8"
        raise InputError(f"the {what} contains {kind} at character {bad.start()}; {remedy}")
    return value
