"""Independent implementations to compare with, and the released VeriGray figures."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.metrics.arrays import Ints

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(scope="session")
def sklearn_metrics() -> Any:
    return pytest.importorskip("sklearn.metrics")


@pytest.fixture(scope="session")
def stats() -> Any:
    return pytest.importorskip("scipy.stats")


@pytest.fixture(scope="session")
def verigray() -> Any:
    """The confusion matrices of two detectors and the figures computed from them."""
    path = Path(os.environ.get("ASSAY_DATA", BESIDE)) / "verigray" / "confusions.json"
    if not path.exists():
        pytest.skip(f"{path.name} is not here; set ASSAY_DATA to the folder of the corpora")
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(20)


@pytest.fixture
def labels(random: np.random.Generator) -> tuple[Ints, Ints]:
    """Gold and predicted classes 0 to 4 of 400 items; class 3 never occurs."""
    gold = random.choice([0, 1, 2, 4], 400)
    predicted = np.where(random.random(400) < 0.6, gold, random.choice([0, 1, 2, 4], 400))
    return gold, predicted
