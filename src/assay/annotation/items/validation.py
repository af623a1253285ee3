"""Rules that edits must follow to be saved: quotations match, labels are on the menus, sizes fit.

A draft may be unfinished, so nothing here asks for a label; `checks` does, before it is submitted.
"""

from collections.abc import Sequence
from itertools import pairwise
from urllib.parse import urlsplit

from assay.annotation.items.drafts import (
    MENUS,
    UnitEdit,
    given_attributes,
    places_of,
    read_label,
)
from assay.annotation.settings import ProjectSettings
from assay.core.codec import verify_unit
from assay.core.errors import InputError, SpanError
from assay.core.examples import Example
from assay.core.records import read_unit_record
from assay.core.texts import Span
from assay.core.verdicts import GIVEN_ATTRIBUTES
from assay.core.wire import (
    AnswersRecord,
    ExternalRecord,
    SpanRecord,
    UnitRecord,
    VerdictRecord,
)

MOST_EDITS = 500
MOST_UNITS = 2_000
MOST_SPANS = 200  # of a unit, and of its evidence
MOST_LINKS = 50
MOST_READINGS = 20
LONGEST_ID = 80
LONGEST_NOTE = 20_000  # characters
LONGEST_MEANING = 2_000
LONGEST_ADDRESS = 2_000
LONGEST_DRAFT = 4 * 2**20


def require_valid_edits(
    edits: Sequence[UnitEdit], example: Example, settings: ProjectSettings
) -> None:
    """Raises for the first edit that cannot be saved, and says what is wrong with it."""
    _require_count(len(edits), MOST_EDITS, "edits", "a change")
    if not edits:
        raise InputError("a change has at least one edit", field="changes")
    if len({each.id for each in edits}) < len(edits):
        raise InputError("a change names a unit twice", field="changes")
    for each in edits:
        if not 0 < len(each.id) <= LONGEST_ID or not each.id.isprintable():
            raise InputError(f"the id of a unit has 1 to {LONGEST_ID} characters", field="id")
        if each.unit is None:
            continue
        if each.unit.id != each.id:
            raise InputError(f"the unit '{each.unit.id}' is sent as '{each.id}'", field="id")
        try:
            _require_valid_unit(each.unit, example, settings)
        except InputError as error:
            error.prefix(f"'{each.id}'")
            raise


def require_valid_draft(units: Sequence[UnitRecord], size: int) -> None:
    """Raises for a draft that is too large or whose sentences overlap."""
    _require_count(len(units), MOST_UNITS, "units", "a draft")
    if size > LONGEST_DRAFT:
        raise InputError("the draft is too large", code="too-large", field="changes")
    places = sorted(place for unit in units if unit.kind == "sentence" for place in places_of(unit))
    for before, after in pairwise(places):
        if after[0] < before[1]:
            raise InputError(
                f"two sentences overlap at character {after[0]}", code="overlap", field="changes"
            )


def is_web_address(address: str) -> bool:
    """True of an http or https address."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and address.isprintable()


def _require_valid_unit(unit: UnitRecord, example: Example, settings: ProjectSettings) -> None:
    is_wanted = settings.has_sentences if unit.kind == "sentence" else settings.has_spans
    if unit.kind not in MENUS or not is_wanted:
        raise InputError(f"this project does not judge units of kind '{unit.kind}'", field="kind")
    if unit.failure or unit.link:
        raise InputError("a person's unit has neither a failure nor a link", field="unit")
    _require_count(len(unit.spans), MOST_SPANS, "spans", "a unit")
    _require_length(unit.text, len(example.response.text) + 1_000, "the text of a unit")
    _require_length(unit.parent, LONGEST_ID, "the id of a unit")
    if not all(start < end for start, end in places_of(unit) or ((0, 0),)):
        raise SpanError("it marks no words of the response")
    verify_unit(read_unit_record(unit), example.response.text)
    if unit.verdict:
        _require_valid_verdict(unit, unit.verdict, example)


def _require_valid_verdict(unit: UnitRecord, verdict: VerdictRecord, example: Example) -> None:
    if verdict.score is not None or verdict.confidence is not None or verdict.error:
        raise InputError("a person gives a label, and no score", field="verdict")
    if verdict.marks:
        raise InputError("marks are a detector's; a person marks a span", field="marks")
    if verdict.label is not None:
        read_label(verdict.label, unit.kind)
    _require_count(len(verdict.interpretations), MOST_READINGS, "interpretations", "a unit")
    for each in verdict.interpretations:
        read_label(each.label, unit.kind)
        _require_length(each.meaning, LONGEST_MEANING, "the meaning of a reading")
    _require_length(verdict.note, LONGEST_NOTE, "a note")
    _require_count(len(verdict.evidence), MOST_SPANS, "spans of evidence", "a unit")
    for span in verdict.evidence:
        _require_quotation(span, example.source.text)
    _require_count(len(verdict.external), MOST_LINKS, "links", "a unit")
    for link in verdict.external:
        _require_valid_link(link)
    if verdict.answers:
        _require_valid_answers(verdict.answers)
    said = verdict.attributes
    if said and said != given_attributes(said):
        message = f"of the attributes a person gives only {', '.join(GIVEN_ATTRIBUTES)}"
        raise InputError(message, field="attributes")


def _require_quotation(record: SpanRecord, source: str) -> None:
    if record.end <= record.start:
        raise SpanError("a span of evidence marks no words of the source")
    Span("source", record.start, record.end, record.text).verify(source)


def _require_valid_link(link: ExternalRecord) -> None:
    _require_length(link.address, LONGEST_ADDRESS, "an address")
    if not is_web_address(link.address):
        raise InputError(f"'{link.address[:100]}' is not an http or https address", field="address")
    _require_length(link.quote, LONGEST_NOTE, "a quotation")
    for text in (link.title, link.time, link.digest):
        _require_length(text, 1_000, "what is said of a link")


def _require_valid_answers(answers: AnswersRecord) -> None:
    senses = answers.senses or []
    _require_count(len(senses), MOST_READINGS, "readings", "a sentence")
    for each in senses:
        _require_length(each.meaning, LONGEST_MEANING, "the meaning of a reading")
        if each.answers.senses:
            raise InputError("a reading has no readings of its own", field="answers")


def _require_count(count: int, most: int, what: str, whole: str) -> None:
    if count > most:
        raise InputError(
            f"{whole} has at most {most:,} {what}, not {count:,}", code="too-large", field="changes"
        )


def _require_length(text: str, most: int, what: str) -> None:
    if len(text) > most:
        raise InputError(
            f"{what} has at most {most:,} characters, not {len(text):,}",
            code="too-large",
            field="changes",
        )
