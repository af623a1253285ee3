"""Metrics of predicted errors against the gold errors of the same text.

`Hits` counts either errors, from a matching, or characters or examples, from spans. The hits of
many examples are added before they are divided (micro average), so a long example weighs more.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Hits:
    """The errors found, out of those predicted and those there were to find.

    precision = found / predicted, recall = found / gold, F1 = 2 x found / (predicted + gold); each
    is None where its denominator is 0.

    >>> hits = Hits(found=1, predicted=2, gold=4)
    >>> hits.precision, hits.recall, round(hits.f1, 3)
    (0.5, 0.25, 0.333)
    """

    found: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float | None:
        """Share of the predicted errors that are right; None where nothing was predicted."""
        return self.found / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        """Share of the gold errors that were found; None where there is no gold."""
        return self.found / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of both; None where there is neither prediction nor gold."""
        total = self.predicted + self.gold
        return 2 * self.found / total if total else None


def add_hits(hits: Iterable[Hits]) -> Hits:
    """The hits of many examples taken together.

    >>> add_hits([Hits(1, 1, 2), Hits(0, 3, 0)])
    Hits(found=1, predicted=4, gold=2)
    """
    found = predicted = gold = 0
    for item in hits:
        found += item.found
        predicted += item.predicted
        gold += item.gold
    return Hits(found, predicted, gold)


def matching_hits(matches: Sequence[int | None], gold: int) -> Hits:
    """Errors found in one example, from the number of the gold error each prediction matches.

    `matches` has one entry for each predicted error: the gold error it describes (0 to `gold` - 1)
    or None. found = number of different gold errors matched: an error that is predicted twice
    counts once, and its repetition costs precision.
    Nothing predicted and no gold: all zeros, every rate is None.
    Reference: Fine-Grained Detection of Context-Grounded Hallucinations Using LLMs (FINAL), §C.

    >>> matching_hits([0, 0, None, 2], gold=3)
    Hits(found=2, predicted=4, gold=3)
    """
    found = {match for match in matches if match is not None}
    if any(not 0 <= match < gold for match in found):
        raise ValueError(f"matches {sorted(found)} name gold errors outside 0 to {gold - 1}")
    return Hits(len(found), len(matches), gold)


def character_hits(predicted: Iterable[Range], gold: Iterable[Range]) -> Hits:
    """Characters of one example that lie in predicted spans, in gold spans, and in both.

    Spans are half-open (start, end); a character in two overlapping spans of one side counts once.
    Nothing marked on either side: all zeros, every rate is None.
    Reference: Niu et al. 2024, RAGTruth, span-level evaluation.

    >>> character_hits([(0, 4), (2, 6)], [(5, 10)])
    Hits(found=1, predicted=6, gold=5)
    """
    first, second = list(predicted), list(gold)
    sizes = _covered(first), _covered(second)
    return Hits(sum(sizes) - _covered(first + second), *sizes)


def example_hits(predicted: Iterable[Range], gold: Iterable[Range]) -> Hits:
    """One example counted as a whole: it is marked if any of its characters is.

    found = 1 if both sides mark something, wherever it lies. An empty span marks nothing.
    Reference: Niu et al. 2024, RAGTruth, response-level evaluation.

    >>> example_hits([(0, 4)], [(5, 10)]), example_hits([], [(5, 10)])
    (Hits(found=1, predicted=1, gold=1), Hits(found=0, predicted=0, gold=1))
    """
    sides = int(_covered(predicted) > 0), int(_covered(gold) > 0)
    return Hits(min(sides), *sides)


def _covered(ranges: Iterable[Range]) -> int:
    """Characters in at least one of the ranges."""
    total = reached = 0
    for start, end in sorted(ranges):
        if not 0 <= start <= end:
            raise ValueError(f"a span must satisfy 0 <= start <= end, not {(start, end)}")
        total += max(end - max(start, reached), 0)
        reached = max(reached, end)
    return total
