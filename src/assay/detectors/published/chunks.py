"""Long sources in chunks of whole sentences, each with its place in the source.

The published methods find sentences with NLTK's Punkt model. It is used where it is installed, so
that chunks are those of the authors; elsewhere our own sentences take its place, and the version of
the detector says so.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from assay.detectors.published.scores import Place
from assay.text.sentences import split_sentences

Sentences = Callable[[str, str], Sequence[Place]]  # of a text and its language


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a source as a network is shown it, and its place in the source."""

    text: str
    place: Place


@cache
def _punkt() -> Callable[[str], list[Place]] | None:
    """NLTK's Punkt model for English, if the package and its data are here."""
    try:
        from nltk.tokenize import PunktTokenizer

        tokenizer = PunktTokenizer("english")
    except (ImportError, LookupError):
        return None
    return lambda text: list(tokenizer.span_tokenize(text))


def splitter_name() -> str:
    """The sentences that chunks are made of: `punkt` or `own`."""
    return "punkt" if _punkt() else "own"


def sentence_places(text: str, language: str = "en") -> list[Place]:
    """The places of the sentences of a text."""
    punkt = _punkt()
    if punkt:
        return punkt(text)
    return [(each.start, each.end) for each in split_sentences(text, "source", language)]


def pack(
    sentences: Sequence[Place], lengths: Sequence[int], most: int
) -> Iterator[Sequence[Place]]:
    """Groups of neighbouring sentences with at most so many words or tokens.

    A sentence that is longer is a group of its own.

    >>> list(pack([(0, 5), (6, 9), (10, 20)], [3, 2, 9], 5))
    [[(0, 5), (6, 9)], [(10, 20)]]
    """
    group: list[Place] = []
    size = 0
    for sentence, length in zip(sentences, lengths, strict=True):
        if group and size + length > most:
            yield group
            group, size = [], 0
        group.append(sentence)
        size += length
    if group:
        yield group


def line_places(
    source: str, language: str = "en", sentences: Sentences = sentence_places
) -> Iterator[Place]:
    """The sentences of each line, and the line breaks between lines."""
    start = 0
    for number, line in enumerate(source.split("\n")):
        if number:
            yield start - 1, start
        for first, last in sentences(line, language):
            yield start + first, start + last
        start += len(line) + 1


def line_chunks(
    source: str, places: Sequence[Place], lengths: Sequence[int], most: int
) -> Iterator[Chunk]:
    """The source in chunks; line breaks stay, other space between sentences is one blank."""
    for group in pack(places, lengths, most):
        joined = " ".join(source[start:end] for start, end in group)
        text = joined.replace(" \n ", "\n").strip()
        if text:
            yield Chunk(text, (group[0][0], group[-1][1]))
