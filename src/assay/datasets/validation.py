"""Is a corpus sound: its files, texts, ids, spans, labels and splits, each problem counted."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

from assay.core.errors import InputError, SpanError
from assay.core.examples import Example
from assay.core.spans import Span
from assay.core.taxonomies import TAXONOMIES
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.datasets.cards import Card
from assay.datasets.fields import check_text
from assay.datasets.files import Problem
from assay.datasets.presence import FileState

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
    "two-labels": "one judge gives one unit two labels",
    "split": "an example is of a split that the card does not name",
}
_PLACES = 5
Found = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Finding:
    """A kind of problem, how often it was found, and the first places."""

    name: str
    meaning: str
    count: int
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Validation:
    """What was read, how much of it has no gold label, and what is wrong with it."""

    examples: int
    unlabelled: int
    findings: tuple[Finding, ...]

    @property
    def problems(self) -> int:
        """All problems together."""
        return sum(finding.count for finding in self.findings)


def validate(
    examples: Iterable[Example | Problem],
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
    found = (Finding(n, MEANINGS[n], counts[n], tuple(places[n])) for n in MEANINGS if counts[n])
    return Validation(read.count, read.unlabelled, tuple(found))


class _Reader:
    """The items one after the other; what ends them early becomes the last item."""

    def __init__(self, items: Iterable[Example | Problem]) -> None:
        self.count = 0
        self.unlabelled = 0
        self._items = items

    def __iter__(self) -> Iterator[Example | Problem]:
        try:
            for item in self._items:
                if isinstance(item, Example):
                    self.count += 1
                    self.unlabelled += not any(verdict.label for verdict in item.gold)
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


def _examples(items: Iterable[Example | Problem], card: Card | None) -> Iterator[Found]:
    ids: set[str] = set()
    labels_of: dict[int, list[str]] = {}
    for item in items:
        if isinstance(item, Problem):
            yield "unreadable", str(item)
            continue
        if item.id in ids:
            yield "same-id", item.id
        ids.add(item.id)
        key = hash((item.source.text, item.question, item.response.text, item.response.model))
        labels = [verdict.label.name for verdict in item.gold if verdict.label]
        if key in labels_of:
            yield "same-texts" if labels_of[key] == labels else "other-labels", item.id
        labels_of.setdefault(key, labels)
        if card and item.split and item.split not in card.splits:
            yield "split", f"{item.id}: {item.split}"
        yield from _example(item)


def _example(example: Example) -> Iterator[Found]:
    """What is wrong with one example by itself."""
    if not example.id.strip():
        yield "no-id", repr(example.id)
    for name, text in (("source", example.source.text), ("response", example.response.text)):
        try:
            check_text(text, name)
        except InputError as error:
            yield f"{name}-text", f"{example.id}: {error}"
    yield from _passages(example)
    yield from _spans(example)
    yield from _labels(example)


def _passages(example: Example) -> Iterator[Found]:
    passages = example.source.passages
    for passage in passages:
        if not 0 <= passage.start <= passage.end <= len(example.source.text):
            yield "passage", f"{example.id}: {passage.name} {passage.start}:{passage.end}"
    for first, second in pairwise(passages):
        if second.start < first.start:
            yield "passage", f"{example.id}: {second.name} before {first.name}"


def _spans(example: Example) -> Iterator[Found]:
    for span in dict.fromkeys(_all_spans(example)):
        text = example.source.text if span.side == "source" else example.response.text
        try:
            span.verify(text)
        except SpanError as error:
            yield "span", f"{example.id}: {error}"


def _all_spans(example: Example) -> Iterator[Span]:
    outcomes = (*example.gold, *example.recorded)
    units: Iterable[Unit] = (*example.units, *(outcome.unit for outcome in outcomes))
    for unit in units:
        yield from unit.spans
    for outcome in outcomes:
        if isinstance(outcome, Verdict):
            yield from outcome.evidence


def _labels(example: Example) -> Iterator[Found]:
    given: dict[tuple[str, Unit], set[str]] = {}
    for verdict in example.gold:
        if verdict.label:
            menu = TAXONOMIES.get(verdict.label.taxonomy)
            if menu is None or verdict.label not in menu.labels:
                yield "label", f"{example.id}: {verdict.label.taxonomy} {verdict.label}"
            given.setdefault((verdict.judge, verdict.unit), set()).add(verdict.label.name)
    for (judge, unit), names in given.items():
        if len(names) > 1:
            said = " and ".join(sorted(names))
            yield (
                "two-labels",
                f"{example.id}: {judge or 'the corpus'} on {unit.text[:40]!r}: {said}",
            )
