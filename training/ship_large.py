"""For the large model: put a packed adapter into the package.

    python -m training.ship_large --packed out/large-packed --base QWEN.gguf [--out MODEL]
        [--heads out/large/heads.json]

Writes `adapter.npz` with all arrays of the packed adapter and the card with the checksums of it and
of the base. Its calibration is a placeholder until `training.calibrate` has been run for it.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from assay.detectors.embedded.detector import SHIPPED
from assay.detectors.embedded.packing import stated_form
from training.arrays import Arrays, load_arrays, save_arrays
from training.qwen import DIGEST, read_file
from training.ship import checksum, count_parameters, write_card

OUT = SHIPPED.parent / "large" / "model"
NAME = "assay-embedded-large-1"
WINDOW = 4_000


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packed", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--heads", type=Path, help="of `training.point_large`")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    arrays: Arrays = {}
    for path in sorted(options.packed.glob("adapter-*.npz")):
        arrays |= load_arrays(path)
    save_arrays(options.out / "adapter.npz", arrays)
    layers = int(read_file(options.base).shape["layers"])
    heads = [[layers - 1, 0, 1.0]]
    if options.heads:
        heads = json.loads(options.heads.read_text(encoding="utf-8"))["heads"]
    card = {
        "name": NAME,
        "layers": layers,
        "parameters": count_parameters(arrays),
        "bits": stated_form(arrays)[0],
        "base": {
            "file": options.base.name,
            "sha256": DIGEST,
            "bytes": options.base.stat().st_size,
        },
        "files": {"adapter.npz": checksum(options.out / "adapter.npz")},
        "window": WINDOW,
        "calibration": {"scale": 1.0, "shift": 0.0},
        "evidence": {"heads": heads},
        "languages": ["en"],  # until `training.evaluate_languages` has measured others
    }
    write_card(options.out, card)
    size = (options.out / "adapter.npz").stat().st_size
    print(f"{count_parameters(arrays):,} parameters, {size / 1e6:.1f} MB in {options.out}")


if __name__ == "__main__":
    main()
