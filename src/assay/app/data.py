"""Corpora and files of examples: counted, converted, validated."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.datasets.conversion import convert
from assay.datasets.corpus import Card, Corpus, Repairs
from assay.datasets.download import file_states
from assay.datasets.files import Problem
from assay.datasets.overlaps import Overlaps, find_overlaps
from assay.datasets.selection import DataChoice
from assay.datasets.validation import Validation, validate
from assay.evaluate.corpus_stats import CorpusStats, StatsCollector
from assay.evaluate.label_counts import response_label

OnProblem = Callable[[Problem], None]


@dataclass(frozen=True, slots=True)
class Counted:
    """What is in a corpus or file, and which other corpora share its sources."""

    name: str
    stats: CorpusStats
    overlaps: Overlaps | None
    repairs: Repairs
    card: Card | None


@dataclass(frozen=True, slots=True)
class Converted:
    """How many examples were written, and where their labels came from."""

    examples: int
    repairs: Repairs
    labels: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Validated:
    """What is wrong with a corpus or file."""

    validation: Validation
    repairs: Repairs


def count_examples(choice: DataChoice, on_problem: OnProblem, *, overlap: bool = True) -> Counted:
    """Counts everything in one pass; `overlap` compares the sources with all other corpora."""
    opened = choice.open()
    collector = StatsCollector()
    for each in _readable(opened, on_problem):
        collector.add(each)
    shared = find_overlaps(collector.prints, choice.folder, choice.target) if overlap else None
    return Counted(choice.target, collector.stats(), shared, *_about(opened))


def convert_examples(choice: DataChoice, to: str, on_problem: OnProblem) -> Converted:
    """Writes the examples to a file whose name says its form."""
    opened = choice.open()
    origins: Counter[str] = Counter()

    def labelling(annotated: Annotated) -> tuple[str, str]:
        label, label_from = response_label(annotated)
        origins[label_from or "none"] += 1
        return label, label_from

    count = convert(_readable(opened, on_problem), to, labelling)
    return Converted(count, _about(opened)[0], origins)


def validate_examples(choice: DataChoice) -> Validated:
    """Reads everything and counts what is wrong with it."""
    opened = choice.open()
    card = opened.card if isinstance(opened, Corpus) else None
    files = file_states(card, choice.folder) if card else ()
    return Validated(validate(opened, card, files), _about(opened)[0])


def repair_records(repairs: Repairs) -> list[dict[str, Any]]:
    """The repairs as plain JSON values."""
    return [
        {"name": name, "count": count, "meaning": repairs.meanings[name]}
        for name, count in repairs.counts.items()
    ]


def _about(opened: object) -> tuple[Repairs, Card | None]:
    if isinstance(opened, Corpus):
        return opened.repairs, opened.card
    return Repairs(), None


def _readable(items: Iterable[Annotated | Problem], on_problem: OnProblem) -> Iterator[Annotated]:
    """The examples; rows that cannot be read are told, and no example at all raises."""
    count = 0
    for item in items:
        if isinstance(item, Problem):
            on_problem(item)
        else:
            count += 1
            yield item
    if not count:
        raise InputError("the input has no examples")
