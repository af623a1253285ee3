"""Relevance: the passages of a source that matter for a selected part of a response.

Three signals are mixed: content words in common (BM25), names, numbers and dates in common, and
where the embedded network looks. The first two take milliseconds and need nothing but the texts.
The third needs the network's `SourceLooks`, which `EmbeddedDetector.look` makes once for a whole
response; without them the first two decide.

A selection may be a word or two, so the sentence around it counts as well, but less. The mixture
was chosen on people's links in one half of FaithBench's sources (`benchmarks/relevance.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.texts import Span
from assay.core.units import Unit
from assay.detectors.embedded.pointing import SourceLooks
from assay.text.evidence import SourceIndex
from assay.text.sentences import find_sentences, sentence_units

Reason = Literal["words", "names", "network"]

MOST = 8  # passages
LEAST_SHARE = 0.1  # of the best passage's, for a weight to be shown and for a signal to be a reason


@dataclass(frozen=True, slots=True)
class Mixture:
    """Weights of the mixture: names beside words, the network, and the context."""

    names: float = 0.1
    network: float = 0.5
    context: float = 0.3


CHOSEN = Mixture()


@dataclass(frozen=True, slots=True)
class Relevant:
    """A passage of the source, how much it matters, and which signals say so.

    The weight goes from 0 to 1 and means the same in every selection: half of it is the share of
    the selection's words that the passage has, half the share of the network's attention that it
    gets. Nothing comes close to 1 for a selection that the source says nothing about.
    """

    span: Span
    weight: float
    reasons: tuple[Reason, ...]


class Relevance:
    """The passages of one example's source, ranked for any number of selections of its response.

    Examples with the same source can share an `index`, which is what takes time to make.
    """

    def __init__(
        self, example: Example, index: SourceIndex | None = None, mixture: Mixture = CHOSEN
    ) -> None:
        self._response = example.response.text
        named = sentence_units(example)
        self._sentences = named or find_sentences(self._response, example.language)
        self._index = index or SourceIndex(example.source, example.language)
        self._mixture = mixture

    def for_span(
        self, start: int, end: int, looks: SourceLooks | None = None, most: int = MOST
    ) -> tuple[Relevant, ...]:
        """The passages that matter most for a part of the response, best first."""
        span = Span.cut(self._response, start, end, "response")
        return self.for_unit(Unit.at("span", span, ""), looks, most)

    def for_unit(
        self, unit: Unit, looks: SourceLooks | None = None, most: int = MOST
    ) -> tuple[Relevant, ...]:
        """The passages that matter most for a unit: its wording, and the sentences it lies in."""
        if most < 1:
            raise InputError(f"most must be 1 or more, not {most}", field="most")
        around = [each for each in self._sentences if _overlap(each.spans, unit.spans)]
        words, names = self._lexical(unit.text, " ".join(each.text for each in around))
        context = tuple(span for each in around for span in each.spans)
        network = self._network(looks, unit.spans, context)
        scores = words + self._mixture.names * names
        if network.any():
            share = self._mixture.network
            scores = (1 - share) * scores + share * network
        best = scores.max(initial=0)
        order = np.argsort(-scores, kind="stable")[:most].tolist()
        signals: dict[Reason, NDArray[np.float64]]
        signals = {"words": words, "names": names, "network": network}
        return tuple(
            Relevant(
                self._index.passages[number],
                round(min(float(scores[number]), 1.0), 4),
                tuple(name for name, values in signals.items() if _stands_out(values, number)),
            )
            for number in order
            if scores[number] > 0 and scores[number] >= LEAST_SHARE * best
        )

    def _lexical(self, text: str, context: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The words and the names of a selection that each passage has, as shares of its words.

        Names are those of the selection itself: its sentence has too many others.
        """
        index, weight = self._index, self._mixture.context
        whole = index.full_score(text) + weight * index.full_score(context)
        words = index.word_scores(text) + weight * index.word_scores(context)
        names = index.mention_scores(text)
        return (words / whole, names / whole) if whole else (words, names)

    def _network(
        self, looks: SourceLooks | None, places: Sequence[Span], context: Sequence[Span]
    ) -> NDArray[np.float64]:
        """The share of the attention that each passage gets; all are 0 where nothing was read."""
        count = len(self._index.passages)
        if looks is None:
            return np.zeros(count)
        found = looks.at(places, count) + self._mixture.context * looks.at(context, count)
        total = found.sum()
        return found / total if total else found


def _overlap(some: Sequence[Span], others: Sequence[Span]) -> bool:
    return any(one.overlaps(other) for one in some for other in others)


def _stands_out(values: NDArray[np.float64], number: int) -> bool:
    return bool(values[number] > 0 and values[number] >= LEAST_SHARE * values.max())
