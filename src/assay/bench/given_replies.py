"""Responses that were made elsewhere: rows with the id of a source and what a model wrote."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.bench.collected import Provenance, brought
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.plain_values import SCALARS
from assay.core.problems import Problem
from assay.datasets.conversion import is_converted, read_converted
from assay.datasets.fields import ALIASES, Columns
from assay.datasets.files import read_rows

_IDS = ("source_id", *ALIASES["id"])
_TEXTS = ("reply", *ALIASES["response"])
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class GivenReplies:
    """A model by name, and the file with its responses."""

    model: str
    file: str

    @classmethod
    def parse(cls, text: str) -> "GivenReplies":
        """What is written as NAME=FILE."""
        name, equals, file = text.partition("=")
        if not equals or not name.strip() or not file.strip():
            raise InputError(
                f"write NAME=FILE, the name of a model and its responses, not '{text}'",
                field="replies",
            )
        return cls(name.strip(), file.strip())


def read_given(given: GivenReplies, sources: Sequence[Example]) -> dict[str, Annotated]:
    """The responses by the ids of their sources; what belongs to no source raises."""
    known = {each.id: each for each in sources}
    found: dict[str, Annotated] = {}
    strange: list[str] = []
    for where, id, text in _rows(given.file):
        if id not in known:
            strange.append(id)
            continue
        if id in found:
            raise InputError(
                f"{where}: a second response of {given.model} to the source '{id}'",
                code="two-replies",
                field="replies",
            )
        made = Provenance(known[id].task, "", file=given.file)
        found[id] = brought(known[id], given.model, text, made)
    if strange:
        more = f" and {len(strange) - _SHOWN:,} more" if len(strange) > _SHOWN else ""
        ids = ", ".join(f"'{each}'" for each in strange[:_SHOWN])
        raise InputError(
            f"{given.file}: no such source: {ids}{more}; a row has the id of its source",
            code="unknown-source",
            field="replies",
        )
    return found


def _rows(path: str) -> Iterator[tuple[str, str, str]]:
    """Place, source id and text of each row; the first that cannot be read raises."""
    if is_converted(path):
        for number, each in enumerate(read_converted(path), start=1):
            if isinstance(each, Problem):
                raise InputError(str(each), field="replies")
            source = each.example.source.id or each.id
            yield f"{path} record {number}", source, each.example.response.text
        return
    for where, row in read_rows(path, Columns(required=())):
        if isinstance(row, Problem):
            raise InputError(str(row), field="replies")
        yield where, _id(row, where), _reply(row, where)


def _id(row: Mapping[str, object], where: str) -> str:
    for name in _IDS:
        value = row.get(name)
        if isinstance(value, SCALARS) and str(value).strip():
            return str(value).strip()
    raise InputError(f"{where}: no id of a source: none of {', '.join(_IDS)}", field="replies")


def _reply(row: Mapping[str, object], where: str) -> str:
    names = [name for name in _TEXTS if name in row]
    if not names:
        raise InputError(f"{where}: no response: none of {', '.join(_TEXTS)}", field="replies")
    value = row[names[0]]
    if value is not None and not isinstance(value, str):
        kind = type(value).__name__
        raise InputError(f"{where}: the {names[0]} must be text, not {kind}", field="replies")
    return value or ""
