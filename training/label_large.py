"""After step 2 for the large model: what an adapter says of the sentences of training, to teach by.

    python -m training.label_large --prepared prepared-large --trained out/large --fold 0
        [--rank 16] [--shares copied=0.2 ...]

Writes `soft-train.npz` and `soft-unlabelled.npz` beside the adapter: keys of sentences
(`training.soft`) and three logits each. The adapter of a fold labels only the rows whose source
was kept apart from it; the adapter of all sources (-1) labels those of no fold, which it has met
itself. `--shares` leaves out some rows of large groups, always the same ones.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from training.adapter import LargeNetwork, load_adapter, load_large
from training.arrays import load_arrays
from training.folds import FOLDS
from training.rows import Rows
from training.soft import save_labels
from training.train import label
from training.train_large import BATCH

SEED = 5


def owners(masks: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The fold whose adapter labels each row: the first that keeps it apart, -1 where none does.

    >>> owners(np.array([0, 1, 6, 8], dtype=np.uint8)).tolist()
    [-1, 0, 1, 3]
    """
    bits = (masks[:, None] >> np.arange(FOLDS)) & 1
    return np.where(bits.any(axis=1), bits.argmax(axis=1), -1)


def label_rows(network: LargeNetwork, name: str, options: argparse.Namespace) -> None:
    """Labels the fold's own rows of a file."""
    rows = Rows(options.prepared / f"{name}.npz")
    folds = load_arrays(options.prepared / f"{name}-folds.npz")
    shares = {key: float(value) for key, _, value in (s.partition("=") for s in options.shares)}
    drawn = np.random.default_rng(SEED).random(len(rows)) < rows.wanted(shares)
    numbers = np.flatnonzero(drawn & (owners(folds["mask"]) == options.fold))
    if len(numbers):
        logits = label(network, rows, options.batch, exact=False, numbers=numbers).logits
        path = options.trained / f"soft-{name}.npz"
        count = save_labels(path, rows, folds["keys"], numbers, logits)
        print(f"{path}: {len(numbers):,} rows, {count:,} sentences", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--prepared", type=Path, required=True)
    add("--trained", type=Path, required=True, help="the folder of a stored adapter")
    add("--fold", type=int, required=True, choices=range(-1, FOLDS), help="that it kept apart")
    add("--rank", type=int, default=16)
    add("--batch", type=int, default=BATCH, help="tokens in a batch")
    add("--shares", nargs="*", default=[], help="GROUP=SHARE of the rows that are labelled")
    options = parser.parse_args(arguments)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    network = load_large(options.prepared, options.rank, device)
    load_adapter(network, options.trained)
    if device.type == "cuda":
        network.compile_layers()
    for name in ("train", "unlabelled"):
        label_rows(network.eval(), name, options)


if __name__ == "__main__":
    main()
