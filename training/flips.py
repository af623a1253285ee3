"""After packing: which verdicts change sides between two forms of the same adapters.

    python -m training.flips --prepared prepared-large --first out/fold-0 --second out/six-0
        [--model MODEL]

Both are folders with logits that `training.train_large` wrote, several of each in the same order,
such as the folds as trained and as packed. Counts the responses and sentences of RAGTruth in their
own folds that lie on different sides of one half, calibrated as `--model` is.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from training.evaluate import RAGTRUTH, THRESHOLD, Floats, read_calibration
from training.evaluate_large import Trained, together


class Flips(NamedTuple):
    """How many of how many verdicts differ."""

    changed: int
    judged: int

    def __str__(self) -> str:
        return f"{self.changed} of {self.judged} ({self.changed / max(self.judged, 1):.1%})"


def flips(one: Floats, other: Floats) -> Flips:
    """The scores that lie on different sides of the threshold.

    >>> import numpy as np
    >>> print(flips(np.array([0.1, 0.6, 0.9]), np.array([0.2, 0.4, 0.8])))
    1 of 3 (33.3%)
    """
    return Flips(int(((one >= THRESHOLD) != (other >= THRESHOLD)).sum()), len(one))


def compare(first: Sequence[Trained], second: Sequence[Trained]) -> dict[str, Flips]:
    """The flips of responses and of sentences, all folds together."""
    sides = [[run.crossed for run in runs if run.crossed is not None] for runs in (first, second)]
    responses = [together([scores.responses(*RAGTRUTH) for scores in side]) for side in sides]
    sentences = [together([scores.labelled(*RAGTRUTH) for scores in side]) for side in sides]
    return {
        "responses": flips(*(judged.scores for judged in responses)),
        "sentences": flips(*(judged.scores for judged in sentences)),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--first", type=Path, nargs="+", required=True)
    parser.add_argument("--second", type=Path, nargs="+", required=True)
    parser.add_argument("--model", type=Path, help="whose calibration is used; none: as trained")
    options = parser.parse_args(arguments)
    calibration = read_calibration(options.model)
    runs = [
        [Trained(options.prepared, folder, calibration) for folder in folders]
        for folders in (options.first, options.second)
    ]
    if [run.fold for run in runs[0]] != [run.fold for run in runs[1]]:
        raise ValueError("the two sides do not have the same folds in the same order")
    for name, found in compare(*runs).items():
        print(f"{name}: {found}")


if __name__ == "__main__":
    main()
