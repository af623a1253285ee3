"""A run with some outcomes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.core.runs import Run
from assay.store.journal import Entry, Journal, create_journal

RUN = Run("overlap", "1.0", judge="overlap", taxonomy="gray7", dataset="a.jsonl", examples=9)


def entry(
    position: int, *, failures: int = 0, final: int = 0, attempt: int = 0, note: str = ""
) -> Entry:
    """An outcome of the example at a position; its `final` failures stay as they are."""
    record = {"id": f"ex{position}", "n": note}
    return Entry(position, f"ex{position}", failures + final, failures, attempt, record)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """A new run."""
    with create_journal(tmp_path / "a.sqlite", RUN) as made:
        yield made
