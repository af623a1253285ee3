"""After step 2 for the large model: what an adapter says of the sentences of training, to teach by.

    python -m training.label_large --prepared prepared-large --trained out/large --fold 0
        [--rank 16] [--rows own] [--parts 8] [--seconds 400] [--shares copied=0.2 ...]

Writes `soft-SET-ROWS-N.npz` beside the adapter, for the sets `train` and `unlabelled`: keys of
sentences (`training.soft`), three logits each, and the folds whose sources the adapter has not met.
`--rows own` are those whose source the fold kept apart, `others` those of the other folds, which
the adapter has met itself, and `free` those of no fold. The rows are labelled in parts; a part that
is there already is left alone, and no new one is begun after `--seconds`, so the same command takes
up where it was cut off. `--shares` leaves out some rows of large groups, always the same ones.

Several adapters that label the same rows are an ensemble: a student that is given all their files
learns from the mean of their chances.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from training.adapter import LargeNetwork, load_adapter, load_large
from training.arrays import load_arrays
from training.folds import FOLDS, allowed_rows
from training.rows import Rows
from training.soft import save_labels
from training.train import label
from training.train_large import BATCH

SEED = 5
SETS = ("train", "unlabelled")
ROWS = ("own", "others", "free")


def owners(masks: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The fold whose adapter labels each row: the first that keeps it apart, -1 where none does.

    >>> owners(np.array([0, 1, 6, 8], dtype=np.uint8)).tolist()
    [-1, 0, 1, 3]
    """
    bits = (masks[:, None] >> np.arange(FOLDS)) & 1
    return np.where(bits.any(axis=1), bits.argmax(axis=1), -1)


def chosen_rows(masks: NDArray[np.uint8], fold: int, which: str) -> NDArray[np.bool_]:
    """The rows of a kind, as the adapter of a fold sees them.

    >>> masks = np.array([0, 1, 2, 3], dtype=np.uint8)
    >>> [chosen_rows(masks, 0, which).tolist() for which in ("own", "others", "free")]
    [[False, True, False, True], [False, False, True, False], [True, False, False, False]]
    """
    if which == "free":
        return np.equal(masks, 0)
    if which == "own":
        return np.equal(owners(masks), fold) & np.greater(masks, 0)
    return np.greater(masks, 0) & allowed_rows(masks, fold)


def unseen_folds(trained: Path, fold: int) -> int:
    """A bit for each fold whose sources an adapter has not met: for a trunk all of them.

    The log of its training must say that it kept the fold apart.
    """
    path = trained / "log.json"
    if not path.is_file():
        raise ValueError(f"{path} is missing: measure the adapter by train_large --seconds 0 first")
    log = json.loads(path.read_text(encoding="utf-8"))
    if log["options"]["trunk"] == "True":
        return (1 << FOLDS) - 1
    if log["fold"] != fold:
        raise ValueError(f"{trained} kept fold {log['fold']} apart, not {fold}")
    return 1 << fold if fold >= 0 else 0


class Labelling:
    """The rows of one set that an adapter labels, part by part."""

    def __init__(self, name: str, options: argparse.Namespace) -> None:
        self._options, self._name = options, name
        self._rows = Rows(options.prepared / f"{name}.npz")
        folds = load_arrays(options.prepared / f"{name}-folds.npz")
        self._keys = folds["keys"]
        shares = {key: float(value) for key, _, value in (s.partition("=") for s in options.shares)}
        drawn = np.random.default_rng(SEED).random(len(self._rows)) < self._rows.wanted(shares)
        wanted = chosen_rows(folds["mask"], options.fold, options.rows)
        self._numbers = np.flatnonzero(drawn & wanted)
        self._unseen = unseen_folds(options.trained, options.fold)

    def path(self, part: int) -> Path:
        """The file of a part."""
        name = f"soft-{self._name}-{self._options.rows}-{part}.npz"
        return Path(self._options.trained / name)

    def missing(self) -> list[int]:
        """The parts that are still to be labelled."""
        parts = range(min(self._options.parts, len(self._numbers)))
        return [part for part in parts if not self.path(part).exists()]

    def label(self, part: int, network: LargeNetwork) -> None:
        """Labels a part."""
        numbers = self._numbers[part :: self._options.parts]
        said = label(network, self._rows, self._options.batch, exact=False, numbers=numbers)
        count = save_labels(
            self.path(part), self._rows, self._keys, numbers, said.logits, unseen=self._unseen
        )
        print(f"{self.path(part)}: {len(numbers):,} rows, {count:,} sentences", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--prepared", type=Path, required=True)
    add("--trained", type=Path, required=True, help="the folder of a stored adapter")
    add("--fold", type=int, required=True, choices=range(-1, FOLDS), help="that it kept apart")
    add("--rank", type=int, default=16)
    add("--batch", type=int, default=BATCH, help="tokens in a batch")
    add("--rows", choices=ROWS, help="own, or without a fold free")
    add("--parts", type=int, default=8, help="files of each set")
    add("--seconds", type=float, default=480.0, help="after which no further part is begun")
    add("--shares", nargs="*", default=[], help="GROUP=SHARE of the rows that are labelled")
    options = parser.parse_args(arguments)
    options.rows = options.rows or ("free" if options.fold < 0 else "own")
    began = time.time()
    sets = [Labelling(name, options) for name in SETS]
    work = [(each, part) for each in sets for part in each.missing()]
    if work:
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        network = load_large(options.prepared, options.rank, device)
        load_adapter(network, options.trained)
        if device.type == "cuda":
            network.compile_layers()
        for each, part in work:
            if time.time() - began < options.seconds:
                each.label(part, network.eval())
    left = sum(len(each.missing()) for each in sets)
    print(f"{left} parts are left: run it again" if left else "all parts are there", flush=True)


if __name__ == "__main__":
    main()
