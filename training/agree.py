"""Step 6: does the shipped form say what the trained network says?

    python -m training.agree --prepared prepared --trained out/student [--count 500]
        [--corpora ragtruth faithbench] [--save out/shipped]

Runs the shipped model on real responses (RAGTruth's development part, then FaithBench) and
compares its verdicts with the logits that training wrote for the same rows. With `--save` it also
writes all logits, the shipped model's where it was run, for `training.evaluate` to measure.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.calibration import Calibration
from assay.detectors.embedded.detector import SHIPPED, Model
from assay.detectors.embedded.tokens import RESPONSE, SOURCE, TokenRow
from training.arrays import Arrays, load_arrays, save_arrays
from training.evaluate import THRESHOLD


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--trained", type=Path, required=True)
    parser.add_argument("--model", type=Path, default=SHIPPED)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--corpora", nargs="+", default=["ragtruth", "faithbench"])
    parser.add_argument("--save", type=Path)
    options = parser.parse_args(arguments)
    model = Model(options.model)
    calibration = Calibration.read(model.card["calibration"])
    arrays = load_arrays(options.prepared / "development.npz")
    trained = load_arrays(options.trained / "development.npz")["logits"]
    logits = trained.copy()
    pairs: list[Pair] = []
    read, began = 0, time.perf_counter()
    for number in rows_of(arrays, options.corpora)[: options.count]:
        row, marks = row_at(arrays, number)
        logits[marks] = model.network.forward(row).logits
        pairs.append(Pair(*(_entailed(each[marks], calibration) for each in (logits, trained))))
        read += len(row.tokens)
    speed = read / (time.perf_counter() - began)
    print(f"{compare(pairs)} {speed:.0f} tokens a second.")
    if options.save:
        options.save.mkdir(parents=True, exist_ok=True)
        save_arrays(options.save / "development.npz", {"logits": logits})


class Pair(NamedTuple):
    """How probably each sentence of a row is entailed: as shipped, and as trained."""

    shipped: NDArray[np.float64]
    trained: NDArray[np.float64]


def rows_of(arrays: Arrays, corpora: Sequence[str]) -> list[int]:
    """The rows of some corpora, one corpus after the other."""
    names = [str(name) for name in arrays["groups"]]
    found: list[int] = []
    for corpus in corpora:
        wanted = [number for number, name in enumerate(names) if name.startswith(corpus)]
        found += np.flatnonzero(np.isin(arrays["group"], wanted)).tolist()
    return found


def row_at(arrays: Arrays, number: int) -> tuple[TokenRow, slice]:
    """A prepared row as the shipped network reads it, and where its marks lie among all."""
    tokens = arrays["tokens"][_part(arrays["token_ends"], number)].astype(np.int32)
    place = _part(arrays["mark_ends"], number)
    start = int(np.flatnonzero(tokens == SOURCE)[0]) + 1
    stop = int(np.flatnonzero(tokens == RESPONSE)[0])
    return TokenRow(tokens, slice(start, stop), arrays["marks"][place].astype(np.intp)), place


def _part(ends: NDArray[np.int64], number: int) -> slice:
    return slice(int(ends[number - 1]) if number else 0, int(ends[number]))


def _entailed(logits: NDArray[np.float32], calibration: Calibration) -> NDArray[np.float64]:
    return np.array([calibration.chances(each)[0] for each in logits])


def compare(pairs: Sequence[Pair]) -> str:
    """How many verdicts differ, and by how much a probability does at most."""
    moved = sum(int(((ours >= THRESHOLD) != (theirs >= THRESHOLD)).sum()) for ours, theirs in pairs)
    changed = sum(
        bool((ours.min() >= THRESHOLD) != (theirs.min() >= THRESHOLD)) for ours, theirs in pairs
    )
    largest = max(float(np.abs(ours - theirs).max()) for ours, theirs in pairs)
    sentences = sum(len(pair.shipped) for pair in pairs)
    return (
        f"{changed} of {len(pairs)} responses and {moved} of {sentences} sentences change their"
        f" verdict; the largest change of a probability is {largest:.4f}."
    )


if __name__ == "__main__":
    main()
