"""How many verdicts of the large model change with the look of an item.

    python -m training.evaluate_looks --prepared prepared-large --trained out/large

Reads the logits in `looks/` that `training.train_large` wrote. A response is flagged below one
half; `changed` is the share that is flagged in one look and not in the plain one. Where the
question takes up a sentence, it takes up an unfaithful one if there is any. Writes `looks.json`.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assay.metrics import Estimate, Resampling, estimate_from_rows
from training.evaluate import RAGTRUTH, THRESHOLD, Estimator, Judged, Scores, read_logits, shown
from training.measured_looks import PLAIN


class LooksReport:
    """Figures of each look, over RAGTruth's responses and over the suite's sentences."""

    def __init__(self, scores: Scores, resampling: Resampling) -> None:
        self._scores, self._resampling = scores, resampling
        self._estimator = Estimator(resampling)

    def figures(self) -> dict[str, str]:
        """Balanced accuracy and the share that changed, look by look."""
        names = self._scores.groups()
        found = {}
        for look in dict.fromkeys(name.partition("|")[0] for name in names):
            for title, groups in (("ragtruth", RAGTRUTH), ("suite", self._kinds(names))):
                plain, own = (
                    self._scores.responses(*(f"{each}|{group}" for group in groups))
                    for each in (PLAIN, look)
                )
                found[f"{title}, {look}: BAcc"] = shown(self._estimator.accuracy(own))
                if look != PLAIN:
                    found[f"{title}, {look}: changed"] = shown(self._changed(plain, own))
        return found

    def _kinds(self, names: Sequence[str]) -> list[str]:
        groups = (name.partition("|")[2] for name in names)
        return [group for group in dict.fromkeys(groups) if group.startswith("suite-")]

    def _changed(self, plain: Judged, own: Judged) -> Estimate:
        differs = (plain.scores < THRESHOLD) != (own.scores < THRESHOLD)
        return estimate_from_rows(
            lambda rows: float(np.mean(differs[rows])),
            len(differs),
            groups=own.clusters,
            resampling=self._resampling,
        )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--trained", type=Path, required=True)
    parser.add_argument("--replicates", type=int, default=1_000, help="for the intervals")
    options = parser.parse_args(arguments)
    scores = Scores(options.prepared / "looks", read_logits(options.trained / "looks"), 1.0, 0.0)
    found = LooksReport(scores, Resampling(options.replicates)).figures()
    for name, text in found.items():
        print(f"- {name}: {text}")
    path = options.trained / "looks.json"
    path.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
