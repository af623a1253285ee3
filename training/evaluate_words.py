"""How well the word head finds the words that people marked in RAGTruth's responses.

    python -m training.evaluate_words --prepared prepared-large --trained out/fold-0 out/fold-1 ...
        --model MODEL

Each fold is measured on the sources it kept apart, as the detector marks words: in sentences that
are not surely faithful, at a cut that was fitted on the other folds. Precision, recall and F1 are
over all characters of all responses; an example counts as found if any character of it is marked.
The cut of all folds is written into the model's card.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.calibration import Calibration
from assay.detectors.embedded.folders import CARD
from assay.detectors.embedded.marking import JOIN, Marker
from assay.metrics import Resampling, estimate_from_rows
from training.arrays import load_arrays
from training.evaluate import shown
from training.folds import fold_of
from training.rows import Rows
from training.ship import write_card

GRID = np.round(np.arange(0.05, 0.96, 0.05), 2)
Counts = NDArray[np.int64]
"""Characters marked by people, by us, and by both."""


@dataclass(frozen=True)
class Marked:
    """A sentence of a response: which characters people marked, and each character's logit."""

    example: int
    text: str
    gold: NDArray[np.bool_]
    logits: NDArray[np.float32]
    is_open: bool  # not surely faithful

    def counts(self, marker: Marker) -> Counts:
        """How many characters are marked by people, by the marker, and by both."""
        marked = np.zeros_like(self.gold)
        if self.is_open:
            for start, end in marker.ranges(self.text, self.logits):
                marked[start:end] = True
        return np.array([self.gold.sum(), marked.sum(), (self.gold & marked).sum()])


class Fold:
    """The sentences of the sources that a run kept apart."""

    def __init__(self, prepared: Path, trained: Path, calibration: Calibration) -> None:
        self.fold = int(json.loads((trained / "log.json").read_text(encoding="utf-8"))["fold"])
        lines = (prepared / "folds" / "development.jsonl").read_text(encoding="utf-8").splitlines()
        examples = [json.loads(line) for line in lines]
        rows = Rows(prepared / "folds" / "development.npz")
        said = load_arrays(trained / "folds" / "development.npz")
        logits = said["logits"].astype(np.float64)
        margin = logits[:, 0] - np.logaddexp(logits[:, 1], logits[:, 2])
        scores = 1 / (1 + np.exp(-(calibration.scale * margin + calibration.shift)))
        is_open = scores < calibration.unsure[1]
        self.clusters = [each["cluster"] for each in examples]
        self.sentences: list[Marked] = []
        for row, number in enumerate(rows.arrays["example"]):
            if fold_of(examples[number]["cluster"]) == self.fold:
                self._read(rows, row, examples[number], said["words"], is_open)

    def _read(
        self,
        rows: Rows,
        row: int,
        example: dict[str, list[str]],
        words: NDArray[np.float16],
        is_open: NDArray[np.bool_],
    ) -> None:
        marks = slice(int(rows.mark_starts[row]), int(rows.mark_ends[row]))
        lasts = rows.arrays["marks"][marks] - rows.begins[row] + rows.word_starts[row]
        first = int(rows.word_starts[row])
        places = rows.arrays["sentences"][marks]
        for last, place, open_ in zip(lasts, places, is_open[marks], strict=True):
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
            self.sentences.append(Marked(number, text, gold, found, bool(open_)))
            first = int(last) + 1

    def counts(self, cut: float) -> dict[int, Counts]:
        """The counts of each response."""
        found: dict[int, Counts] = {}
        for each in self.sentences:
            own = found.setdefault(each.example, np.zeros(3, dtype=np.int64))
            own += each.counts(Marker(cut))
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


def best_cut(counted: Sequence[dict[float, dict[int, Counts]]]) -> float:
    """The cut with the highest F1 of characters, over some folds."""
    found = [
        f1_of(np.array([each for fold in counted for each in fold[cut].values()])) or 0.0
        for cut in GRID
    ]
    return float(GRID[int(np.argmax(found))])


def figures(folds: Sequence[Fold], resampling: Resampling) -> dict[str, str]:
    """Figures over all folds, each at the cut of the others."""
    counted = [{float(cut): fold.counts(float(cut)) for cut in GRID} for fold in folds]
    rows: list[Counts] = []
    clusters: list[str] = []
    cuts = []
    for number, fold in enumerate(folds):
        cuts.append(best_cut([*counted[:number], *counted[number + 1 :]] or counted))
        for example, counts in counted[number][cuts[-1]].items():
            rows.append(counts)
            clusters.append(fold.clusters[example])
    every = np.array(rows)
    gold, marked, both = every.sum(axis=0)
    found = {}
    for name, statistic in (("character F1", f1_of), ("example F1", example_f1)):
        found[name] = shown(
            estimate_from_rows(
                partial(_of_rows, statistic, every),
                len(every),
                groups=clusters,
                resampling=resampling,
            )
        )
    found["character precision, recall"] = f"{both / max(marked, 1):.3f}, {both / max(gold, 1):.3f}"
    found["cuts"] = ", ".join(f"{each:.2f}" for each in cuts)
    found["cut of all"] = f"{best_cut(counted):.2f}"
    return found


def _of_rows(
    statistic: Callable[[Counts], float | None], counts: Counts, rows: NDArray[np.intp]
) -> float | None:
    return statistic(counts[rows])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--trained", type=Path, nargs="+", required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--replicates", type=int, default=1_000, help="for the intervals")
    options = parser.parse_args(arguments)
    card = json.loads((options.model / CARD).read_text(encoding="utf-8"))
    calibration = Calibration.read(card["calibration"])
    folds = [Fold(options.prepared, folder, calibration) for folder in options.trained]
    report = figures(folds, Resampling(options.replicates))
    for figure, text in report.items():
        print(f"- {figure}: {text}")
    path = options.trained[0] / "words.json"
    path.write_text(json.dumps(report, indent=1), encoding="utf-8")
    write_card(options.model, {"marks": {"cut": float(report["cut of all"]), "join": JOIN}})


if __name__ == "__main__":
    main()
