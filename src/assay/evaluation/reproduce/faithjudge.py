"""FaithJudge's tables on annotated responses, as far as the released data goes, and leaderboards.

Table 3 sets the judge's classes against the majority of FaithBench's annotators. What the judge
said of these summaries is not released, but the majority is, and so are the votes behind it: an
annotator who marked nothing votes consistent, the most frequent class is the label, and of equally
frequent ones the most severe. Tables 4 and 5 need the judges' replies, which are not released.

A leaderboard says how many responses of each LLM a detector called hallucinated. On FaithJudge's, a
response that the judge called invalid counts as hallucinated, and the overall rate is the sum of
the four tasks' counts over all responses, not the mean of four rates. On Vectara's, the rate is the
share of an LLM's summaries with an HHEM-2.1 score below 0.5; empty summaries are left out, as are
the summaries without a score. Refusals count as the detector says on both. The counting is that of
boards.
"""

from collections import Counter
from collections.abc import Iterator

from assay.core.readings import reading
from assay.datasets.corpora.faithjudge import JUDGE, TASKS
from assay.datasets.corpus import load_corpus
from assay.evaluation.gold import gold_labels
from assay.evaluation.levels import Counting, find_levels
from assay.evaluation.reproduce.cells import Figure
from assay.evaluation.reproduce.tables import ReleasedData
from assay.evaluation.responses import gather

CLASSES = ("unwanted", "questionable", "benign", "consistent")


def table3_figures(data: ReleasedData) -> Iterator[Figure]:
    """The number of summaries of each class: by the votes, and with the released labels."""
    votes = {
        each.id: label
        for each in data.load("faithbench-paper")
        for _, label in gold_labels(each, "response", "majority")
    }
    released = {
        each.id.removeprefix(f"{TASKS[0]}/"): label
        for each in data.load("faithjudge-peers")
        if each.example.task == TASKS[0]
        for _, label in gold_labels(each, "response", "corpus")
    }
    merged = reading("faithbench-classes")
    for metric, labels in (
        ("gold, majority of the votes", votes),
        ("gold, released where it is", {**votes, **released}),
    ):
        counts = Counter(merged(label) for label in labels.values())
        for name in CLASSES:
            count = sum(times for label, times in counts.items() if label == name)
            yield Figure(name, metric, float(count), len(labels))


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
