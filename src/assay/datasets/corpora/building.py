"""What loaders share to build examples: checked rows, units with spans, joined sources, votes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2s
from pathlib import Path
from typing import Any, TypeVar

from assay.core.errors import InputError
from assay.core.labels import majority
from assay.core.spans import Span
from assay.core.taxonomies import BINARY
from assay.core.texts import Passage, Source
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.datasets.corpora.reading import locate, need
from assay.datasets.repairs import Repairs

FAITHFUL, UNFAITHFUL = BINARY["faithful"], BINARY["unfaithful"]

T = TypeVar("T")


def items(value: Any, path: Path) -> list[Any]:
    """The value, if it is a list; otherwise raises."""
    if not isinstance(value, list):
        raise InputError(f"{path}: there must be a list, not {type(value).__name__}")
    return value


def some(rows: Iterable[T], path: Path) -> Iterator[T]:
    """The rows one after the other; a file without any raises."""
    is_empty = True
    for row in rows:
        is_empty = False
        yield row
    if is_empty:
        raise InputError(f"{path} has no rows")


def items_of(kind: type[T], value: Any, path: Path) -> list[T]:
    """The value, if it is a list of things of one kind; otherwise raises."""
    for each in items(value, path):
        if not isinstance(each, kind):
            found = type(each).__name__
            raise InputError(f"{path}: a list of {kind.__name__} holds a {found}")
    return list(value)


def need_texts(row: Any, fields: tuple[str, ...], path: Path) -> dict[str, Any]:
    """The row, if it is an object in which these fields are texts; otherwise raises."""
    for field in fields:
        value = need(row, fields, path)[field]
        if not isinstance(value, str):
            raise InputError(f"{path}: '{field}' must be text, not {type(value).__name__}")
    return need(row, fields, path)


def pick(menu: Mapping[Any, T], value: Any, path: Path) -> T:
    """What a value of the release stands for; one that is not on the menu raises."""
    try:
        return menu[value]
    except (KeyError, TypeError):
        choices = ", ".join(map(repr, menu))
        raise InputError(f"{path}: {value!r} is not one of {choices}") from None


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


def whole(text: str) -> Unit:
    """The whole response as one unit."""
    return Unit.at("response", Span.cut(text, 0, len(text), "response"))


def find_sentences(text: str, sentences: Iterable[str], repairs: Repairs) -> Iterator[Unit]:
    """The sentences of a response where they stand, in order; one not found has no span."""
    position = 0
    for sentence in sentences:
        start = locate(text, sentence, position)
        if start is None:
            repairs.note("sentence-unlocated", "a sentence is not in the response: it has no span")
            yield Unit("sentence", sentence)
            continue
        position = start + len(sentence)
        yield Unit.at("sentence", Span.cut(text, start, position, "response"))


def with_majority(votes: Sequence[Verdict], repairs: Repairs) -> tuple[Verdict, ...]:
    """The majority of some judges' verdicts on one unit, then these; a tie is unfaithful."""
    labels = [vote.label for vote in votes if vote.label]
    if not labels:
        repairs.note("unjudged", "a unit that nobody judged has no verdict")
        return ()
    pooled = majority(labels)
    if 2 * labels.count(pooled) == len(labels):
        repairs.note("tie", "as many judges for as against: the majority is unfaithful")
    return (Verdict(votes[0].unit, pooled), *votes)
