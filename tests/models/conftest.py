"""A tiny model on a server of its own, and an empty folder to fetch it into."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.models import pulling
from assay.models.catalogue import MODELS, PublicModel
from tests.models.file_server import FileServer, model_of, serving


@pytest.fixture
def server() -> Iterator[FileServer]:
    """A server of the tiny model."""
    with serving() as told:
        yield told


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of models, which is not there yet."""
    monkeypatch.setenv("ASSAY_MODELS", str(tmp_path / "kept"))
    monkeypatch.delenv("ASSAY_DOWNLOAD_BASE", raising=False)
    monkeypatch.setattr(pulling, "PAUSE", 0.001)
    return tmp_path / "kept"


@pytest.fixture
def model(server: FileServer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> PublicModel:
    """The tiny model, under the name of the one that there is."""
    tiny = model_of(origin=f"{server.address}/who/what")
    monkeypatch.setitem(MODELS, "large", tiny)
    return tiny
