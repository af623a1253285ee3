"""From the nouns to the JSON objects of the codec, and back."""

from dataclasses import asdict

import msgspec
from msgspec import UNSET

from assay.core.decision import QUESTIONS, Answers, Interpretation, Sense
from assay.core.errors import InputError, SpanError
from assay.core.judgements import Author, Judgement, Manifest
from assay.core.labels import Label
from assay.core.taxonomies import taxonomy
from assay.core.texts import Side, Span
from assay.core.units import Link, Unit
from assay.core.verdicts import (
    NO_ATTRIBUTES,
    Attributes,
    ExternalEvidence,
    Failure,
    Outcome,
    Verdict,
)
from assay.core.wire import (
    AnswersRecord,
    AttributesRecord,
    AuthorRecord,
    ExternalRecord,
    FailureRecord,
    InterpretationRecord,
    JudgementRecord,
    LabelRecord,
    LinkRecord,
    ManifestRecord,
    ResponseRecord,
    SenseRecord,
    SpanRecord,
    UnitRecord,
    VerdictRecord,
)

DEEPEST = 20  # answers within the senses of answers


def judgement_record(
    judgement: Judgement, response: ResponseRecord | None = None
) -> JudgementRecord:
    """The record of a judgement; `response` is what its units add up to, for people who look."""
    menu = next((each.label.taxonomy for each in judgement.outcomes if each.label), "")
    said = {outcome.unit: outcome for outcome in judgement.outcomes}
    author = judgement.author
    return JudgementRecord(
        example=judgement.example,
        author=AuthorRecord(author.name, author.kind, author.version),
        taxonomy=menu,
        response=response,
        units=[unit_record(unit, said.get(unit.id), menu) for unit in judgement.units],
        source_characters=judgement.source_characters,
        characters_read=judgement.characters_read,
        at=judgement.at,
        round=judgement.round,
        supersedes=judgement.supersedes,
    )


def manifest_record(manifest: Manifest) -> ManifestRecord:
    """The record of a manifest."""
    return msgspec.convert(asdict(manifest), ManifestRecord)


def unit_record(unit: Unit, outcome: Outcome | None, menu: str) -> UnitRecord:
    """The record of a unit with what was said of it, in the labels of a menu."""
    is_whole = len(unit.spans) == 1 and unit.spans[0].text == unit.text
    return UnitRecord(
        id=unit.id,
        kind=unit.kind,
        text=unit.text,
        start=unit.start if is_whole else None,
        end=unit.end if is_whole else None,
        spans=[] if is_whole else [_span_record(span) for span in unit.spans],
        parent=unit.parent,
        link=_link_record(unit.link) if unit.link else None,
        verdict=_verdict_record(outcome, menu) if isinstance(outcome, Verdict) else None,
        failure=FailureRecord(outcome.reason, outcome.detail, outcome.raw)
        if isinstance(outcome, Failure)
        else None,
    )


def _link_record(link: Link) -> LinkRecord:
    cue = _span_record(link.cue) if link.cue else None
    return LinkRecord(link.name, link.first, link.second, cue)


def _verdict_record(verdict: Verdict, menu: str) -> VerdictRecord:
    error, attributes = verdict.error, verdict.attributes
    return VerdictRecord(
        label=_label_record(verdict.label, menu) if verdict.label else None,
        score=verdict.score,
        confidence=verdict.confidence,
        note=verdict.note,
        error=LabelRecord(error.taxonomy, error.name) if error else None,
        evidence=[_span_record(span) for span in verdict.evidence],
        external=[ExternalRecord(**asdict(each)) for each in verdict.external],
        answers=_answers_record(verdict.answers) if verdict.answers else None,
        interpretations=[
            InterpretationRecord(_label_record(each.label, menu), each.meaning)
            for each in verdict.interpretations
        ],
        attributes=None if attributes == NO_ATTRIBUTES else AttributesRecord(**asdict(attributes)),
        marks=[_span_record(span) for span in verdict.marks],
    )


def _label_record(label: Label, menu: str) -> str | LabelRecord:
    return label.name if label.taxonomy == menu else LabelRecord(label.taxonomy, label.name)


def _span_record(span: Span) -> SpanRecord:
    return SpanRecord(span.start, span.end, span.text)


def _answers_record(answers: Answers) -> AnswersRecord:
    senses = [SenseRecord(each.meaning, _answers_record(each.answers)) for each in answers.senses]
    given = {question: answers[question] for question in QUESTIONS}
    return AnswersRecord(**given, senses=senses or UNSET)


def read_judgement_record(record: JudgementRecord, origin: str) -> Judgement:
    """The judgement of a record; one that contradicts itself raises and says where."""
    try:
        return _judgement(record)
    except InputError as error:
        error.prefix(origin)
        raise


def _judgement(record: JudgementRecord) -> Judgement:
    _require_whole(record.units)
    outcomes = (_outcome(unit, record.taxonomy) for unit in record.units)
    return Judgement(
        example=record.example,
        author=Author(record.author.name, record.author.kind, record.author.version),
        units=tuple(read_unit_record(unit) for unit in record.units),
        outcomes=tuple(outcome for outcome in outcomes if outcome),
        source_characters=record.source_characters,
        characters_read=record.characters_read,
        at=record.at,
        round=record.round,
        supersedes=record.supersedes,
    )


def _require_whole(units: list[UnitRecord]) -> None:
    """Raises for a relation between units that are not there, and for a unit in itself."""
    ids = {unit.id for unit in units}
    for unit in units:
        for end in (unit.link.first, unit.link.second) if unit.link else ():
            if end not in ids:
                raise InputError(f"the relation '{unit.id}' links '{end}', which is not there")
    parents = {unit.id: unit.parent for unit in units if unit.parent}
    sound: set[str] = set()
    for start in parents:
        path: set[str] = set()
        each = start
        while each in parents and each not in sound:
            if each in path:
                raise InputError(f"the unit '{start}' is a part of itself")
            path.add(each)
            each = parents[each]
        sound |= path


def read_manifest_record(record: ManifestRecord) -> Manifest:
    """The manifest of a record."""
    return msgspec.convert(msgspec.to_builtins(record), Manifest)


def read_unit_record(record: UnitRecord) -> Unit:
    """The unit of a record."""
    if (record.start is None) != (record.end is None):
        raise InputError(f"the unit '{record.id}' has only one end of its place")
    if record.start is not None and record.end is not None:
        place = SpanRecord(record.start, record.end, record.text)
        spans: tuple[Span, ...] = (_span(place, "response"),)
    else:
        spans = tuple(_span(each, "response") for each in record.spans)
    link = _link(record.link) if record.link else None
    return Unit(record.id, record.kind, record.text, spans, record.parent, link)


def _link(record: LinkRecord) -> Link:
    cue = _span(record.cue, "response") if record.cue else None
    return Link(record.name, record.first, record.second, cue)


def _outcome(record: UnitRecord, menu: str) -> Outcome | None:
    said, failure = record.verdict, record.failure
    if failure:
        if said:
            raise InputError(f"'{record.id}' has both a verdict and a failure")
        return Failure(record.id, failure.reason, failure.detail, failure.raw)
    if said is None:
        return None
    attributes = said.attributes
    return Verdict(
        record.id,
        None if said.label is None else _label(said.label, menu),
        said.score,
        said.confidence,
        said.note,
        tuple(_span(each, "source") for each in said.evidence),
        tuple(
            ExternalEvidence(each.address, each.quote, each.title, each.time, each.digest)
            for each in said.external
        ),
        read_answers_record(said.answers) if said.answers else None,
        tuple(
            Interpretation(_label(each.label, menu), each.meaning) for each in said.interpretations
        ),
        _label(said.error, menu) if said.error else None,
        Attributes(**msgspec.structs.asdict(attributes)) if attributes else NO_ATTRIBUTES,
        tuple(_span(each, "response") for each in said.marks),
    )


def _label(record: str | LabelRecord, menu: str) -> Label:
    if isinstance(record, LabelRecord):
        return taxonomy(record.taxonomy)[record.label]
    return taxonomy(menu)[record]


def _span(record: SpanRecord, side: Side) -> Span:
    if record.end < record.start:
        raise SpanError(f"span {record.start}:{record.end} ends before it begins")
    if record.end - record.start != len(record.text):
        raise SpanError(
            f"span {record.start}:{record.end} does not fit its text of {len(record.text)} "
            "characters"
        )
    return Span(side, record.start, record.end, record.text)


def read_answers_record(record: AnswersRecord, depth: int = 1) -> Answers:
    """The answers of a record."""
    if depth > DEEPEST:
        raise InputError(f"answers are nested more than {DEEPEST} deep")
    senses = record.senses or []
    return Answers(
        **{question: getattr(record, question) for question in QUESTIONS},
        senses=tuple(
            Sense(each.meaning, read_answers_record(each.answers, depth + 1)) for each in senses
        ),
    )
