"""Hallucination rates of LLMs by a recorded detector, as Vectara's leaderboard computes them.

The rate is the share of an LLM's summaries with an HHEM-2.1 score below 0.5; empty summaries are
left out, as are the summaries without a score.
"""

from collections import Counter
from collections.abc import Iterator

from assay.core.examples import Example
from assay.core.verdicts import Verdict
from assay.datasets.corpus import load_corpus
from assay.evaluate.reproduce.cells import Figure
from assay.evaluate.reproduce.shelf import Shelf

JUDGE = "hhem-2.1"
THRESHOLD = 0.5


def rate_figures(shelf: Shelf) -> Iterator[Figure]:
    """The rate of each LLM in percent."""
    scored: Counter[str] = Counter()
    low: Counter[str] = Counter()
    for example in load_corpus("leaderboard", shelf.root):
        score = _score(example)
        if score is not None:
            scored[example.response.model] += 1
            low[example.response.model] += score < THRESHOLD
    for model, n in scored.items():
        yield Figure(model, "hallucination rate", 100 * low[model] / n, n)


def _score(example: Example) -> float | None:
    for outcome in example.recorded:
        if outcome.judge == JUDGE and isinstance(outcome, Verdict):
            return outcome.score
    return None
