"""A run by `auto` goes on with the detector that it began with, whatever has come here since."""

import json
from pathlib import Path

import pytest

pytest.importorskip("gguf")

from assay.core.errors import InputError
from assay.datasets.selection import DataChoice
from assay.detectors.combinators.auto import ALONE, BOTH
from assay.detectors.registry import DetectorSpec
from assay.engine.opening import open_run
from assay.engine.request import RunRequest
from assay.store.runs import FolderRuns
from tests.detectors.embedded.large.tiny_model import replace_large


@pytest.fixture
def data(tmp_path: Path) -> DataChoice:
    file = tmp_path / "cats.jsonl"
    rows = (
        {"id": f"{n}", "source": f"Cat {n} sat.", "response": f"Cat {n} sat."} for n in range(3)
    )
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return DataChoice(str(file))


@pytest.fixture
def store(tmp_path: Path) -> FolderRuns:
    return FolderRuns(tmp_path / "runs")


def begin(data: DataChoice, store: FolderRuns, name: str = "") -> None:
    """A run by auto that ends before anything is judged."""
    with open_run(RunRequest(data, DetectorSpec(), name=name), store):
        pass


def judged_by(
    data: DataChoice, store: FolderRuns, name: str = "", *, resume: bool | None = True
) -> str:
    with open_run(RunRequest(data, DetectorSpec(), name=name), store, resume=resume) as session:
        return session.journal.manifest.detector


@pytest.mark.parametrize("name", ["", "mine"])
def test_run_goes_on_with_the_small_one_after_the_base_has_come(
    name: str, data: DataChoice, store: FolderRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(data, store, name)
    replace_large(tmp_path / "models", monkeypatch)
    assert judged_by(data, store, name) == ALONE
    assert store.names() == [name or "cats--embedded"]


def test_run_that_began_with_both_needs_the_base(
    data: DataChoice, store: FolderRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        replace_large(tmp_path / "models", patch)
        begin(data, store)
        assert judged_by(data, store) == BOTH
    with pytest.raises(InputError, match="'assay models pull large'"):
        judged_by(data, store)


def test_new_run_uses_what_is_here_now(
    data: DataChoice, store: FolderRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(data, store)
    replace_large(tmp_path / "models", monkeypatch)
    assert judged_by(data, store, resume=None) == BOTH
    assert len(store.names()) == 2


def test_detector_that_was_named_is_not_replaced(
    data: DataChoice, store: FolderRuns, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(data, store, "mine")
    replace_large(tmp_path / "models", monkeypatch)
    named = RunRequest(data, DetectorSpec(BOTH), name="mine")
    with pytest.raises(InputError, match="cannot be resumed"), open_run(named, store, resume=True):
        pass
