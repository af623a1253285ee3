"""FaithJudge's tables on annotated responses, as far as the released data goes.

Table 3 sets the judge's classes against the majority of FaithBench's annotators. What the judge
said of these summaries is not released, but the majority is, and so are the votes behind it: an
annotator who marked nothing votes consistent, the most frequent class is the label, and of equally
frequent ones the most severe. Tables 4 and 5 need the judges' replies, which are not released.
"""

from collections import Counter
from collections.abc import Iterator

from assay.core.readings import reading
from assay.datasets.corpora.faithjudge import TASKS
from assay.evaluation.gold import gold_labels
from assay.evaluation.reproduce.cells import Figure
from assay.evaluation.reproduce.tables import ReleasedData

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


def judge_figures(data: ReleasedData) -> Iterator[Figure]:
    """Nothing: what the judges said of annotated responses is not released."""
    yield from ()
