"""Corpora and files of examples: counted, compared, converted, validated, reproduced."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.pooling import find_pool
from assay.core.problems import Problem
from assay.datasets.conversion import convert
from assay.datasets.corpus import Card, Corpus, Repairs, corpus_names, data_root, find_card
from assay.datasets.download import Fetched, FileState, download, file_states, presence
from assay.datasets.overlaps import Overlaps, find_overlaps
from assay.datasets.part_writing import rows_of_parts
from assay.datasets.selection import DataChoice, load
from assay.datasets.validation import Validation, validate
from assay.evaluation.corpora.label_changes import LabelChanges, compare_labels
from assay.evaluation.corpora.label_counts import response_label
from assay.evaluation.corpora.stats import CorpusStats, StatsCollector
from assay.evaluation.policy import OWN_POOL
from assay.evaluation.reproduce import reproduce
from assay.evaluation.reproduce.cells import read_published
from assay.evaluation.reproduce.tables import PublishedTable, find_tables

__all__ = ["OWN_POOL", "reproduce"]

OnProblem = Callable[[Problem], None]


@dataclass(frozen=True, slots=True)
class Counted:
    """The contents of a corpus or file, and the other corpora that share its sources."""

    name: str
    stats: CorpusStats
    overlaps: Overlaps | None
    repairs: Repairs
    card: Card | None


@dataclass(frozen=True, slots=True)
class Converted:
    """The number of examples written, and the origins of their labels."""

    examples: int
    repairs: Repairs
    labels: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Validated:
    """The defects of a corpus or file."""

    validation: Validation
    repairs: Repairs


@dataclass(frozen=True, slots=True)
class CorpusCard:
    """A corpus: its card, and how the files that are here compare with it."""

    card: Card
    presence: str
    folder: str
    files: tuple[FileState, ...] = ()

    def summary(self) -> dict[str, Any]:
        """The entry of a list, as plain JSON values."""
        card = self.card
        return {
            "name": card.name,
            "title": card.title,
            "unit_kind": card.unit_kind,
            "taxonomy": card.taxonomy,
            "licence": card.licence,
            "may_train": card.may_train,
            "protocol": asdict(card.protocol) if card.protocol else None,
            "presence": self.presence,
            "folder": self.folder,
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        fields = ("origin", "revision", "paper", "splits", "labels", "defects", "notes")
        details = {field: getattr(self.card, field) for field in fields}
        details["asks"] = dict(self.card.asks)
        return {**self.summary(), **details, "files": [asdict(file) for file in self.files]}


def list_corpora(folder: str | None = None) -> tuple[str, list[CorpusCard]]:
    """The folder in which corpora are expected, and the card of each."""
    return str(data_root(folder)), [_card(name, folder) for name in corpus_names()]


def show_corpus(name: str, folder: str | None = None) -> CorpusCard:
    """The card of a corpus, and its files."""
    found = _card(name, folder)
    return replace(found, files=file_states(found.card, folder))


def download_corpus(name: str, folder: str | None = None) -> tuple[Card, Iterator[Fetched]]:
    """The card of a corpus, and its files as they are downloaded, one after the other."""
    card = find_card(name)
    return card, download(card, folder)


def count_examples(
    choice: DataChoice, on_problem: OnProblem, *, overlap: bool = True, pool: str = ""
) -> Counted:
    """Counts everything in one pass; `overlap` compares the sources with all other corpora."""
    collector = StatsCollector(find_pool(pool or "corpus"))
    opened = choice.open()
    for each in _readable(choice, opened, on_problem):
        collector.add(each)
    shared = find_overlaps(collector.prints, choice.folder, choice.target) if overlap else None
    return Counted(choice.target, collector.stats(), shared, *_about(opened))


def compare_versions(old: DataChoice, new: DataChoice, pool: str = "") -> LabelChanges:
    """Which labels differ between two versions of a corpus or file; bad rows raise."""
    how = find_pool(pool or "corpus")
    versions = load(old.labelled()).annotated, load(new.labelled()).annotated
    return compare_labels(*versions, pool=how)


def convert_examples(
    choice: DataChoice, to: str, on_problem: OnProblem, *, rows_per_part: int | None = None
) -> Converted:
    """Writes the examples to a file whose name says its form, or in parts to a folder."""
    size = rows_of_parts(to, rows_per_part)
    opened = choice.open()
    origins: Counter[str] = Counter()

    def labelling(annotated: Annotated) -> tuple[str, str]:
        label, label_from = response_label(annotated)
        origins[label_from or "none"] += 1
        return label, label_from

    rows = _readable(choice, opened, on_problem)
    count = convert(rows, to, labelling, rows_per_part=size)
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


def _card(name: str, folder: str | None) -> CorpusCard:
    card = find_card(name)
    return CorpusCard(card, presence(card, folder), str(data_root(folder) / card.folder))


def _about(opened: object) -> tuple[Repairs, Card | None]:
    if isinstance(opened, Corpus):
        return opened.repairs, opened.card
    return Repairs(), None


def _readable(
    choice: DataChoice, opened: Iterable[Annotated | Problem], on_problem: OnProblem
) -> Iterator[Annotated]:
    """The chosen examples; rows that cannot be read are reported, and no example at all raises."""
    count = 0
    for item in choice.among(opened):
        if isinstance(item, Problem):
            on_problem(item)
        else:
            count += 1
            yield item
    if not count and choice.task:
        raise InputError(f"{choice.target} has no examples of task '{choice.task}'", field="task")
    if not count:
        raise InputError("the input has no examples")


def list_tables(names: Iterable[str] = ()) -> list[tuple[str, int, PublishedTable]]:
    """The tables that can be recomputed: name, number of cells, and what it is."""
    return [(name, len(read_published(name)), table) for name, table in find_tables(names).items()]
