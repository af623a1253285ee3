"""Detectors that stay open from one job to the next."""

from pathlib import Path
from typing import Any

import pytest

from assay.datasets.selection import DataChoice
from assay.detectors.protocol import Detector
from assay.detectors.registry import DetectorSpec, open_detector
from assay.engine import opened_detectors
from assay.engine.opened_detectors import OpenedDetectors
from assay.engine.opening import open_run
from assay.engine.request import RunRequest
from assay.store.runs import FolderRuns
from tests.engine.conftest import nothing, write_rows

EMBEDDED = "embedded"


def test_detector_that_runs_a_model_is_opened_once() -> None:
    opened = OpenedDetectors()
    assert opened.open(DetectorSpec(EMBEDDED)) is opened.open(DetectorSpec(EMBEDDED))


def test_another_request_or_a_detector_without_a_model_is_opened_anew() -> None:
    opened = OpenedDetectors()
    assert opened.open(DetectorSpec("overlap")) is not opened.open(DetectorSpec("overlap"))
    first, second = (DetectorSpec(name) for name in (EMBEDDED, "discourse-offline"))
    assert opened.open(first) is not opened.open(second)


def test_detector_that_counts_its_use_is_opened_anew() -> None:
    opened = OpenedDetectors()
    spec = DetectorSpec(f"cascade:overlap,{EMBEDDED}")
    assert opened.open(spec) is not opened.open(spec)


def test_runs_that_follow_each_other_open_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []

    def counted(spec: DetectorSpec, *rest: Any) -> Detector:
        loaded.append(spec.name)
        return open_detector(spec, *rest)

    monkeypatch.setattr(opened_detectors, "open_detector", counted)
    opened, store = OpenedDetectors(), FolderRuns(tmp_path / "runs")
    data: DataChoice = write_rows(tmp_path / "a.jsonl", 1)
    for name in ("a", "b", "c"):
        request = RunRequest(data, DetectorSpec(EMBEDDED), name=name)
        with open_run(request, store, opened=opened) as session:
            assert session.go(nothing).state == "complete"
    assert loaded == [EMBEDDED]
