"""How long it takes to load each corpus, and to reproduce all published tables.

Run: python benchmarks/corpora.py [CORPUS ...]
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from shared_data import shared_data

from assay.core.errors import InputError
from assay.datasets.corpus import CORPORA, load_corpus


def main() -> None:
    """Prints examples and seconds for each corpus that is here, then the time of the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpora", nargs="*", metavar="CORPUS", help="only these, and no tables")
    named = parser.parse_args().corpora
    root = shared_data()
    for name in named or CORPORA:
        began = time.perf_counter()
        try:
            examples = list(load_corpus(name, root))
        except InputError:
            print(f"  {name:22} is not here")
            continue
        seconds = time.perf_counter() - began
        print(f"  {name:22} {len(examples):7,} examples in {seconds:5.2f} s")
    if named:
        return
    command = [str(Path(sys.executable).with_name("assay")), "reproduce", "--data", str(root)]
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False)
    seconds = time.perf_counter() - began
    print(f"  assay reproduce, all tables: {seconds:.1f} s, exit code {done.returncode}")


if __name__ == "__main__":
    main()
