"""Data, and sessions over it with detectors of our own."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.core.judgements import Author, Manifest
from assay.datasets.selection import DataChoice
from assay.detectors.protocol import Detector
from assay.engine.models import ModelPool
from assay.engine.session import Crew, Session
from assay.engine.tasks import Tasks
from assay.llm.client import Numbered
from assay.llm.settings.options import Options
from assay.store.journal import Journal
from assay.store.runs import FolderRuns, RunStore, open_store
from tests.engine.judges import Asking

COUNT = 30
MANIFEST = Manifest(Author("asking"), "0.2.0", taxonomy="gray7", examples=COUNT)


def write_rows(path: Path, count: int) -> DataChoice:
    """A file with so many examples of two sentences each."""
    rows = (
        {"id": f"ex{n}", "source": "The cat sat.", "response": f"Cat {n} sat. Cat {n} ran."}
        for n in range(count)
    )
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return DataChoice(str(path))


@pytest.fixture
def data(tmp_path: Path) -> DataChoice:
    """Examples of two sentences each."""
    return write_rows(tmp_path / "a.jsonl", COUNT)


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    """A folder of runs."""
    return FolderRuns(tmp_path / "runs")


@pytest.fixture
def journal(store: RunStore) -> Iterator[Journal]:
    """A new run."""
    with store.create("a", MANIFEST) as made:
        yield made


@pytest.fixture
def both_journals(runs_at: str) -> Iterator[Journal]:
    """A new run in a folder, and on a server."""
    with open_store(runs_at).create("a", MANIFEST) as made:
        yield made


def open_session(
    journal: Journal, data: DataChoice, detector: Detector, *, attempt: int = 0
) -> Session:
    """A session as `open_run` makes it, with a detector of our own."""
    again = detector
    if isinstance(detector, Asking):
        again = Asking(Numbered(detector.client, attempt=attempt), detector.unit_kind)
    pool = ModelPool((), Options())
    pool.attach(journal)
    tasks = Tasks(data, data.survey(), journal, attempt)
    return Session(journal, tasks, Crew(detector, again, pool))


def labels(journal: Journal) -> dict[str, list[str]]:
    """The labels of each example; a failure shows its reason."""
    return {
        each.example: [
            finding.failure.reason if finding.failure else str(finding.label)
            for finding in each.findings
        ]
        for each in journal.read()
    }


def nothing() -> None:
    """What is called meanwhile."""
