"""A service without keys, a detector that can be held, and a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import assay.detectors.overlap
from assay.detectors.registry import DETECTORS
from assay.service.keys import VARIABLE
from tests.service.serving import Held, asked, client
from tests.studio.conftest import chromium

__all__ = ["chromium"]


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[TestClient]:
    """A client of a service with `overlap`."""
    with client(asked(tmp_path)) as made:
        yield made


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """A detector called `held`."""
    made = Held()
    monkeypatch.setattr(assay.detectors.overlap, "HELD", made.type(), raising=False)
    monkeypatch.setitem(DETECTORS, "held", "overlap:HELD")
    yield made
    made.go.set()
