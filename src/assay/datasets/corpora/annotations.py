"""The parts of annotated examples that loaders share: units, joined sources, opinions and votes."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2s
from typing import Any

from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Finding, Judgement
from assay.core.labels import Label, majority
from assay.core.taxonomies import BINARY
from assay.core.texts import Passage, Side, Source, Span
from assay.core.units import Unit, UnitKind, unit_id
from assay.core.verdicts import NO_ATTRIBUTES, Attributes, Verdict
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
