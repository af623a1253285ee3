"""After step 2 for the large model: one adapter from several that grew from the same trunk.

    python -m training.average_large --trained out/fold-0 out/fold-1 --out out/large

The runs of a cross-validation start from one trunk and stay near it, so the mean of their weights
is a network like them, which has met the sources of all of them. Of a word head that only some have
those are the mean.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from training.adapter import read_adapter, save_parts


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trained", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    adapters = [read_adapter(folder) for folder in options.trained]
    names = dict.fromkeys(name for each in adapters for name in each)
    mean = {
        name: np.mean([each[name] for each in adapters if name in each], axis=0) for name in names
    }
    save_parts({name: array.astype(np.float16) for name, array in mean.items()}, options.out)
    print(f"the mean of {len(adapters)} adapters in {options.out}")


if __name__ == "__main__":
    main()
