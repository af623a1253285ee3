"""The parts of annotated examples that loaders share: units, sources, opinions, votes, predictions.

A detector whose predictions a corpus recorded has one name in all corpora.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2s
from typing import Any

from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Finding, Judgement
from assay.core.labels import Label, majority
from assay.core.taxonomies import BINARY
from assay.core.texts import Passage, Side, Source, Span
from assay.core.units import Unit, UnitKind, unit_id
from assay.core.verdicts import NO_ATTRIBUTES, Attributes, Failure, Verdict
from assay.datasets.corpora.raw_files import locate
from assay.datasets.corpus import Repairs

FAITHFUL, UNFAITHFUL = BINARY["faithful"], BINARY["unfaithful"]

FROM_MARKS = Attributes(from_marks=True)  # of a response whose author marks words

# A label of 1 or 0 as tables write it.
ONE_IS_FAITHFUL = {1: FAITHFUL, 0: UNFAITHFUL, "1": FAITHFUL, "0": UNFAITHFUL}

Opinion = tuple[Author, Finding]  # who says what of which unit


def annotate(example: Example, opinions: Iterable[Opinion]) -> Annotated:
    """The example with a judgement of each author, in the order in which they first speak.

    A judgement lists the units that it speaks of, each after the sentence that it is a part of.
    """
    said: dict[Author, list[Finding]] = {}
    for author, finding in opinions:
        said.setdefault(author, []).append(finding)
    known = {unit.id: unit for unit in example.units}
    return Annotated(
        example,
        tuple(
            Judgement(
                example.id,
                author,
                _units(findings, known),
                tuple(finding.outcome for finding in findings),
            )
            for author, findings in said.items()
        ),
    )


def _units(findings: list[Finding], known: dict[str, Unit]) -> tuple[Unit, ...]:
    units: dict[str, Unit] = {}
    for finding in findings:
        unit = finding.unit
        if unit.parent in known:
            units.setdefault(unit.parent, known[unit.parent])
        units.setdefault(unit.id, unit)
    return tuple(units.values())


def opinion(
    unit: Unit,
    label: Label | None = None,
    score: float | None = None,
    *,
    by: Author = GOLD,
    note: str = "",
    attributes: Attributes = NO_ATTRIBUTES,
) -> Opinion:
    """The opinion of an author on a unit, by default of the corpus itself."""
    return by, Finding(unit, Verdict(unit.id, label, score, note=note, attributes=attributes))


def person(name: str) -> Author:
    """An annotator of a corpus."""
    return Author(name, "person")


def in_own_words(note: str) -> str:
    """A note on one line; a single word names a kind of error and explains nothing.

    >>> in_own_words("The day\\nis wrong."), in_own_words("extrinsic")
    ('The day is wrong.', '')
    """
    words = note.split()
    return " ".join(words) if len(words) > 1 else ""


def text_id(text: str) -> str:
    """A short id that equal texts share, for sources to which the release gives none."""
    return blake2s(text.encode(errors="surrogatepass"), digest_size=6).hexdigest()


def join(pieces: Iterable[str], name: str, separator: str = "\n", id: str = "") -> Source:
    """A source that came as a list; each piece is a passage, numbered from 1.

    >>> join(["a: hi", "b: ho"], "utterance", id="1").passages[1]
    Passage(name='utterance 2', start=6, end=11)
    """
    passages: list[Passage] = []
    given = list(pieces)
    start = 0
    for number, text in enumerate(given, start=1):
        passages.append(Passage(f"{name} {number}", start, start + len(text)))
        start += len(text) + len(separator)
    whole_text = separator.join(given)
    return Source(whole_text, tuple(passages), id or text_id(whole_text))


def place_unit(kind: UnitKind, number: int, place: Span | str, parent: str = "") -> Unit:
    """A sentence or a mark with its number; one that was not found is only its text."""
    id = unit_id(kind, number, parent)
    if isinstance(place, Span):
        return Unit.at(kind, place, id, parent)
    return Unit(id, kind, place, parent=parent)


def find_sentences(text: str, sentences: Iterable[str], repairs: Repairs) -> Iterator[Unit]:
    """The sentences of a response where they stand, in order; one not found has no span."""
    position = 0
    for number, sentence in enumerate(sentences, start=1):
        start = locate(text, sentence, position)
        if start is None:
            repairs.note("sentence-unlocated", "a sentence is not in the response: it has no span")
            yield place_unit("sentence", number, sentence)
            continue
        position = start + len(sentence)
        yield place_unit("sentence", number, Span.cut(text, start, position, "response"))


def find_quote(
    whole: str, quote: Any, place: tuple[Any, Any], side: Side, repairs: Repairs
) -> Span | None:
    """The span of a quote; offsets that do not fit are corrected, a quote found nowhere is None."""
    start, end = place
    if not isinstance(quote, str):
        return None
    if quote and isinstance(start, int) and start >= 0 and whole.startswith(quote, start):
        if end != start + len(quote):
            repairs.note("end-corrected", "the end of a quote did not fit its length")
        return Span.cut(whole, start, start + len(quote), side)
    nearest = _nearest(whole, quote, start if isinstance(start, int) else 0)
    if nearest is None:
        repairs.note("quote-unlocated", "a quote is not in its text: it has no span")
        return None
    repairs.note("quote-moved", "a quote was not where its offsets say: the nearest place is taken")
    return Span.cut(whole, nearest, nearest + len(quote), side)


def _nearest(whole: str, quote: str, start: int) -> int | None:
    places = []
    found = locate(whole, quote)
    while found is not None:
        places.append(found)
        found = locate(whole, quote, found + 1)
    return min(places, key=lambda place: abs(place - start), default=None)


def with_majority(votes: Sequence[Opinion], repairs: Repairs) -> tuple[Opinion, ...]:
    """The majority of some annotators' opinions of one unit, then these; a tie is unfaithful."""
    labels = [finding.label for _, finding in votes if finding.label]
    if not labels:
        repairs.note("unjudged", "a unit that nobody judged has no verdict")
        return ()
    pooled = majority(labels)
    if 2 * labels.count(pooled) == len(labels):
        repairs.note("tie", "as many annotators for as against: the majority is unfaithful")
    return (opinion(votes[0][1].unit, pooled), *votes)


# A column of a release, in lower case and with hyphens -> the name of its detector.
SCORES = {
    "alignscore-base": "alignscore-base",
    "alignscore-large": "alignscore-large",
    "hhem-1": "hhem-1",
    "hhem-2-1": "hhem-2.1",
    "hhem-2-1-english": "hhem-2.1-english",
    "hhem-2.1": "hhem-2.1",
    "hhem-2.1-english": "hhem-2.1-english",
    "hhem-2.1-open": "hhem-2.1-open",
    "hhemv1": "hhem-1",
}
DECISIONS = {
    "gpt-3-5-turbo": "gpt-3.5-turbo",
    "gpt-3.5-turbo": "gpt-3.5-turbo",
    "gpt-4": "gpt-4",
    "gpt-4-turbo": "gpt-4-turbo",
    "gpt-4o": "gpt-4o",
    "minicheck-deberta-v3-large": "minicheck-deberta-v3-large",
    "minicheck-flan-t5-large": "minicheck-flan-t5-large",
    "minicheck-roberta-large": "minicheck-roberta-large",
    "o1-mini": "o1-mini",
    "o3-mini": "o3-mini",
    "true-nli": "true-nli",
    "trueteacher": "trueteacher",
}
# Those that ask an LLM. MiniCheck, TRUE and TrueTeacher are models of their own, whatever they
# were trained from.
ASKS = {
    name: f"openai/{name}"
    for name in ("gpt-3.5-turbo", "gpt-4", "gpt-4-turbo", "gpt-4o", "o1-mini", "o3-mini")
}


@dataclass(frozen=True, slots=True)
class RecordedColumn:
    """A column of predictions: a score in [0, 1], or a decision for 1 or 0."""

    name: str
    detector: str
    is_score: bool


def find_columns(names: Iterable[str]) -> tuple[RecordedColumn, ...]:
    """The columns that are predictions of a known detector.

    >>> find_columns(["summary", "HHEMv1", "gpt_4o"])[1]
    RecordedColumn(name='gpt_4o', detector='gpt-4o', is_score=False)
    """
    folded = {name: name.lower().replace("_", "-") for name in names}
    return tuple(
        RecordedColumn(name, SCORES.get(key) or DECISIONS[key], key in SCORES)
        for name, key in folded.items()
        if key in SCORES or key in DECISIONS
    )


def read_outcomes(
    unit: Unit, row: Mapping[str, Any], columns: Iterable[RecordedColumn]
) -> tuple[Opinion, ...]:
    """The opinion of each detector on a unit; a missing or unreadable prediction is a failure."""
    return tuple(
        read_score(unit, row.get(column.name), column.detector)
        if column.is_score
        else read_decision(unit, row.get(column.name), column.detector)
        for column in columns
    )


def read_score(unit: Unit, value: Any, name: str) -> Opinion:
    """The opinion of a detector that gives the probability of being faithful."""
    number = _number(value)
    if number is not None and 0 <= number <= 1:
        return opinion(unit, score=float(number), by=detector(name))
    return detector(name), Finding(unit, _failure(unit, value, "a score from 0 to 1"))


def read_decision(unit: Unit, value: Any, name: str, note: str = "") -> Opinion:
    """The opinion of a detector that says 1 for faithful and 0 for unfaithful."""
    number = _number(value)
    if number in (0, 1):
        return opinion(unit, BINARY.labels[int(number)], by=detector(name), note=note)
    return detector(name), Finding(unit, _failure(unit, value, "0 or 1"))


@cache
def detector(name: str) -> Author:
    """The detector of that name, whose version is not known."""
    return Author(name, "detector")


def _number(value: Any) -> Any:
    if not isinstance(value, str):
        return value if isinstance(value, int | float) else None
    try:
        return float(value)
    except ValueError:
        return None


def _failure(unit: Unit, value: Any, wanted: str) -> Failure:
    if value is None or value == "" or value != value:
        return Failure(unit.id, "missing", "no prediction was recorded")
    return Failure(unit.id, "parse", f"{value!r} is not {wanted}", raw=str(value))
