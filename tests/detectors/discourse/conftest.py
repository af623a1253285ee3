"""A tiny model for the offline backend: enough for everything but good verdicts."""

from pathlib import Path

import pytest

from tests.detectors.embedded.conftest import TinyModel, write_tiny_model


@pytest.fixture
def tiny_model(tmp_path: Path) -> TinyModel:
    """Makes a tiny model in a fresh folder; the bias says what it is inclined to answer."""
    return lambda *bias: write_tiny_model(tmp_path / "model", *bias)
