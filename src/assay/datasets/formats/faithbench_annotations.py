"""One annotation of a FaithBench batch as what a person says of a span, and back.

What becomes of each field:

- `annotator_name` is the author's name, and `annotator_id` the author's version.
- `summary_span` with its offsets is the unit, `source_span` with its offsets the evidence, `note`
  the note. Offsets that do not fit a quotation are corrected; those of the file are kept.
- `label` is the worst of the list; where there are several, all are interpretations. The list
  itself is kept where it has another order or another spelling than we would write.
- `annot_id`, and any field that we do not know, is kept.
- An annotation without a label gives no verdict. It is a failure for the reason `missing`, and its
  raw text is the annotation.

Kept fields are the verdict's attribute `original`; they are written again as long as they read as
the verdict does. What FaithBench has no field for (a second linked passage, the answers to the
decision tree, a label of another taxonomy) is the unit of our own codec in a field `assay`, which
is there only if it is needed, and is believed only as long as the fields beside it agree.
"""

import json
from dataclasses import replace
from typing import Annotated as Constrained
from typing import Any

import msgspec

from assay.core.codec import verify
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Author, Finding
from assay.core.labels import Coarse, Label
from assay.core.records import read_judgement_record, unit_record
from assay.core.taxonomies import FAITHBENCH
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.core.wire import AuthorRecord, JudgementRecord, UnitRecord
from assay.datasets.corpora.faithbench_marks import read_mark
from assay.datasets.corpus import Repairs
from assay.datasets.formats.originals import keep, kept, require_shape

Row = dict[str, Any]

FORM = "faithbench"
OURS = "assay"  # the field for what FaithBench has no field for
FIELDS = (
    *("annot_id", "annotator_id", "annotator_name", "label", "note"),
    *("summary_span", "summary_start", "summary_end"),
    *("source_span", "source_start", "source_end"),
)
# What a label of another taxonomy is called.
_CLASSES: dict[Coarse, str] = {
    "unfaithful": "unwanted",
    "not-sure": "questionable",
    "no-fact": "consistent",
    "faithful": "consistent",
}
_Place = Constrained[int, msgspec.Meta(ge=0)] | None


class AnnotationShape(msgspec.Struct):
    """The types of an annotation's fields; others are let through."""

    label: list[str]
    annot_id: int | str | None = None
    annotator_id: int | str | None = None
    annotator_name: str | None = None
    note: str | None = None
    summary_span: str | None = None
    summary_start: _Place = None
    summary_end: _Place = None
    source_span: str | None = None
    source_start: _Place = None
    source_end: _Place = None


def read_finding(number: int, row: Row, example: Example, author: Author) -> Finding:
    """The finding of an annotation, by its number; one that cannot be right raises."""
    return _recorded(row, example, author) or _read(number, row, example, author)


def _read(number: int, row: Row, example: Example, author: Author) -> Finding:
    summary = _quoted(row, "summary", example.response.text)
    source = _quoted(row, "source", example.source.text)
    finding = read_mark(number, {**row, **summary, **source}, example, Repairs())
    outcome = finding.outcome
    if isinstance(outcome, Failure):
        return Finding(finding.unit, replace(outcome, raw=json.dumps(row)))
    plain = _fields(finding, author, example)
    original = {name: row[name] for name in row if name not in plain or plain[name] != row[name]}
    attributes = replace(outcome.attributes, original=keep(FORM, original))
    return Finding(finding.unit, replace(outcome, attributes=attributes))


def _quoted(row: Row, side: str, text: str) -> Row:
    """The quotation of one side, cut out if only its place is given; one that is wrong raises."""
    quote, start, end = (row.get(f"{side}_{name}") for name in ("span", "start", "end"))
    if start is not None and end is not None and not start <= end <= len(text):
        raise InputError(f"{side} {start}:{end} does not fit a text of {len(text)} characters")
    if quote:
        if quote not in text:
            raise InputError(f"the {side} does not say {quote[:60]!r}")
        return {}
    is_placed = start is not None and end is not None and start < end
    return {f"{side}_span": text[start:end] if is_placed else None}


def _recorded(row: Row, example: Example, author: Author) -> Finding | None:
    """The finding in our own field, unless somebody has changed a field beside it since."""
    if OURS not in row:
        return None
    try:
        record = JudgementRecord(
            example.id, AuthorRecord(author.name), units=[msgspec.convert(row[OURS], UnitRecord)]
        )
        judgement = verify(read_judgement_record(record, "the annotation"), example)
    except (InputError, msgspec.ValidationError):
        return None
    [finding] = judgement.findings or [None]
    if finding is None:
        return None
    plain = _fields(finding, author, example)
    return finding if all(row.get(name) == plain[name] for name in plain) else None


def write_finding(number: int, finding: Finding, example: Example, author: Author) -> Row:
    """The annotation that says what an author says of a unit; reading it gives that back."""
    plain = _fields(finding, author, example)
    original = _original(finding.outcome)
    for row in ({**plain, **original}, {**plain, "annot_id": original.get("annot_id")}):
        if _means(row, number, finding, example, author):
            return _in_order(row)
    record = unit_record(finding.unit, finding.outcome, "")
    return {**_in_order(row), OURS: msgspec.to_builtins(record)}


def _original(outcome: Outcome) -> Row:
    if isinstance(outcome, Verdict):
        return kept(FORM, outcome.attributes.original)
    try:
        row = json.loads(outcome.raw) if outcome.raw else None
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) and row.get("label") == [] else {}


def _means(row: Row, number: int, finding: Finding, example: Example, author: Author) -> bool:
    """True if an annotation reads as the finding does."""
    try:
        require_shape(row, AnnotationShape)
        found = _read(number, row, example, author)
    except InputError:
        return False
    return found.unit == finding.unit and _bare(found.outcome) == _bare(finding.outcome)


def _bare(outcome: Outcome) -> Outcome:
    if isinstance(outcome, Failure):
        return replace(outcome, raw="") if _original(outcome) else outcome
    return replace(outcome, attributes=replace(outcome.attributes, original=""))


def _in_order(row: Row) -> Row:
    """The fields of FaithBench, then any other."""
    return {name: row.get(name) for name in FIELDS} | row


def _fields(finding: Finding, author: Author, example: Example) -> Row:
    """The fields of an annotation as they follow from the nouns, without an id."""
    unit = finding.unit
    start, end = unit.start, unit.end
    linked = finding.evidence[0] if finding.evidence else None
    return {
        "annotator_id": author.version or author.name,
        "annotator_name": author.name,
        "label": _names(finding.verdict) if finding.verdict else [],
        "note": finding.note if finding.verdict else "",
        "summary_span": (unit.text or None) if start is None else example.response.text[start:end],
        "summary_start": start,
        "summary_end": end,
        "source_span": linked.text if linked else None,
        "source_start": linked.start if linked else None,
        "source_end": linked.end if linked else None,
    }


def _names(verdict: Verdict) -> list[str]:
    """The list of labels as the release writes it: a class, then its kind."""
    several = tuple(each.label for each in verdict.interpretations)
    given = several or ((verdict.label,) if verdict.label else ())
    names: dict[str, None] = {}
    for label in map(_label, given):
        names |= dict.fromkeys(name.title() for name in (label.parent, label.name) if name)
    return list(names) or [_CLASSES[verdict.coarse].title()]


def _label(label: Label) -> Label:
    return label if label.taxonomy == FORM else FAITHBENCH[_CLASSES[label.coarse]]
