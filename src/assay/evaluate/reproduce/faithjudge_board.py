"""FaithJudge's leaderboard: how many responses of each LLM its judge called hallucinated.

A response that the judge called invalid counts as hallucinated, and the overall rate is the sum of
the four tasks' counts over all responses, not the mean of four rates.
"""

from collections import Counter
from collections.abc import Iterator

from assay.core.verdicts import Failure, Outcome, Verdict
from assay.datasets.corpora.faithjudge import TASKS
from assay.datasets.corpus import load_corpus
from assay.evaluate.reproduce.cells import Figure
from assay.evaluate.reproduce.shelf import Shelf


def leaderboard_figures(shelf: Shelf) -> Iterator[Figure]:
    """The count of each task and the overall rate in percent, for each LLM."""
    judged: Counter[tuple[str, str]] = Counter()
    hallucinated: Counter[tuple[str, str]] = Counter()
    for example in load_corpus("faithjudge-judged", shelf.root):
        # The leaderboard names a model without its maker.
        key = example.response.model.rpartition("/")[2], example.task
        said = example.recorded[0]
        if isinstance(said, Verdict) or said.reason == "invalid":  # no other class is on its menu
            judged[key] += 1
            hallucinated[key] += _is_hallucinated(said)
    for model in dict.fromkeys(model for model, _ in judged):
        for task in TASKS:
            count, n = hallucinated[model, task], judged[model, task]
            yield Figure(model, f"{task} hallucinated", float(count), n)
        total = sum(judged[model, task] for task in TASKS)
        rate = 100 * sum(hallucinated[model, task] for task in TASKS) / total
        yield Figure(model, "overall rate", rate, total)


def _is_hallucinated(outcome: Outcome) -> bool:
    """Whether a response is counted against its LLM: unfaithful, or invalid."""
    if isinstance(outcome, Failure):
        return True
    return outcome.label is not None and outcome.label.coarse == "unfaithful"
