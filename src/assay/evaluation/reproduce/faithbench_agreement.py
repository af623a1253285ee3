"""FaithBench's agreement of annotators, under its authors' convention and under the standard one.

Each annotator's worst class of a sample is a rating; an annotator who marked nothing in a sample
rated it consistent, and a class outside the reading is a missing rating. All 800 samples count, so
the raw files are read: the corpus `faithbench-paper` leaves out the 50 that the tables skip.

The authors take the classes as the numbers 0, 1, 2 (interval alpha), average over the 16 batches,
count a batch with one class only as 1, and see no class in a sub-label that lacks its parent. The
standard way is nominal alpha over all batches together, a sub-label being its parent.
"""

from collections.abc import Iterator

import numpy as np

from assay.datasets.corpora.faithbench import ANNOTATED, annotator_of, annotators_of
from assay.datasets.corpora.raw_files import RawRow, read_json, read_rows
from assay.evaluation.reproduce.cells import Figure
from assay.evaluation.reproduce.tables import ReleasedData
from assay.metrics import krippendorff_alpha
from assay.metrics.arrays import Floats, Ints

CLASSES = ("Consistent", "Benign", "Questionable", "Unwanted")
READINGS = {
    "consistent / unwanted": (0, np.nan, np.nan, 1),
    "consistent / benign / unwanted": (0, 1, np.nan, 2),
    "consistent + benign / questionable / unwanted": (0, 0, 1, 2),
}
Batch = tuple[list[RawRow], list[str]]


def agreement_figures(data: ReleasedData) -> Iterator[Figure]:
    """Krippendorff's alpha of three readings of the classes, in both ways."""
    batches = list(_read_batches(data))
    plain = [_ratings(*batch, parents=False) for batch in batches]
    merged = [_ratings(*batch, parents=True) for batch in batches]
    samples = sum(len(rows) for rows, _ in batches)
    for row, numbers in READINGS.items():
        scale = np.array(numbers, dtype=np.float64)
        alphas = [krippendorff_alpha(scale[table], level="interval") for table in plain]
        mean = float(np.mean([1.0 if alpha is None else alpha for alpha in alphas]))
        yield Figure(row, "alpha, authors' convention", mean, samples)
        pooled = krippendorff_alpha(_side_by_side([scale[table] for table in merged]))
        yield Figure(row, "alpha, nominal and pooled", pooled, samples)


def _read_batches(data: ReleasedData) -> Iterator[Batch]:
    """The samples of each batch and the annotators that count in it."""
    path = data.file("faithbench/paper_annotations/selection.json")
    folder = path.parent
    selected = RawRow(read_json(path), path)["selected_annotators"]
    for number in ANNOTATED:
        rows = list(read_rows(folder / f"batch_{number}_annotation.json"))
        everyone = annotators_of([row["annotations"] for row in rows])
        yield rows, list(selected.get(str(number)) or everyone)


def _ratings(rows: list[RawRow], annotators: list[str], *, parents: bool) -> Ints:
    """The worst class of each sample by each annotator, as places in `CLASSES`."""
    table = np.zeros((len(annotators), len(rows)), dtype=np.int64)
    for sample, row in enumerate(rows):
        for annotation in row["annotations"]:
            who = annotator_of(annotation)
            if who in annotators:
                place = annotators.index(who), sample
                table[place] = max(table[place], _worst(annotation["label"], parents))
    return table


def _worst(labels: list[str], parents: bool) -> int:
    names = [label.partition(".")[0] if parents else label for label in labels]
    return max((CLASSES.index(name) for name in names if name in CLASSES), default=0)


def _side_by_side(tables: list[Floats]) -> Floats:
    """One table of all units; raters who did not see a batch have no rating there."""
    raters = max(len(table) for table in tables)
    gaps = [((0, raters - len(table)), (0, 0)) for table in tables]
    padded = [
        np.pad(table, gap, constant_values=np.nan) for table, gap in zip(tables, gaps, strict=True)
    ]
    return np.hstack(padded)
