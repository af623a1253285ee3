"""Is a corpus sound: its files, texts, ids, spans, labels and splits, each problem counted."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from assay.core.errors import InputError, SpanError, UnknownNameError
from assay.core.examples import Annotated, Example
from assay.core.labels import Label
from assay.core.problems import Problem
from assay.core.taxonomies import taxonomy
from assay.core.texts import Span
from assay.core.units import Unit
from assay.datasets.corpus import Card
from assay.datasets.download import FileState
from assay.datasets.rows import check_text

MEANINGS = {
    "file-missing": "a file that the card names is not here",
    "file-differs": "a file is not the one that the card pins by its checksum",
    "unreadable": "a file or a row cannot be read",
    "no-examples": "nothing could be read",
    "no-id": "an example has no id",
    "same-id": "an example has the id of an earlier one",
    "same-texts": "an example repeats source, question, response and model of an earlier one",
    "other-labels": "an example repeats an earlier one like that, but with other labels",
    "source-text": "a source is empty or holds what is not text",
    "response-text": "a response is empty or holds what is not text",
    "passage": "a passage does not lie in its source, or begins before the one ahead of it",
    "span": "a span does not fit its text",
    "label": "a label is not on its menu",
    "two-labels": "one author gives one place two labels",
    "split": "an example is of a split that the card does not name",
}
_PLACES = 5
Found = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Defect:
    """A kind of problem, how often it was found, and the first places."""

    name: str
    meaning: str
    count: int
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Validation:
    """The number of examples read and of those without a gold label, and what is wrong."""

    examples: int
    unlabelled: int
    defects: tuple[Defect, ...]

    @property
    def problems(self) -> int:
        """All problems together."""
        return sum(defect.count for defect in self.defects)


def validate(
    examples: Iterable[Annotated | Problem],
    card: Card | None = None,
    files: Iterable[FileState] = (),
) -> Validation:
    """Reads everything and counts what is wrong; a file that breaks off is a problem too."""
    counts: Counter[str] = Counter()
    places: dict[str, list[str]] = {}
    read = _Reader(examples)
    for name, place in chain(_files(files), _examples(read, card), _emptiness(read)):
        counts[name] += 1
        if len(places.setdefault(name, [])) < _PLACES:
            places[name].append(place)
    found = (Defect(n, MEANINGS[n], counts[n], tuple(places[n])) for n in MEANINGS if counts[n])
    return Validation(read.count, read.unlabelled, tuple(found))


class _Reader:
    """The items one after the other; what ends them early becomes the last item."""

    def __init__(self, items: Iterable[Annotated | Problem]) -> None:
        self.count = 0
        self.unlabelled = 0
        self._items = items

    def __iter__(self) -> Iterator[Annotated | Problem]:
        try:
            for item in self._items:
                if isinstance(item, Annotated):
                    self.count += 1
                    self.unlabelled += not _gold_labels(item)
                yield item
        except InputError as error:
            yield Problem(f"after example {self.count}", str(error))


def _emptiness(read: _Reader) -> Iterator[Found]:
    if not read.count:
        yield "no-examples", "the whole input"


def _files(files: Iterable[FileState]) -> Iterator[Found]:
    for file in files:
        if file.state in ("missing", "differs"):
            yield f"file-{file.state}", file.path


def _examples(items: Iterable[Annotated | Problem], card: Card | None) -> Iterator[Found]:
    ids: set[str] = set()
    labels_of: dict[int, list[str]] = {}
    for item in items:
        if isinstance(item, Problem):
            yield "unreadable", str(item)
            continue
        if item.id in ids:
            yield "same-id", item.id
        ids.add(item.id)
        key, labels = _texts(item.example), _gold_labels(item)
        if key in labels_of:
            yield "same-texts" if labels_of[key] == labels else "other-labels", item.id
        labels_of.setdefault(key, labels)
        split = item.example.split
        if card and split and split not in card.splits:
            yield "split", f"{item.id}: {split}"
        yield from _example(item.example)
        yield from _spans(item)
        yield from _labels(item)


def _texts(example: Example) -> int:
    return hash(
        (example.source.text, example.question, example.response.text, example.response.model)
    )


def _gold_labels(item: Annotated) -> list[str]:
    return [verdict.label.name for said in item.gold for verdict in said.verdicts if verdict.label]


def _example(example: Example) -> Iterator[Found]:
    """The faults in the texts of one example."""
    if not example.id.strip():
        yield "no-id", repr(example.id)
    for name, text in (("source", example.source.text), ("response", example.response.text)):
        try:
            check_text(text, name)
        except InputError as error:
            yield f"{name}-text", f"{example.id}: {error}"
    yield from _passages(example)


def _passages(example: Example) -> Iterator[Found]:
    passages = example.source.passages
    for passage in passages:
        if not 0 <= passage.start <= passage.end <= len(example.source.text):
            yield "passage", f"{example.id}: {passage.name} {passage.start}:{passage.end}"
    for first, second in pairwise(passages):
        if second.start < first.start:
            yield "passage", f"{example.id}: {second.name} before {first.name}"


def _spans(item: Annotated) -> Iterator[Found]:
    for span in dict.fromkeys(_all_spans(item)):
        example = item.example
        text = example.source.text if span.side == "source" else example.response.text
        try:
            span.verify(text)
        except SpanError as error:
            yield "span", f"{item.id}: {error}"


def _all_spans(item: Annotated) -> Iterator[Span]:
    for units in (item.example.units, *(said.units for said in item.judgements)):
        for unit in units:
            yield from unit.spans
    for said in item.judgements:
        for verdict in said.verdicts:
            yield from verdict.evidence
            yield from verdict.marks


def _labels(item: Annotated) -> Iterator[Found]:
    for said in item.gold:
        given: dict[Unit, list[str]] = {}
        for finding in said.findings:
            label = finding.label
            if label is None:
                continue
            if not _is_on_its_menu(label):
                yield "label", f"{item.id}: {label.taxonomy} {label}"
            place = replace(finding.unit, id="")  # one place may be two units
            given.setdefault(place, []).append(label.name)
        for unit, names in given.items():
            if len(set(names)) > 1:
                words = " and ".join(sorted(set(names)))
                yield "two-labels", f"{item.id}: {said.author.name} on {unit.text[:40]!r}: {words}"


def _is_on_its_menu(label: Label) -> bool:
    try:
        return label in taxonomy(label.taxonomy).labels
    except UnknownNameError:
        return False
