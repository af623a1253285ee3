"""Leaderboards: how many responses of each LLM a detector called hallucinated.

FaithJudge's: a response that the judge called invalid counts as hallucinated, and the overall rate
is the sum of the four tasks' counts over all responses, not the mean of four rates.

Vectara's: the rate is the share of an LLM's summaries with an HHEM-2.1 score below 0.5; empty
summaries are left out, as are the summaries without a score.
"""

from collections import Counter
from collections.abc import Iterator

from assay.core.verdicts import Failure
from assay.datasets.corpora.faithjudge import TASKS
from assay.datasets.corpus import load_corpus
from assay.evaluation.reproduce.cells import Figure
from assay.evaluation.reproduce.tables import ReleasedData

DETECTOR = "hhem-2.1"
THRESHOLD = 0.5


def leaderboard_figures(data: ReleasedData) -> Iterator[Figure]:
    """The count of each task and the overall rate in percent, for each LLM."""
    judged: Counter[tuple[str, str]] = Counter()
    hallucinated: Counter[tuple[str, str]] = Counter()
    for each in load_corpus("faithjudge-judged", data.root):
        # The leaderboard names a model without its maker.
        key = each.example.response.model.rpartition("/")[2], each.example.task
        said = each.recorded[0].outcomes[0]
        if not isinstance(said, Failure) or said.reason == "invalid":  # nothing else is on its menu
            judged[key] += 1
            hallucinated[key] += isinstance(said, Failure) or said.coarse == "unfaithful"
    for model in dict.fromkeys(model for model, _ in judged):
        for task in TASKS:
            count, n = hallucinated[model, task], judged[model, task]
            yield Figure(model, f"{task} hallucinated", float(count), n)
        total = sum(judged[model, task] for task in TASKS)
        rate = 100 * sum(hallucinated[model, task] for task in TASKS) / total
        yield Figure(model, "overall rate", rate, total)


def rate_figures(data: ReleasedData) -> Iterator[Figure]:
    """The rate of each LLM in percent."""
    scored: Counter[str] = Counter()
    low: Counter[str] = Counter()
    for each in load_corpus("leaderboard", data.root):
        said = (one for one in each.recorded if one.author.name == DETECTOR)
        score = next((one.outcomes[0].score for one in said), None)
        model = each.example.response.model
        if score is not None:
            scored[model] += 1
            low[model] += score < THRESHOLD
    for model, n in scored.items():
        yield Figure(model, "hallucination rate", 100 * low[model] / n, n)
