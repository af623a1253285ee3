"""How well the word head finds the words that people marked in RAGTruth's responses.

    python -m training.evaluate_words --prepared prepared-large --trained out/fold-0 out/fold-1 ...

Each fold is measured on the sources it kept apart. A character is marked where the logit of its
token is above a threshold that was fitted on the other folds; `and the sentence` marks only
sentences that are called unfaithful as well. Precision, recall and F1 are over all characters of
all responses; an example counts as found if any character of it is marked.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.metrics import Resampling, estimate_from_rows
from training.arrays import load_arrays
from training.evaluate import THRESHOLD, read_calibration, shown
from training.folds import fold_of
from training.rows import Rows

GRID = np.round(np.arange(-3.0, 3.01, 0.1), 1)
Counts = NDArray[np.int64]
"""Characters marked by people, by us, and by both, and whether the response is unfaithful."""


@dataclass(frozen=True)
class Marked:
    """A sentence of a response: which characters people marked, and each character's logit."""

    example: int
    gold: NDArray[np.bool_]
    logits: NDArray[np.float32]
    score: float


class Fold:
    """The sentences of the sources that a run kept apart."""

    def __init__(self, prepared: Path, trained: Path, scale: float, shift: float) -> None:
        self.fold = int(json.loads((trained / "log.json").read_text(encoding="utf-8"))["fold"])
        lines = (prepared / "folds" / "development.jsonl").read_text(encoding="utf-8").splitlines()
        examples = [json.loads(line) for line in lines]
        rows = Rows(prepared / "folds" / "development.npz")
        said = load_arrays(trained / "folds" / "development.npz")
        logits = said["logits"].astype(np.float64)
        margin = logits[:, 0] - np.logaddexp(logits[:, 1], logits[:, 2])
        scores = 1 / (1 + np.exp(-(scale * margin + shift)))
        self.clusters = [each["cluster"] for each in examples]
        self.sentences: list[Marked] = []
        for row, number in enumerate(rows.arrays["example"]):
            if fold_of(examples[number]["cluster"]) == self.fold:
                self._read(rows, row, examples[number], said["words"], scores)

    def _read(
        self,
        rows: Rows,
        row: int,
        example: dict[str, list[str]],
        words: NDArray[np.float16],
        scores: NDArray[np.float64],
    ) -> None:
        marks = slice(int(rows.mark_starts[row]), int(rows.mark_ends[row]))
        lasts = rows.arrays["marks"][marks] - rows.begins[row] + rows.word_starts[row]
        first = int(rows.word_starts[row])
        places = rows.arrays["sentences"][marks]
        for last, place, score in zip(lasts, places, scores[marks], strict=True):
            text = example["sentences"][place]
            gold = np.zeros(len(text), dtype=bool)
            for start, end in example["wrong"][place]:
                gold[int(start) : int(end)] = True
            starts = rows.arrays["word_starts"][first : last + 1]
            found = np.full(len(text), -np.inf, dtype=np.float32)
            widths = np.diff(np.minimum(starts, len(text)))
            if len(widths):
                spread = np.repeat(words[first:last].astype(np.float32), widths)
                found[starts[0] : starts[0] + len(spread)] = spread
            number = int(rows.arrays["example"][row])
            self.sentences.append(Marked(number, gold, found, float(score)))
            first = int(last) + 1

    def counts(self, threshold: float, *, flagged: bool) -> dict[int, Counts]:
        """The counts of each response."""
        found: dict[int, Counts] = {}
        for each in self.sentences:
            marked = each.logits > threshold
            if flagged and each.score >= THRESHOLD:
                marked = np.zeros_like(marked)
            own = found.setdefault(each.example, np.zeros(3, dtype=np.int64))
            own += (each.gold.sum(), marked.sum(), (each.gold & marked).sum())
        return found


def f1_of(counts: NDArray[np.int64]) -> float | None:
    """F1 of characters, from the sums of their counts."""
    gold, marked, both = counts.sum(axis=0)
    return float(2 * both / (gold + marked)) if gold + marked else None


def example_f1(counts: NDArray[np.int64]) -> float | None:
    """F1 of responses in which anything is marked."""
    gold, marked = counts[:, 0] > 0, counts[:, 1] > 0
    together = gold.sum() + marked.sum()
    return float(2 * (gold & marked).sum() / together) if together else None


def best_threshold(folds: Sequence[Fold], *, flagged: bool) -> float:
    """The threshold with the highest F1 of characters."""
    found = []
    for threshold in GRID:
        counts = [list(fold.counts(threshold, flagged=flagged).values()) for fold in folds]
        found.append(f1_of(np.array([each for own in counts for each in own])) or 0.0)
    return float(GRID[int(np.argmax(found))])


def figures(folds: Sequence[Fold], resampling: Resampling, *, flagged: bool) -> dict[str, str]:
    """Figures over all folds, each at the threshold of the others."""
    rows: list[Counts] = []
    clusters: list[str] = []
    thresholds = []
    for number, fold in enumerate(folds):
        others = [*folds[:number], *folds[number + 1 :]] or [fold]
        thresholds.append(best_threshold(others, flagged=flagged))
        for example, counts in fold.counts(thresholds[-1], flagged=flagged).items():
            rows.append(counts)
            clusters.append(fold.clusters[example])
    counts = np.array(rows)
    gold, marked, both = counts.sum(axis=0)
    found = {
        name: shown(
            estimate_from_rows(
                lambda rows, statistic=statistic: statistic(counts[rows]),  # type: ignore[misc]
                len(counts),
                groups=clusters,
                resampling=resampling,
            )
        )
        for name, statistic in (("character F1", f1_of), ("example F1", example_f1))
    }
    found["character precision, recall"] = f"{both / max(marked, 1):.3f}, {both / max(gold, 1):.3f}"
    found["thresholds"] = ", ".join(f"{each:.1f}" for each in thresholds)
    found["threshold of all"] = f"{best_threshold(folds, flagged=flagged):.1f}"
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--trained", type=Path, nargs="+", required=True)
    parser.add_argument("--model", type=Path, help="whose calibration is used; none: as trained")
    parser.add_argument("--replicates", type=int, default=1_000, help="for the intervals")
    options = parser.parse_args(arguments)
    calibration = read_calibration(options.model)
    folds = [Fold(options.prepared, folder, *calibration) for folder in options.trained]
    report = {
        name: figures(folds, Resampling(options.replicates), flagged=flagged)
        for name, flagged in (("words alone", False), ("words and the sentence", True))
    }
    for name, found in report.items():
        for figure, text in found.items():
            print(f"- {name}: {figure} {text}")
    path = options.trained[0] / "words.json"
    path.write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
