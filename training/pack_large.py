"""After step 2 for the large model: an adapter in the form that ships, four bits a weight or more.

    python -m training.pack_large --trained out/large --out out/large-packed [--bits 6]

Norms and head stay in 16 bits. `training.train_large` can start from the packed adapter as well,
to measure what the rounding changes.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from assay.detectors.embedded.packing import BITS, FORMS
from training.adapter import packed_adapter, read_adapter, save_parts


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trained", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--bits", type=int, choices=FORMS, default=BITS, help="a weight")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    save_parts(packed_adapter(read_adapter(options.trained), options.bits), options.out)
    size = sum(path.stat().st_size for path in options.out.glob("adapter-*.npz"))
    print(f"{size / 1e6:.1f} MB in {options.out}")


if __name__ == "__main__":
    main()
