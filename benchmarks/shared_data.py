"""Where the released corpora lie that some benchmarks read: beside the checkout, or ASSAY_DATA."""

import json
import os
import sys
from pathlib import Path
from typing import Any

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def shared_data(*parts: str) -> Path:
    """A path in the shared data; ends the benchmark with a message where it is absent."""
    path = Path(os.environ.get("ASSAY_DATA", BESIDE)).joinpath(*parts)
    if not path.exists():
        print(f"skipped: {path.name} is not here; set ASSAY_DATA to the folder of the corpora")
        sys.exit(0)
    return path


def read_lines(*parts: str) -> list[Any]:
    """The values of a JSON-lines file."""
    with shared_data(*parts).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def read_json(*parts: str) -> Any:
    """The value of a JSON file."""
    return json.loads(shared_data(*parts).read_text(encoding="utf-8"))
