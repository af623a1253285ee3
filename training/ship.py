"""Step 3: put a trained network together in the form that is shipped.

    python -m training.ship --prepared prepared --trained out/student [--out MODEL]

Joins the weights with the embedding and the vocabulary and writes the card with their checksums.
Its calibration and its heads for evidence are placeholders until `training.calibrate` and
`training.point` have been run. `training.ship_large` does the same for the large model.
"""

import argparse
import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.detectors.embedded.detector import SHIPPED
from assay.detectors.embedded.folders import CARD
from assay.detectors.embedded.packing import stated_form
from training.arrays import Arrays, load_arrays, save_arrays

FILES = ("vocabulary.txt", "weights.npz")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--trained", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    arrays = collect_arrays(options.prepared, options.trained)
    save_arrays(options.out / "weights.npz", arrays)
    shutil.copyfile(options.prepared / "vocabulary.txt", options.out / "vocabulary.txt")
    layers = sum(name.endswith(".attention_norm") for name in arrays)
    parameters = count_parameters(arrays)
    card = {
        "name": "assay-embedded-2",
        "layers": layers,
        "parameters": parameters,
        "files": {name: checksum(options.out / name) for name in FILES},
        "calibration": {"scale": 1.0, "shift": 0.0},
        "evidence": {"heads": [[layers - 1, 0, 1.0]]},
    }
    write_card(options.out, card)
    size = sum(path.stat().st_size for path in options.out.iterdir())
    print(f"{layers} layers, {parameters:,} parameters, {size / 1e6:.1f} MB in {options.out}")


def collect_arrays(prepared: Path, trained: Path) -> Arrays:
    """The trained weights, and the base model's embedding, which is not trained."""
    arrays: Arrays = {}
    for path in sorted(trained.glob("weights-*.npz")):
        arrays |= load_arrays(path)
    base = load_arrays(prepared / "base-embedding.npz")
    return arrays | {name: base[name] for name in base if name.startswith("embedding.")}


def count_parameters(arrays: Arrays) -> int:
    """How many weights there are: codes have four bits or as many as are named; scales are none.

    >>> import numpy as np
    >>> count_parameters({"0.out.codes": np.zeros((4, 2)), "0.out.scale": np.zeros((4, 1))})
    16
    """
    bits, _ = stated_form(arrays)
    count = 0
    for name, array in arrays.items():
        if name != "bits" and not name.endswith((".scale", ".low")):
            count += array.size * 8 // bits if name.endswith(".codes") else array.size
    return count


def write_card(folder: Path, changes: dict[str, Any]) -> None:
    """Changes some entries of a model's card."""
    path = folder / CARD
    card = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    path.write_text(json.dumps(card | changes, indent=1) + "\n", encoding="utf-8")


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main()
