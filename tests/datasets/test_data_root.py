"""Where corpora are looked for."""

from pathlib import Path

import pytest

from assay.datasets.corpus import data_root


def test_an_empty_variable_is_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("ASSAY_DATA", "")
    assert data_root() == tmp_path / "assay" / "data"
    monkeypatch.setenv("ASSAY_DATA", "elsewhere")
    assert data_root() == Path("elsewhere")
    assert data_root("given") == Path("given")
