"""`nli`: any classifier of premise and hypothesis; the score is the probability of entailment.

A source that fits is read whole, as transformers' pipeline does. A longer one is read in chunks of
whole sentences, of which the one that bears the claim out best counts.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from assay.core.verdicts import Failure
from assay.detectors.local import LocalOptions
from assay.detectors.published.chunks import Chunk, Sentences, pack, sentence_places
from assay.detectors.published.kinds import ModelChoice
from assay.detectors.published.pairs import Entailment, PairReader, open_entailment
from assay.detectors.published.scores import Claim, Place, Scored


@dataclass(frozen=True, slots=True, eq=False)
class EntailmentClassifier:
    """A classifier of pairs, and which of its classes is entailment."""

    name: str
    version: str
    reader: PairReader
    entailed: int
    sentences: Sentences = sentence_places
    threshold: float = 0.5

    def score(self, claims: Sequence[Claim]) -> list[Scored | Failure]:
        """The probability of entailment by the best chunk of each source."""
        sources = {claim.source: _Source(self, claim) for claim in claims}
        chunks = [sources[claim.source].chunks(self.reader.room(claim.text)) for claim in claims]
        pairs = [
            (chunk.text, claim.text)
            for claim, own in zip(claims, chunks, strict=True)
            for chunk in own
        ]
        chances = iter(each[self.entailed] for each in self.reader.read(pairs))
        return [
            best_chunk(own, islice(chances, len(own))) if own else _too_long(claim)
            for claim, own in zip(claims, chunks, strict=True)
        ]


class _Source:
    """A source, and how many tokens its sentences have."""

    def __init__(self, scorer: EntailmentClassifier, claim: Claim) -> None:
        self._text = claim.source
        self._tokenizer = scorer.reader.network.tokenizer
        self._size = self._lengths([self._text])[0]
        self._places: list[Place] = []
        self._sizes: list[int] = []
        if self._size >= scorer.reader.room(""):
            self._places = list(scorer.sentences(self._text, claim.language))
            ends = [start for start, _ in self._places[1:]] + [len(self._text)]
            starts = [start for start, _ in self._places]
            self._sizes = self._lengths(  # with the space after each
                [self._text[start:end] for start, end in zip(starts, ends, strict=True)]
            )

    def chunks(self, room: int) -> list[Chunk]:
        """The source in as few parts as this room for tokens needs; none if there is no room."""
        if room < 1:
            return []
        if self._size <= room or not self._places:
            return [Chunk(self._text, (0, len(self._text)))]
        pieces = [
            piece
            for place, size in zip(self._places, self._sizes, strict=True)
            for piece in self._fitting(place, size, room)
        ]
        groups = pack([place for place, _ in pieces], [size for _, size in pieces], room)
        places = [(group[0][0], group[-1][1]) for group in groups]
        return [Chunk(self._text[start:end], (start, end)) for start, end in places]

    def _fitting(self, place: Place, size: int, room: int) -> Iterator[tuple[Place, int]]:
        """A sentence, or its halves and their halves until each fits."""
        start, end = place
        if size <= room or end - start < 2:
            yield place, size
            return
        middle = (start + end) // 2
        middle = max(self._text.find(" ", middle, end), middle)
        for half in ((start, middle), (middle, end)):
            yield from self._fitting(half, self._lengths([self._text[slice(*half)]])[0], room)

    def _lengths(self, texts: Sequence[str]) -> list[int]:
        encoded = self._tokenizer(list(texts), add_special_tokens=False)
        return [len(ids) for ids in encoded["input_ids"]]


def best_chunk(chunks: Sequence[Chunk], chances: Iterable[float]) -> Scored:
    """The score of the chunk that bears a claim out best."""
    score, chunk = max(zip(chances, chunks, strict=True), key=lambda pair: pair[0])
    if len(chunks) == 1:
        return Scored(score, note=f"Entailed with a probability of {score:.2f}.")
    note = f"Entailed with a probability of {score:.2f} by the best of {len(chunks)} chunks."
    return Scored(score, evidence=(chunk.place,), note=note)


def _too_long(claim: Claim) -> Failure:
    return Failure("", "too_long", f"A claim of {len(claim.text):,} characters does not fit.")


def open_nli(choice: ModelChoice, local: LocalOptions) -> EntailmentClassifier:
    """The classifier of a folder or hub name; `labels` names its classes in their order."""
    found: Entailment = open_entailment(choice, local)
    return EntailmentClassifier(
        choice.name, found.version, found.reader, found.number("entailment")
    )
