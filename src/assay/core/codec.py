"""Examples and judgements as JSON and back: the one form in which they are kept and exchanged.

A document has a head (schema, version of Assay, manifest) and judgements, one a line. A judgement
lists its units, and each unit carries its verdict, or the failure to reach one. Whatever is read
is checked here: types, labels on their menus, ids that exist, quotations that match their texts.
"""

import json
from dataclasses import asdict
from typing import IO, Any, Generic, TypeVar

import msgspec
from msgspec import UNSET

from assay.core.decision import Answers, Interpretation, Sense
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Judgement, Manifest
from assay.core.labels import Label
from assay.core.spans import Side, Span
from assay.core.taxonomies import taxonomy
from assay.core.texts import Passage, Response, Source
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
    EXAMPLE_SCHEMA,
    SCHEMA,
    AnswersRecord,
    AttributesRecord,
    AuthorRecord,
    DocumentRecord,
    ExampleRecord,
    ExternalRecord,
    FailureRecord,
    InterpretationRecord,
    JudgementRecord,
    LabelRecord,
    LinkRecord,
    ManifestRecord,
    PassageRecord,
    ProblemRecord,
    ResponseRecord,
    SenseRecord,
    SpanRecord,
    UnitRecord,
    VerdictRecord,
)

T = TypeVar("T")


_encoder = msgspec.json.Encoder()


class Reader(Generic[T]):
    """Reads JSON of one type; anything else raises and says where."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind
        self._decode = msgspec.json.Decoder(kind).decode

    def read(self, text: bytes | str, origin: str) -> T:
        """What a text holds."""
        try:
            return self._decode(text)
        except msgspec.ValidationError as error:
            raise InputError(f"{origin} is damaged: {error}") from None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            pass
        try:  # half a character that was escaped
            return msgspec.convert(json.loads(text), self._kind)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise InputError(f"{origin} is damaged: {error}") from None


_judgements = Reader(JudgementRecord)
_manifests = Reader(ManifestRecord)
_documents = Reader(DocumentRecord)
_examples = Reader(ExampleRecord)


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
        units=[_unit_record(unit, said.get(unit.id), menu) for unit in judgement.units],
        source_characters=judgement.source_characters,
        characters_read=judgement.characters_read,
        at=judgement.at,
        round=judgement.round,
        supersedes=judgement.supersedes,
    )


def manifest_record(manifest: Manifest) -> ManifestRecord:
    """The record of a manifest."""
    return msgspec.convert(asdict(manifest), ManifestRecord)


def write_judgement(judgement: Judgement, response: ResponseRecord | None = None) -> bytes:
    """A judgement on one line of JSON."""
    return encode(judgement_record(judgement, response))


def write_manifest(manifest: Manifest) -> bytes:
    """A manifest on one line of JSON."""
    return encode(manifest_record(manifest))


def write_example(annotated: Annotated) -> bytes:
    """An example with all that was said about it, on one line of JSON."""
    example = annotated.example
    source = example.source
    return encode(
        ExampleRecord(
            schema=EXAMPLE_SCHEMA,
            id=example.id,
            source=source.text,
            response=example.response.text,
            source_id=source.id,
            source_passages=[
                PassageRecord(each.name, each.start, each.end) for each in source.passages
            ],
            model=example.response.model,
            question=example.question,
            language=example.language,
            split=example.split,
            task=example.task,
            units=[_unit_record(unit, None, "") for unit in example.units],
            judgements=[judgement_record(each) for each in annotated.judgements],
        )
    )


class DocumentWriter:
    """Writes a document as judgements come; it is valid JSON whenever it is closed."""

    def __init__(self, stream: IO[str], manifest: Manifest, version: str) -> None:
        self._stream = stream
        self._separator = "\n"
        self._problems: list[ProblemRecord] = []
        head = {"schema": SCHEMA, "assay": version, "manifest": manifest_record(manifest)}
        lines = (f'"{name}": {encode(value).decode()},\n' for name, value in head.items())
        stream.write("{\n" + "".join(lines) + '"judgements": [')

    def add(self, judgement: bytes) -> None:
        """Adds a judgement that `write_judgement` wrote."""
        self._stream.write(self._separator + judgement.decode())
        self._separator = ",\n"

    def add_problem(self, where: str, message: str) -> None:
        """Adds a row that could not be read."""
        self._problems.append(ProblemRecord(where, message))

    def close(self) -> None:
        """Ends the document."""
        self._stream.write(f'\n],\n"problems": {encode(self._problems).decode()}\n}}\n')
        self._stream.flush()


def encode(value: Any) -> bytes:
    """Any record as JSON."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:  # half a character in a reply, which JSON can only escape
        return json.dumps(msgspec.to_builtins(value)).encode()


def _unit_record(unit: Unit, outcome: Outcome | None, menu: str) -> UnitRecord:
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
    )


def _label_record(label: Label, menu: str) -> str | LabelRecord:
    return label.name if label.taxonomy == menu else LabelRecord(label.taxonomy, label.name)


def _span_record(span: Span) -> SpanRecord:
    return SpanRecord(span.start, span.end, span.text)


def _answers_record(answers: Answers) -> AnswersRecord:
    senses = [SenseRecord(each.meaning, _answers_record(each.answers)) for each in answers.senses]
    return AnswersRecord(
        answers.states_fact,
        answers.several_readings,
        answers.entailed,
        answers.explicit,
        answers.contradicted,
        answers.entailed_with_knowledge,
        senses or UNSET,
    )


def read_judgement(line: bytes | str, origin: str = "the record") -> Judgement:
    """The judgement on a line; a damaged one raises and says where."""
    return _judgement(_judgements.read(line, origin), origin)


def read_manifest(line: bytes | str, origin: str = "the record") -> Manifest:
    """The manifest on a line; fields of later versions are refused, not lost."""
    return _manifest(_manifests.read(line, origin))


def read_document(text: bytes, origin: str) -> tuple[Manifest, list[Judgement]]:
    """The manifest and the judgements of a document."""
    _require_schema(text, origin)
    record = _documents.read(text, origin)
    judgements = [_judgement(each, origin) for each in record.judgements]
    return _manifest(record.manifest), judgements


def read_example(line: bytes | str, origin: str = "the record") -> Annotated:
    """The example on a line, all quotations checked against its texts."""
    record = _examples.read(line, origin)
    if record.schema != EXAMPLE_SCHEMA:
        raise InputError(f"{origin} has the form '{record.schema}', not '{EXAMPLE_SCHEMA}'")
    example = Example(
        id=record.id,
        source=Source(
            record.source,
            tuple(Passage(each.name, each.start, each.end) for each in record.source_passages),
            record.source_id,
        ),
        response=Response(record.response, record.model),
        question=record.question,
        language=record.language,
        units=tuple(_unit(each) for each in record.units),
        split=record.split,
        task=record.task,
    )
    for unit in example.units:
        verify_unit(unit, example.response.text)
    said = tuple(verify(_judgement(each, origin), example) for each in record.judgements)
    return Annotated(example, said)


def verify(judgement: Judgement, example: Example) -> Judgement:
    """The judgement, if it is about this example: quotations that do not match raise."""
    if judgement.example != example.id:
        raise InputError(f"a judgement of '{judgement.example}' is not about '{example.id}'")
    for unit in judgement.units:
        verify_unit(unit, example.response.text)
    for verdict in judgement.verdicts:
        for span in verdict.evidence:
            span.verify(example.source.text)
    return judgement


def verify_unit(unit: Unit, response: str) -> None:
    """Raises where the response does not say what a unit quotes from it."""
    for span in unit.spans:
        span.verify(response)
    if unit.link and unit.link.cue:
        unit.link.cue.verify(response)


def _require_schema(text: bytes, origin: str) -> None:
    """Tells files of another form, or of another version, from damaged ones."""
    try:
        found = _schema_of(text)
    except (msgspec.MsgspecError, ValueError, KeyError, TypeError, RecursionError):
        if SCHEMA.encode() in text[:100]:
            return  # it was one of ours, and whoever reads it says what is wrong with it
        found = None
    if not isinstance(found, str):
        raise InputError(
            f"{origin} holds no judgements of this version; write it again with assay check or "
            "assay runs export",
            code="not-judgements",
        )
    if found != SCHEMA:
        raise InputError(f"{origin} has the form '{found}'; this version reads '{SCHEMA}'")


def _schema_of(text: bytes) -> object:
    try:
        head = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        return msgspec.json.decode(head["schema"])
    except msgspec.DecodeError:  # perhaps half a character that was escaped
        return json.loads(text)["schema"]


def _judgement(record: JudgementRecord, origin: str) -> Judgement:
    _refuse_circles(record.units, origin)
    outcomes = (_outcome(unit, record.taxonomy, origin) for unit in record.units)
    return Judgement(
        example=record.example,
        author=Author(record.author.name, record.author.kind, record.author.version),
        units=tuple(_unit(unit) for unit in record.units),
        outcomes=tuple(outcome for outcome in outcomes if outcome),
        source_characters=record.source_characters,
        characters_read=record.characters_read,
        at=record.at,
        round=record.round,
        supersedes=record.supersedes,
    )


def _refuse_circles(units: list[UnitRecord], origin: str) -> None:
    parents = {unit.id: unit.parent for unit in units if unit.parent}
    for start in parents:
        seen, each = {start}, parents[start]
        while each in parents:
            if each in seen:
                raise InputError(f"{origin}: the unit '{start}' is a part of itself")
            seen.add(each)
            each = parents[each]


def _manifest(record: ManifestRecord) -> Manifest:
    return msgspec.convert(msgspec.to_builtins(record), Manifest)


def _unit(record: UnitRecord) -> Unit:
    if record.start is not None and record.end is not None:
        spans: tuple[Span, ...] = (Span("response", record.start, record.end, record.text),)
    else:
        spans = tuple(_span(each, "response") for each in record.spans)
    link = _link(record.link) if record.link else None
    return Unit(record.id, record.kind, record.text, spans, record.parent, link)


def _link(record: LinkRecord) -> Link:
    cue = _span(record.cue, "response") if record.cue else None
    return Link(record.name, record.first, record.second, cue)


def _outcome(record: UnitRecord, menu: str, origin: str) -> Outcome | None:
    said, failure = record.verdict, record.failure
    if failure:
        if said:
            raise InputError(f"{origin}: '{record.id}' has both a verdict and a failure")
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
        _answers(said.answers) if said.answers else None,
        tuple(
            Interpretation(_label(each.label, menu), each.meaning) for each in said.interpretations
        ),
        _label(said.error, menu) if said.error else None,
        Attributes(**msgspec.structs.asdict(attributes)) if attributes else NO_ATTRIBUTES,
    )


def _label(record: str | LabelRecord, menu: str) -> Label:
    if isinstance(record, LabelRecord):
        return taxonomy(record.taxonomy)[record.label]
    return taxonomy(menu)[record]


def _span(record: SpanRecord, side: Side) -> Span:
    return Span(side, record.start, record.end, record.text)


def _answers(record: AnswersRecord) -> Answers:
    senses = record.senses or []
    return Answers(
        record.states_fact,
        record.several_readings,
        record.entailed,
        record.explicit,
        record.contradicted,
        record.entailed_with_knowledge,
        tuple(Sense(each.meaning, _answers(each.answers)) for each in senses),
    )
