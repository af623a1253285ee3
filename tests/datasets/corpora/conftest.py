"""Fixtures of the loaders' tests: the released corpora, where they are at hand."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def corpora_root(shared_data: Path) -> Path:
    """The folder of the released corpora; without it the test is skipped."""
    return shared_data
