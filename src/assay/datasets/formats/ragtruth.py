"""RAGTruth's two files, responses with marked spans and their sources: read and written.

The marks are by `gold`, as in the corpus: RAGTruth does not say who made them. `meta` is the note
of a verdict, `implicit_true` and `due_to_null` are attributes. What has no place in the nouns
(temperature, quality, prompt, offsets that do not fit their quotation, a label spelled in another
way) is kept as `original` and written again as long as it reads as the nouns do.

RAGTruth has nothing but hallucinated spans. Written are the units that an author calls unfaithful;
a response that is called so without such a unit is marked as a whole. Labels of other taxonomies
become `Evident Conflict` where they say that the source contradicts, and otherwise
`Evident Baseless Info`. Our own JSON lines keep everything.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated as Constrained
from typing import Any

import msgspec

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Finding
from assay.core.places import RowPlace
from assay.core.problems import Problem
from assay.core.system.files import replacing
from assay.core.units import RESPONSE
from assay.core.verdicts import NO_ATTRIBUTES, Verdict
from assay.datasets.corpora.annotations import Opinion, annotate, text_id
from assay.datasets.corpora.ragtruth import ground, read_gold, respond
from assay.datasets.corpora.raw_files import RawRow
from assay.datasets.corpus import Repairs
from assay.datasets.files import json_line_rows
from assay.datasets.formats.originals import keep, kept, require_shape

Row = dict[str, Any]

FORM = "ragtruth"
RESPONSES, SOURCES = "response.jsonl", "source_info.jsonl"
_TASKS = {"summary": "Summary", "qa": "QA", "data2txt": "Data2txt"}
_CONFLICT, _BASELESS = "Evident Conflict", "Evident Baseless Info"
_TYPES = {
    "evident-conflict": _CONFLICT,
    "subtle-conflict": "Subtle Conflict",
    "evident-baseless": _BASELESS,
    "subtle-baseless": "Subtle Baseless Info",
    "contradicting": _CONFLICT,
    "contradiction": _CONFLICT,
    "unwanted.intrinsic": _CONFLICT,
}
_ORDER = ("id", "source_id", "model", "temperature", "labels", "split", "quality", "response")
_Place = Constrained[int, msgspec.Meta(ge=0)]


class LabelShape(msgspec.Struct):
    """The types of a marked span's fields; others are let through."""

    start: _Place
    end: _Place
    text: str
    label_type: str
    meta: str | None = None
    implicit_true: bool | None = None
    due_to_null: bool | None = None


class ResponseShape(msgspec.Struct):
    """The types of a response's fields."""

    id: int | str
    source_id: int | str
    model: str
    response: str
    split: str
    labels: list[LabelShape]


class SourceShape(msgspec.Struct):
    """The types of a source's fields."""

    source_id: int | str
    task_type: str
    source_info: str | dict[str, Any] | list[Any]


def read_ragtruth(responses: str | Path, sources: str | Path) -> Iterator[Annotated | Problem]:
    """The responses in the order of their file; a row that cannot be read is a problem."""
    groundings: dict[str, tuple[Row, Example]] = {}
    for place, row in _checked(sources, SourceShape):
        try:
            if isinstance(row, Problem):
                yield row
            else:
                groundings[str(row["source_id"])] = (row, ground(row))
        except InputError as error:
            yield Problem.at(place, error.message)
    for place, row in _checked(responses, ResponseShape):
        yield row if isinstance(row, Problem) else _annotated(row, place, groundings, sources)


def _checked(path: str | Path, shape: type) -> Iterator[tuple[RowPlace, Row | Problem]]:
    for place, row in json_line_rows(str(path)):
        try:
            if not isinstance(row, Problem):
                require_shape(row, shape)
            yield place, row
        except InputError as error:
            yield place, Problem.at(place, error.message)


def _annotated(
    row: Row, place: RowPlace, groundings: dict[str, tuple[Row, Example]], sources: str | Path
) -> Annotated | Problem:
    if str(row["source_id"]) not in groundings:
        missing = f"source '{row['source_id']}' is not in {Path(sources).name}"
        return Problem.at(place, missing)
    about, grounded = groundings[str(row["source_id"])]
    example = respond(row, grounded)
    try:
        original = {
            "response": _others(row, _response_fields(example) | {"labels": row["labels"]}),
            "source": _others(about, _source_fields(example)),
        }
        example = replace(example, original=keep(FORM, original), place=place)
        return annotate(example, _opinions(row, example))
    except InputError as error:
        return Problem.at(place, error.message)


def _opinions(row: Row, example: Example) -> Iterator[Opinion]:
    text = example.response.text
    for number, label in enumerate(row["labels"], start=1):
        is_inside = label["start"] <= label["end"] <= len(text)
        if not is_inside and label["text"] not in text:
            raise InputError(
                f"label {number}: {label['start']}:{label['end']} does not fit a response of "
                f"{len(text)} characters"
            )
    whole, *marks = read_gold(RawRow(row, Path(RESPONSES)), Repairs())
    yield whole
    for label, (author, finding) in zip(row["labels"], marks, strict=True):
        yield author, _keeping(finding, label)


def _keeping(finding: Finding, label: Row) -> Finding:
    verdict = finding.verdict
    if verdict is None:
        return finding
    original = keep(FORM, _others(label, _label_fields(finding)))
    attributes = replace(verdict.attributes, original=original)
    return replace(finding, outcome=replace(verdict, attributes=attributes))


def _others(row: Row, plain: Row) -> Row:
    """The fields of a row that would be written differently."""
    return {name: row[name] for name in row if name not in plain or plain[name] != row[name]}


def write_ragtruth(rows: Iterable[Annotated], folder: str | Path, by: str = "") -> int:
    """Writes both files into a folder; gives how many responses there are.

    The marks are those of the author named `by`. Without a name they are those of `gold` where it
    marks parts of the response, and everybody's elsewhere; equal marks are written once.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    sources: dict[str, Row] = {}
    count = 0
    with replacing(place / RESPONSES) as responses_part, replacing(place / SOURCES) as sources_part:
        with responses_part.open("wb") as file:
            for annotated in rows:
                file.write(_line(_response(annotated, sources, by)))
                count += 1
        sources_part.write_bytes(b"".join(map(_line, sources.values())))
    return count


def _line(row: Row) -> bytes:
    try:
        return json.dumps(row, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:  # half a character, which JSON can only escape
        return json.dumps(row).encode() + b"\n"


def _response(annotated: Annotated, sources: dict[str, Row], by: str) -> Row:
    """The row of a response; that of its source is added where it is new."""
    example = annotated.example
    original = kept(FORM, example.original)
    source = _source_fields(example) | original.get("source", {})
    if not _grounds(source, example):
        source = _source_fields(example)
    known = sources.setdefault(str(source["source_id"]), source)
    if known != source:  # another source has this id
        source["source_id"] = f"{source['source_id']}-{example.id}"
        sources[source["source_id"]] = source
    others = original.get("response", {}) | {"source_id": source["source_id"]}
    if str(others.get("id", example.id)) != example.id:
        del others["id"]
    row: Row = _response_fields(example) | others | {"labels": _labels(annotated, by)}
    ordered: Row = {name: row.get(name) for name in _ORDER}
    return ordered | row


def _grounds(row: Row, example: Example) -> bool:
    """True if the row of a source reads as that of the example."""
    try:
        require_shape(row, SourceShape)
        found = ground(row)
    except InputError:
        return False
    # An example from before its JSON was kept has that in the row alone.
    source = replace(example.source, json=example.source.json or found.source.json)
    told = (found.source, found.question, found.task)
    return told == (source, example.question, example.task)


def _response_fields(example: Example) -> Row:
    """The fields of a response as they follow from the nouns, with no marks yet."""
    return {
        "id": example.id,
        "source_id": example.source.id,
        "model": example.response.model,
        "labels": None,
        "split": example.split,
        "response": example.response.text,
    }


def _source_fields(example: Example) -> Row:
    text, question = example.source.text, example.question
    given = json.loads(example.source.json) if example.source.json else text
    return {
        "source_id": example.source.id or text_id(text),
        "task_type": _TASKS.get(example.task, example.task),
        "source": None,
        "source_info": {"question": question, "passages": given} if question else given,
        "prompt": None,
    }


def _labels(annotated: Annotated, by: str) -> list[Row]:
    """The marks; one that another author has made as well is written once."""
    labels: list[Row] = []
    for marks in _marks(annotated, by):
        rows = [_label(finding, annotated.example) for finding in marks]
        labels += [row for row in rows if row not in labels]
    return labels


def _marks(annotated: Annotated, by: str) -> Iterator[list[Finding]]:
    """The unfaithful parts, or else the whole, by each author whose marks are wanted."""
    people = annotated.gold
    settled = [each for each in people if each.author == GOLD]
    if by:
        people = tuple(each for each in people if each.author.name == by)
    elif any(finding.id != RESPONSE for each in settled for finding in each.findings):
        people = tuple(settled)
    bad = [[each for each in said.findings if each.coarse == "unfaithful"] for said in people]
    parts = [[each for each in some if each.id != RESPONSE] for some in bad]
    yield from parts if any(parts) else bad


def _label(finding: Finding, example: Example) -> Row:
    plain = _label_fields(finding)
    original = finding.verdict.attributes.original if finding.verdict else ""
    row = plain | kept(FORM, original)
    return row if _means(row, finding, example) else plain


def _label_fields(finding: Finding) -> Row:
    unit = finding.unit
    attributes = finding.verdict.attributes if finding.verdict else NO_ATTRIBUTES
    flags = {"implicit_true": attributes.implicit_true, "due_to_null": attributes.due_to_null}
    return {
        "start": unit.start or 0,
        "end": unit.end or 0,
        "text": unit.text,
        "meta": finding.note,
        "label_type": _TYPES.get(str(finding.label), _BASELESS),
    } | {name: flag for name, flag in flags.items() if flag is not None}


def _means(row: Row, finding: Finding, example: Example) -> bool:
    """True if a mark reads as the finding does."""
    try:
        require_shape(row, LabelShape)
        said = list(_opinions({"response": example.response.text, "labels": [row]}, example))
    except InputError:
        return False
    found = said[-1][1]
    return replace(found.unit, id="") == replace(finding.unit, id="") and (
        _bare(found) == _bare(finding)
    )


def _bare(finding: Finding) -> Verdict | None:
    verdict = finding.verdict
    if verdict is None:
        return None
    return replace(verdict, unit="", attributes=replace(verdict.attributes, original=""))
