"""The suite of pairs: sources with sentences that are right and others with one discourse error."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core.examples import Example
from assay.core.texts import Response, Source

FILE = Path(__file__).parent / "pairs.jsonl"


@dataclass(frozen=True)
class Pair:
    """A source with a faithful and an unfaithful response; the last sentence of each is judged."""

    id: str
    source: str
    relation: str  # empty where the error is in a claim and not in a link
    error: str
    faithful: str
    unfaithful: str

    def example(self, response: str) -> Example:
        return Example(self.id, Source(self.source), Response(response))


def read_pairs(part: str = "") -> Iterator[Pair]:
    """The pairs of a part: D was looked at while the rules were written, T was not."""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        if row["id"].startswith(part):
            for number, case in enumerate(row["cases"], 1):
                yield Pair(f"{row['id']}.{number}", row["source"], **case)
