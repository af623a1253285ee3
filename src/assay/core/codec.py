"""Examples and judgements as JSON and back: the one form in which they are kept and exchanged.

A document has a head (schema, version of Assay, manifest) and judgements, one a line. A judgement
lists its units, and each unit carries its verdict, or the failure to reach one. Whatever is read
is checked here: types, labels on their menus, ids that exist, quotations that match their texts.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import IO, Any, Generic, TypeVar

import msgspec

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement, Manifest
from assay.core.records import (
    judgement_record,
    manifest_record,
    read_judgement_record,
    read_manifest_record,
    read_unit_record,
    unit_record,
)
from assay.core.rendering import read_source
from assay.core.stages import StageUses
from assay.core.texts import Passage, Response, Source
from assay.core.units import Unit
from assay.core.wire import (
    EXAMPLE_SCHEMA,
    SCHEMA,
    DocumentRecord,
    EndingRecord,
    EndRecord,
    EndState,
    ExampleRecord,
    JudgementRecord,
    ManifestRecord,
    PassageRecord,
    ProblemRecord,
    ResponseRecord,
)

T = TypeVar("T")


MOST_PROBLEMS = 100  # of the rows that could not be read, kept for the end of a document

_encoder = msgspec.json.Encoder()


class Reader(Generic[T]):
    """Reads JSON of one type; anything else raises and says where."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind
        self._decode = msgspec.json.Decoder(kind).decode

    def read(self, text: bytes | str, origin: str) -> T:
        """The value of a text; a database may give something else for a text, which is refused."""
        if not isinstance(text, bytes | str):
            kind = type(text).__name__
            raise InputError(f"{origin} is damaged: it is of type {kind}", code="damaged")
        try:
            return self._decode(text)
        except msgspec.ValidationError as error:
            raise InputError(f"{origin} is damaged: {error}", code="damaged") from None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            pass
        try:  # half a character that was escaped
            return msgspec.convert(loads(text), self._kind)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise InputError(f"{origin} is damaged: {error}", code="damaged") from None


def loads(text: bytes | str, *, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """JSON as Python's own parser reads it, but without the numbers that JSON does not have.

    `pairs` makes the value of an object from its names and values.
    """
    return json.loads(text, parse_constant=_finite, parse_float=_finite, object_pairs_hook=pairs)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a number that JSON can hold")
    return number


_judgements = Reader(JudgementRecord)
_manifests = Reader(ManifestRecord)
_documents = Reader(DocumentRecord)
_examples = Reader(ExampleRecord)
_ends = Reader(EndRecord)
_END = b'{"schema":'  # with which no judgement begins


def write_judgement(judgement: Judgement, response: ResponseRecord | None = None) -> bytes:
    """A judgement on one line of JSON."""
    return encode(judgement_record(judgement, response))


def write_manifest(manifest: Manifest) -> bytes:
    """A manifest on one line of JSON."""
    return encode(manifest_record(manifest))


def write_example(annotated: Annotated) -> bytes:
    """An example with all that was said about it, on one line of JSON."""
    return encode(example_record(annotated))


def example_record(annotated: Annotated) -> ExampleRecord:
    """The record of an example with all that was said about it."""
    example = annotated.example
    source = example.source
    return ExampleRecord(
        schema=EXAMPLE_SCHEMA,
        id=example.id,
        source=source.text,
        response=example.response.text,
        source_id=source.id,
        source_passages=[
            PassageRecord(each.name, each.start, each.end) for each in source.passages
        ],
        source_json=source.json,
        model=example.response.model,
        question=example.question,
        language=_stated_language(example),
        split=example.split,
        task=example.task,
        units=[unit_record(unit, None, "") for unit in example.units],
        judgements=[judgement_record(each) for each in annotated.judgements],
        original=example.original,
    )


def _stated_language(example: Example) -> str | None:
    is_assumed = example.language == "en" and not example.is_english_stated
    return None if is_assumed else example.language


class DocumentWriter:
    """Writes a document as judgements come; it is valid JSON whenever it is closed."""

    def __init__(self, stream: IO[str], manifest: Manifest, version: str) -> None:
        self._stream = stream
        self._separator = "\n"
        self._problems: list[ProblemRecord] = []
        self._ending = EndingRecord("stopped")  # until somebody knows better
        self._stages: StageUses = ()
        head = {"schema": SCHEMA, "assay": version, "manifest": manifest_record(manifest)}
        lines = (f'"{name}": {encode(value).decode()},\n' for name, value in head.items())
        stream.write("{\n" + "".join(lines) + '"judgements": [')

    def add(self, judgement: bytes) -> None:
        """Adds a judgement that `write_judgement` wrote."""
        self._stream.write(self._separator + judgement.decode())
        self._separator = ",\n"

    def add_problem(self, where: str, message: str) -> None:
        """Adds a row that could not be read; only the first ones are kept for the end."""
        if len(self._problems) < MOST_PROBLEMS:
            self._problems.append(ProblemRecord(where, message))

    def end(self, state: EndState, message: str = "") -> None:
        """Notes what ended the judging; a document that is not told this says `stopped`."""
        self._ending = EndingRecord(state, message)

    def add_stages(self, stages: StageUses) -> None:
        """Notes the work of each part of a combined detector."""
        self._stages = stages

    def close(self) -> None:
        """Ends the document."""
        rest: dict[str, Any] = {"problems": self._problems, "ending": self._ending}
        if self._stages:
            rest["stages"] = [each.to_dict() for each in self._stages]
        lines = ",\n".join(f'"{name}": {encode(value).decode()}' for name, value in rest.items())
        self._stream.write(f"\n],\n{lines}\n}}\n")
        self._stream.flush()


def encode(value: Any) -> bytes:
    """Any record as JSON."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:  # half a character in a reply, which JSON can only escape
        return json.dumps(msgspec.to_builtins(value)).encode()


def read_judgement(line: bytes | str, origin: str = "the record") -> Judgement:
    """The judgement on a line; a damaged one raises and says where."""
    return read_judgement_record(_judgements.read(line, origin), origin)


def require_judgement(line: bytes | str, origin: str) -> None:
    """Raises for a line that is no judgement; quicker than reading it."""
    _judgements.read(line, origin)


def read_manifest(line: bytes | str, origin: str = "the record") -> Manifest:
    """The manifest on a line; fields of later versions are refused, not lost."""
    return read_manifest_record(_manifests.read(line, origin))


def read_document(text: bytes, origin: str) -> tuple[Manifest, list[Judgement]]:
    """The manifest and the judgements of a document."""
    _require_schema(text, origin)
    record = _documents.read(text, origin)
    judgements = [read_judgement_record(each, origin) for each in record.judgements]
    return read_manifest_record(record.manifest), judgements


def read_end(line: bytes | str, origin: str) -> EndRecord:
    """The line after those of the judgements."""
    return _ends.read(line, origin)


def is_end(line: bytes) -> bool:
    """True if a line of an answer is its last one, and not a judgement."""
    return line.startswith(_END)


def read_example(line: bytes | str, origin: str = "the record") -> Annotated:
    """The example on a line, all quotations checked against its texts."""
    return _annotated(_examples.read(line, origin), origin)


def read_example_object(value: Mapping[str, object], origin: str = "the record") -> Annotated:
    """The same of JSON that was read already."""
    try:
        return _annotated(msgspec.convert(value, ExampleRecord), origin)
    except msgspec.ValidationError as error:
        raise InputError(f"{origin} is damaged: {error}", code="damaged") from None


def read_example_record(record: ExampleRecord, origin: str) -> Annotated:
    """The example of a record that was read from another form than JSON."""
    return _annotated(record, origin)


def _annotated(record: ExampleRecord, origin: str) -> Annotated:
    if record.schema != EXAMPLE_SCHEMA:
        raise InputError(f"{origin} has the form '{record.schema}', not '{EXAMPLE_SCHEMA}'")
    example = Example(
        id=record.id,
        source=_source(record, origin),
        response=Response(record.response, record.model),
        question=record.question,
        language="en" if record.language is None else record.language,
        units=tuple(read_unit_record(each) for each in record.units),
        split=record.split,
        task=record.task,
        is_english_stated=record.language == "en",
        original=record.original,
    )
    for unit in example.units:
        verify_unit(unit, example.response.text)
    said = tuple(verify(read_judgement_record(each, origin), example) for each in record.judgements)
    return Annotated(example, said)


def _source(record: ExampleRecord, origin: str) -> Source:
    """The source of a record; where it has JSON as well, both must say the same."""
    passages = tuple(Passage(each.name, each.start, each.end) for each in record.source_passages)
    source = Source(record.source, passages, record.source_id)
    if not record.source_json:
        return source
    try:
        rendered = read_source(loads(record.source_json))
    except (ValueError, RecursionError, InputError) as error:
        raise InputError(f"{origin} is damaged: its source_json: {error}", code="damaged") from None
    if rendered.text != source.text or not rendered.json:
        raise InputError(
            f"{origin} is damaged: its source_json is not the JSON of its source", code="damaged"
        )
    return replace(rendered, id=source.id)


def verify(judgement: Judgement, example: Example) -> Judgement:
    """The judgement, if it is about this example: quotations that do not match raise."""
    if judgement.example != example.id:
        raise InputError(f"a judgement of '{judgement.example}' is not about '{example.id}'")
    for unit in judgement.units:
        verify_unit(unit, example.response.text)
    for verdict in judgement.verdicts:
        for span in verdict.evidence:
            span.verify(example.source.text)
        for span in verdict.marks:
            span.verify(example.response.text)
    return judgement


def verify_unit(unit: Unit, response: str) -> None:
    """Raises where the response does not say what a unit quotes from it."""
    for span in unit.spans:
        span.verify(response)
    if unit.link and unit.link.cue:
        unit.link.cue.verify(response)


def _require_schema(text: bytes, origin: str) -> None:
    """Tells files of another form, or of another version, from damaged ones."""
    why = ""
    try:
        found = _schema_of(text)
    except (msgspec.MsgspecError, ValueError, KeyError, TypeError, RecursionError) as error:
        if SCHEMA.encode() in text[:100]:
            return  # it was one of ours, and whoever reads it says what is wrong with it
        found, why = None, f": it is not JSON ({error})" if isinstance(error, ValueError) else ""
    if not isinstance(found, str):
        raise InputError(
            f"{origin} holds no judgements of this version{why}", code="not-judgements"
        )
    if found != SCHEMA:
        raise InputError(f"{origin} has the form '{found}'; this version reads '{SCHEMA}'")


def _schema_of(text: bytes) -> object:
    try:
        head = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        return msgspec.json.decode(head["schema"])
    except msgspec.DecodeError:  # perhaps half a character that was escaped
        return loads(text)["schema"]
