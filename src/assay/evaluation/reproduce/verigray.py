"""VeriGray's figures from the confusion matrices of its authors' statistics notebook.

The matrices are the data. The notebook prints the figures beside them, and the paper's Table 4 has
the same ones for another version of the labels: the matrices of the two detectors do not even
agree on how many sentences each label has.
"""

from collections.abc import Iterator

import numpy as np

from assay.core.readings import Reading, reading
from assay.core.taxonomies import BINARY, GRAY7
from assay.datasets.corpora.raw_files import RawRow, read_json
from assay.evaluation.reproduce.cells import Figure
from assay.evaluation.reproduce.tables import ReleasedData
from assay.metrics import from_confusion, merge_classes, ranking_loss_from_confusion, rates
from assay.metrics.arrays import Ints

THRESHOLDS = ("ambiguous", "no-fact", "out-dependent", "implicitly-supported")
RATES = {
    "balanced accuracy": rates.balanced_accuracy,
    "recall": rates.recall,
    "precision": rates.precision,
    "F1": rates.f1,
}


def notebook_figures(data: ReleasedData) -> Iterator[Figure]:
    """All that the notebook prints: four rates at four thresholds, ranking loss, macro F1."""
    for detector, matrix in _matrices(data):
        n = int(matrix.sum())
        for threshold in THRESHOLDS:
            merged = _merge(matrix, threshold)
            for name, rate in RATES.items():
                value = from_confusion(rate, merged)
                yield Figure(detector, f"{name} from {threshold}", value, int(merged.sum()))
        yield Figure(detector, "ranking loss", _ranking_loss(matrix), n)
        yield Figure(detector, "macro F1", from_confusion(rates.macro_f1, matrix), n)


def table4_figures(data: ReleasedData) -> Iterator[Figure]:
    """The paper's Table 4 in percent: predictions are faithful from implicitly-supported up."""
    for detector, matrix in _matrices(data):
        merged = _merge(matrix, THRESHOLDS[-1])
        for name, rate in RATES.items():
            value = from_confusion(rate, merged)
            yield Figure(detector, name, _percent(value), int(merged.sum()))
        loss = _percent(_ranking_loss(matrix))
        yield Figure(detector, "ranking loss", loss, int(matrix.sum()))


def _matrices(data: ReleasedData) -> Iterator[tuple[str, Ints]]:
    """Each detector's counts of annotation by prediction, in the paper's order of labels."""
    path = data.file("verigray/confusions.json")
    document = RawRow(read_json(path), path)
    places = {GRAY7[name]: place for place, name in enumerate(document["labels"])}
    order = [places[label] for label in GRAY7]
    for row in document.rows("figures"):
        yield row["detector"], np.asarray(row["matrix"], dtype=np.int64)[np.ix_(order, order)]


def _merge(matrix: Ints, threshold: str) -> Ints:
    """The matrix of two classes: gray annotations left out, predictions split at a threshold."""
    return merge_classes(
        matrix, rows=_numbers(reading("verigray")), columns=_numbers(reading(f"from-{threshold}"))
    )


def _ranking_loss(matrix: Ints) -> float | None:
    split = _numbers(reading("from-implicitly-supported"))
    return ranking_loss_from_confusion(merge_classes(matrix, columns=split))


def _numbers(table: Reading) -> list[int | None]:
    """The class of each label in a binary reading: 0 unfaithful, 1 faithful, None left out."""
    read = map(table, GRAY7)
    return [None if label is None else BINARY.labels.index(label) for label in read]


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value
