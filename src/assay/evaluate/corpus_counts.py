"""Lengths of the texts of a corpus, and how much each of its judges said."""

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from assay.core.verdicts import Outcome, Verdict
from assay.text.sentences import split_sentences
from assay.text.words import words

MEASURES = ("characters", "words", "sentences")


@dataclass(frozen=True, slots=True)
class Spread:
    """Quartiles and the greatest of some lengths; None where there is nothing to measure."""

    n: int
    lower: float | None = None
    median: float | None = None
    upper: float | None = None
    greatest: int | None = None


@dataclass(frozen=True, slots=True)
class JudgeCount:
    """How much one annotator or recorded detector said."""

    judge: str
    verdicts: int
    failures: int
    labels: dict[str, int]


class LengthCounter:
    """Measures texts in characters, words and sentences."""

    def __init__(self) -> None:
        self._lengths: dict[str, dict[str, array[int]]] = {}

    def add(self, side: str, text: str, language: str) -> None:
        """Measures one text."""
        lengths = self._lengths.setdefault(side, {name: array("l") for name in MEASURES})
        sentences = len(split_sentences(text, language=language))
        for name, length in zip(MEASURES, (len(text), len(words(text)), sentences), strict=True):
            lengths[name].append(length)

    def spreads(self) -> dict[str, dict[str, Spread]]:
        """The spread of each measure, by side."""
        return {
            side: {name: spread(values) for name, values in lengths.items()}
            for side, lengths in self._lengths.items()
        }


def spread(values: "array[int]") -> Spread:
    """Quartiles by linear interpolation.

    >>> spread(array("l", [1, 2, 3, 10]))
    Spread(n=4, lower=1.75, median=2.5, upper=4.75, greatest=10)
    """
    if not values:
        return Spread(0)
    lower, median, upper = np.percentile(np.array(values), (25, 50, 75)).tolist()
    return Spread(len(values), lower, median, upper, max(values))


class JudgeCounter:
    """Counts what each judge said."""

    def __init__(self) -> None:
        self._said: dict[str, Counter[str]] = {}
        self._failures: Counter[str] = Counter()

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Counts some outcomes; a verdict without a label counts as one of a score only."""
        for outcome in outcomes:
            said = self._said.setdefault(outcome.judge, Counter())
            if isinstance(outcome, Verdict):
                said[outcome.label.name if outcome.label else "score only"] += 1
            else:
                self._failures[outcome.judge] += 1

    def counts(self) -> tuple[JudgeCount, ...]:
        """The judges, those who said the most first."""
        ordered = sorted(self._said.items(), key=lambda item: (-item[1].total(), item[0]))
        return tuple(
            JudgeCount(judge, said.total(), self._failures[judge], dict(said.most_common()))
            for judge, said in ordered
        )
