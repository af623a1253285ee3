"""Leaderboards: how many responses of each LLM a detector called hallucinated.

FaithJudge's: a response that the judge called invalid counts as hallucinated, and the overall rate
is the sum of the four tasks' counts over all responses, not the mean of four rates.

Vectara's: the rate is the share of an LLM's summaries with an HHEM-2.1 score below 0.5; empty
summaries are left out, as are the summaries without a score.

Refusals count as the detector says on both. The counting is that of boards.
"""

from collections.abc import Iterator

from assay.datasets.corpora.faithjudge import JUDGE, TASKS
from assay.datasets.corpus import load_corpus
from assay.evaluation.levels import Counting, find_levels
from assay.evaluation.reproduce.cells import Figure
from assay.evaluation.reproduce.tables import ReleasedData
from assay.evaluation.responses import gather

DETECTOR = "hhem-2.1"
FAITHJUDGE = Counting(invalid="unfaithful", refusals="judged")
VECTARA = Counting(refusals="judged")
(LEVEL,) = find_levels(())


def leaderboard_figures(data: ReleasedData) -> Iterator[Figure]:
    """The count of each task and the overall rate in percent, for each LLM."""
    responses = gather(load_corpus("faithjudge-judged", data.root), [JUDGE.name])
    classes = responses.classes(JUDGE.name, LEVEL, FAITHJUDGE)
    by_task = {task: responses.counts(classes, task)[:, :2].tolist() for task in TASKS}
    whole = responses.counts(classes)[:, :2].tolist()
    for place, name in enumerate(responses.models):
        model = name.rpartition("/")[2]  # the leaderboard names a model without its maker
        for task, counts in by_task.items():
            hallucinated, faithful = counts[place]
            n = hallucinated + faithful
            yield Figure(model, f"{task} hallucinated", float(hallucinated), n)
        yield _rate(model, "overall rate", *whole[place])


def rate_figures(data: ReleasedData) -> Iterator[Figure]:
    """The rate of each LLM in percent."""
    responses = gather(load_corpus("leaderboard", data.root), [DETECTOR])
    counts = responses.counts(responses.classes(DETECTOR, LEVEL, VECTARA))[:, :2].tolist()
    for model, (hallucinated, faithful) in zip(responses.models, counts, strict=True):
        yield _rate(model, "hallucination rate", hallucinated, faithful)


def _rate(model: str, metric: str, hallucinated: int, faithful: int) -> Figure:
    n = hallucinated + faithful
    return Figure(model, metric, 100 * hallucinated / n if n else None, n)
