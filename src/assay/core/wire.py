"""The JSON objects of the codec, field by field; the JSON Schema is made from them."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from assay.core.judgements import Parameter
from assay.core.units import UnitKind
from assay.core.verdicts import FailureReason

# What became of a check or a run; all but the first leave examples that were not judged.
EndState = Literal[
    "complete", "budget", "stopped", "interrupted", "terminated", "killed", "running", "new"
]

SCHEMA = "urn:assay:judgements:1"
EXAMPLE_SCHEMA = "urn:assay:example:1"

LEFT_OUT = UNSET  # a field that is not written
LARGEST = 2**53 - 1  # the integers that every reader of JSON keeps apart
Place = Annotated[int, Meta(ge=0, le=LARGEST)]  # in a text, in characters
Count = Annotated[int, Meta(ge=0, le=LARGEST)]


class _Record(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A JSON object; what is empty is left out, what is unknown is refused."""


class SpanRecord(_Record, omit_defaults=False):
    """A place in a text, with the text that stands there."""

    start: Place
    end: Place
    text: str


class LabelRecord(_Record, omit_defaults=False):
    """A label of another taxonomy than that of the judgement."""

    taxonomy: str
    label: str


class AnswersRecord(_Record, omit_defaults=False):
    """Answers to the questions of the decision tree; null is open."""

    states_fact: bool | None = None
    several_readings: bool | None = None
    entailed: bool | None = None
    explicit: bool | None = None
    contradicted: bool | None = None
    entailed_with_knowledge: bool | None = None
    senses: "list[SenseRecord] | UnsetType" = UNSET


class SenseRecord(_Record, omit_defaults=False):
    """One interpretation of a sentence, with the answers that hold for it."""

    meaning: str
    answers: AnswersRecord


class InterpretationRecord(_Record):
    """One interpretation of an ambiguous sentence and its label."""

    label: "str | LabelRecord"
    meaning: str = ""


class ExternalRecord(_Record):
    """Something outside the source that a verdict rests on."""

    address: str
    quote: str = ""
    title: str = ""
    time: str = ""
    digest: str = ""


class AttributesRecord(_Record):
    """Typed facts about a verdict beyond its label."""

    explanation: str = ""
    correction: str = ""
    instruction: str = ""
    category: str = ""
    cited: str = ""
    implicit_true: bool | None = None
    due_to_null: bool | None = None
    backend: str = ""
    consulted: str = ""
    decision: str = ""
    peers: Place | None = None
    nothing_found: bool | None = None
    proposal: str = ""
    unsure: bool | None = None
    from_marks: bool | None = None
    original: str = ""


class VerdictRecord(_Record):
    """An opinion; `label` is of the judgement's taxonomy unless it names its own."""

    label: str | LabelRecord | None = None
    score: float | None = None
    confidence: float | None = None
    note: str = ""
    error: LabelRecord | None = None
    evidence: list[SpanRecord] = []
    external: list[ExternalRecord] = []
    answers: AnswersRecord | None = None
    interpretations: list[InterpretationRecord] = []
    attributes: AttributesRecord | None = None
    marks: list[SpanRecord] = []


class FailureRecord(_Record):
    """The reason why a unit has no verdict; `raw` is the reply that could not be used."""

    reason: FailureReason
    detail: str = ""
    raw: str = ""


class LinkRecord(_Record):
    """The two claims that a relation links, by their ids."""

    name: str
    first: str
    second: str
    cue: SpanRecord | None = None


class UnitRecord(_Record):
    """A unit, and what was said of it.

    One that stands in the response word for word has `start` and `end`; another has `spans`.
    """

    id: Annotated[str, Meta(min_length=1)]
    kind: UnitKind
    text: str
    start: Place | None = None
    end: Place | None = None
    spans: list[SpanRecord] = []
    parent: str = ""
    link: LinkRecord | None = None
    verdict: VerdictRecord | None = None
    failure: FailureRecord | None = None


class AuthorRecord(_Record):
    """The author of a judgement."""

    name: str
    kind: Literal["person", "detector"] = "detector"
    version: str = ""


class ResponseRecord(_Record, omit_defaults=False):
    """The sum of the units. It follows from them, and is not read back."""

    label: str | None
    score: float | None
    coverage: float
    unsure: bool | UnsetType = UNSET


class JudgementRecord(_Record):
    """All that one author says of one example."""

    example: str
    author: AuthorRecord
    taxonomy: str = ""
    response: ResponseRecord | None = None
    units: list[UnitRecord] = []
    source_characters: Place = 0
    characters_read: Place = 0
    at: str = ""
    round: Annotated[int, Meta(ge=1, le=LARGEST)] = 1
    supersedes: str = ""


class ManifestRecord(_Record):
    """The description of a set of judgements."""

    author: AuthorRecord
    version: str = ""
    detector: str = ""
    unit_kind: UnitKind = "sentence"
    taxonomy: str = ""
    dataset: str = ""
    dataset_digest: str = ""
    split: str = ""
    examples: Count = 0
    sample: Count | None = None
    seed: int | None = None
    model: str = ""
    votes: Count = 1
    peers: str = ""
    knowledge: str = ""
    knowledge_digest: str = ""
    parameters: dict[str, Parameter] = {}
    prompt_digests: dict[str, str] = {}
    task: str = ""
    example_ids: list[str] = []


class ProblemRecord(_Record):
    """A row that could not be read."""

    where: str
    message: str


class EndingRecord(_Record):
    """The end of the judging; where it was cut off, the message says by what."""

    state: EndState
    message: str = ""


class StageUseRecord(_Record, omit_defaults=False):
    """The work of one part of a combined detector."""

    name: str
    examples: Count = 0
    units: Count = 0
    seconds: float = 0.0
    calls: Count = 0


class DocumentRecord(_Record):
    """A set of judgements in a file of its own."""

    schema: str
    assay: str
    manifest: ManifestRecord
    judgements: list[JudgementRecord] = []
    problems: list[ProblemRecord] = []
    ending: EndingRecord | None = None
    stages: list[StageUseRecord] = []


class CountsRecord(Struct):
    """The numbers of all rows, of results before this line, and of rows that cannot be read."""

    rows: Count
    judged: Count
    problems: Count


class EndRecord(Struct):
    """The last of several lines: the document without its judgements, which are on the others."""

    schema: str
    assay: str
    manifest: ManifestRecord
    problems: list[ProblemRecord]
    ending: EndingRecord
    counts: CountsRecord
    after: int | UnsetType = UNSET  # of a job: the position to ask on from


class JobRecord(Struct, frozen=True):
    """A job of a service: `done` examples are judged; `failures` counts units without a verdict.

    One that is `cancelling` runs and ends soon. `unread_rows` could not be read and are left out.
    """

    id: str
    detector: str
    state: str  # queued, running, done, failed or cancelled
    examples: int
    done: int
    failures: int
    created: str = ""
    started: str = ""
    ended: str = ""
    error: str = ""
    code: str = ""
    unread_rows: int = 0
    cancelling: bool = False


class AcceptedRecord(JobRecord, frozen=True):
    """A job that was accepted, and the first of the rows that could not be read."""

    problems: list[ProblemRecord] = []


class PassageRecord(_Record, omit_defaults=False):
    """A named part of a source."""

    name: str
    start: Place
    end: Place


class ExampleRecord(_Record):
    """An example on a line of its own, with all that was said about it."""

    schema: str
    id: str
    source: str
    response: str
    source_id: str = ""
    source_passages: list[PassageRecord] = []
    source_json: str = ""
    model: str = ""
    question: str = ""
    language: str | None = None
    split: str = ""
    task: str = ""
    units: list[UnitRecord] = []
    judgements: list[JudgementRecord] = []
    original: str = ""


def schema() -> dict[str, Any]:
    """The JSON Schema of a document; `$defs` also has the line of an example."""
    _, definitions = msgspec.json.schema_components(
        (DocumentRecord, ExampleRecord), ref_template="#/$defs/{name}"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA,
        "title": "A set of judgements by Assay",
        "$ref": "#/$defs/DocumentRecord",
        "$defs": definitions,
    }
