r"""XSumFaith: hallucinated spans that three workers marked in summaries of BBC articles.

The offsets are 1-based and end before their second number, but they count an escaped quote (`\'`)
as the one character it was when the workers saw it.
"""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Attributes
from assay.datasets.corpora.annotations import (
    FAITHFUL,
    UNFAITHFUL,
    Opinion,
    annotate,
    opinion,
    person,
    place_unit,
    with_majority,
)
from assay.datasets.corpora.raw_files import RawRow, locate, read_rows
from assay.datasets.corpus import Card, File, Repairs

_FILE = "xsumfaith_with_source.jsonl.gz"

CARD = Card(
    name="xsumfaith",
    title="XSumFaith: hallucinated spans in XSum summaries",
    origin="https://github.com/google-research-datasets/xsum_hallucination_annotations",
    revision="4abdbb2c807cb93c1df1188a1992d20a55cdcc34",
    licence="CC-BY-4.0",
    taxonomy="binary",
    unit_kind="response",
    folder="xsumfaith",
    files=(File(_FILE),),
    loader="assay.datasets.corpora.xsumfaith:load",
    paper="On Faithfulness and Factuality in Abstractive Summarization (ACL 2020)",
    labels="A worker who marks a span finds the summary unfaithful; a worker whose type is NULL "
    "finds it faithful. The gold is the majority, each worker's verdict, and each marked span with "
    "its type (intrinsic or extrinsic) as the note.",
    defects=(
        "offsets are 1-based, and an escaped quote counts as one character",
        "39 spans hold a line break written as backslash and n, with offsets that are of no use",
        "7 spans have no type; 11 workers give NULL and also mark spans of the same summary",
        "one summary has two workers, who disagree",
        "the judgements of factuality (true of the world) and the metrics' scores are not read",
    ),
    notes="One JSON line per summary: the annotations of the release joined with the documents, "
    "which are in violet-zct/fairseq-detect-hallucination.",
    may_train=True,
)

_TYPES = {"intrinsic": UNFAITHFUL, "extrinsic": UNFAITHFUL, "NULL": FAITHFUL}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries of the five systems, one of which is the reference."""
    for row in read_rows(folder / _FILE):
        summary, id, system = row.text("summary"), row.text("bbcid"), row.text("system")
        if "\\'" in summary:
            repairs.note("escaped-quote", "a summary keeps the backslash before its quotes")
        example = Example(
            id=f"{id}-{system}",
            source=Source(row.text("source"), id=id),
            response=Response(summary, model=system),
            task="xsum",
        )
        yield annotate(example, _opinions(summary, row.rows("annotations"), repairs))


def _opinions(summary: str, marks: list[RawRow], repairs: Repairs) -> Iterator[Opinion]:
    """The majority, then what the workers say of the summary, then what they say of spans."""
    votes: list[Opinion] = []
    spans: list[Opinion] = []
    unit = Unit.response(summary)
    by_worker = sorted(marks, key=lambda mark: mark.text("worker_id"))
    for worker, group in groupby(by_worker, key=lambda mark: mark.text("worker_id")):
        given = list(group)
        typed = [m for m in given if m.pick(_TYPES, m["hallucination_type"]) is UNFAITHFUL]
        _note_oddities(given, typed, repairs)
        kinds = " and ".join(sorted({mark["hallucination_type"] for mark in typed}))
        votes.append(_vote(unit, worker, kinds, from_marks=True))
        for mark in typed:
            place = _place(summary, mark, repairs)
            marked = place_unit("span", len(spans) + 1, place)
            spans.append(_vote(marked, worker, mark["hallucination_type"]))
    yield from with_majority(votes, repairs)
    yield from spans


def _vote(unit: Unit, worker: str, kind: str, from_marks: bool | None = None) -> Opinion:
    label = UNFAITHFUL if kind else FAITHFUL
    attributes = Attributes(category=kind, from_marks=from_marks)
    return opinion(unit, label, by=person(worker), note=kind, attributes=attributes)


def _note_oddities(given: list[RawRow], typed: list[RawRow], repairs: Repairs) -> None:
    untyped = [mark for mark in given if mark not in typed]
    for mark in untyped:
        if mark.text("hallucinated_span") != "NULL":
            repairs.note("span-without-type", "a span of type NULL is not counted as marked")
    if typed and untyped:
        repairs.note("null-beside-spans", "a worker gives NULL and marks spans: the spans count")


def _place(summary: str, mark: RawRow, repairs: Repairs) -> Span | str:
    """The marked span where it stands, else its words; the convention that led there is counted."""
    quote = mark.text("hallucinated_span")
    start, end = (_number(mark.get(f"hallucinated_span_{at}")) for at in ("start", "end"))
    found = _unescaped(summary, start, end)
    if found is not None and summary.startswith(quote, found):
        if (found, len(quote)) == (start - 1, end - start):
            repairs.note("span-1-based", "offsets begin at 1 and are moved to begin at 0")
        else:
            repairs.note("span-1-based-escaped", "1-based offsets that count an escaped quote once")
        return Span.cut(summary, found, found + len(quote), "response")
    line = quote.replace("\\n", "")
    found = locate(summary, line, 0)
    if found is None:
        repairs.note("span-unlocated", "a span that is not in the summary has no offsets")
        return quote
    repairs.note("span-searched", "offsets of no use: the span is searched without line breaks")
    return Span.cut(summary, found, found + len(line), "response")


def _unescaped(summary: str, start: int, end: int) -> int | None:
    """The place in the summary itself of a 1-based place in the summary without its escapes."""
    places = [place for place in range(len(summary) + 1) if summary[place - 1 : place + 1] != "\\'"]
    return places[start - 1] if 1 <= start <= end <= len(places) else None


def _number(text: object) -> int:
    return int(text) if isinstance(text, str) and text.isdecimal() else 0
