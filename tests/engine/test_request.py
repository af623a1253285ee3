"""What a run is called, what it learns from, and what its manifest says."""

import json
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.datasets.selection import DataChoice
from assay.datasets.survey import Survey
from assay.detectors.registry import DetectorSpec, open_detector
from assay.engine.models import SAMPLING, ModelPool, sampling
from assay.engine.request import RunRequest, make_manifest
from assay.knowledge.opening import KnowledgeChoice
from assay.llm.client import Scripted
from assay.llm.settings.options import Options
from assay.store.runs import FolderRuns


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of the machine's own settings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    for name in ("ASSAY_MODEL", "ASSAY_CONFIG", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("data", "detector", "models", "name"),
    [
        ("faithbench", "judge-gray7", ("openai/gpt-4o",), "faithbench--judge-gray7--openai-gpt-4o"),
        ("x/My data.jsonl.gz", "judge-gray7:batch", ("m",), "My-data--judge-gray7-batch--m"),
        ("a.csv", "overlap", (), "a--overlap"),
        ("a.json", "judge-simple", ("a/b", "c:7b"), "a--judge-simple--a-b+c-7b"),
        (".hidden.jsonl", "overlap", (), "hidden--overlap"),
    ],
)
def test_name_is_made_from_data_detector_and_models(
    data: str, detector: str, models: tuple[str, ...], name: str, tmp_path: Path
) -> None:
    request = RunRequest(DataChoice(data), DetectorSpec(detector, models))
    assert request.run_name(models) == name
    assert not FolderRuns(tmp_path).has(name)  # and it is a name that a run can have


def test_very_long_name_is_cut_and_a_given_one_is_kept(tmp_path: Path) -> None:
    overlap = DetectorSpec("overlap")
    request = RunRequest(DataChoice("x" * 300 + ".csv"), overlap)
    assert not FolderRuns(tmp_path).has(request.run_name(()))
    assert RunRequest(DataChoice("a"), overlap, name="mine").run_name(()) == "mine"


def test_name_tells_some_of_the_examples_and_knowledge_apart() -> None:
    some = DataChoice("a.csv", ids=frozenset({"1", "2"}))
    others = DataChoice("a.csv", ids=frozenset({"1", "3"}))
    knowledge = KnowledgeChoice("x/wiki.sqlite")
    overlap = DetectorSpec("overlap")
    names = [
        each.run_name((), tells_apart=True)
        for each in (
            RunRequest(DataChoice("a.csv"), overlap),
            RunRequest(some, overlap),
            RunRequest(others, overlap),
            RunRequest(DataChoice("a.csv"), overlap, knowledge=knowledge),
        )
    ]
    assert len(set(names)) == 4
    assert names[3] == "a--overlap--with-wiki"


def test_name_tells_efforts_apart_and_is_the_old_one_without() -> None:
    data = DataChoice("a.csv")
    specs = [
        DetectorSpec("judge-simple", ("m",), options=Options(reasoning_effort=effort))
        for effort in ("", "low", "high")
    ]
    names = [RunRequest(data, spec).run_name(("m",), tells_apart=True) for spec in specs]
    assert names[0] == "a--judge-simple--m"
    assert len(set(names)) == 3


def test_manifest_records_what_decides_the_answers() -> None:
    spec = DetectorSpec("judge-simple", ("m",))
    choice = DataChoice("a.csv", split="test", sample=5, seed=2, task="qa")
    pool = ModelPool.of(spec)
    detector = open_detector(spec, pool.clients)
    manifest = make_manifest(RunRequest(choice, spec), Survey(10, "digest"), detector, pool)
    assert (manifest.detector, manifest.author.name) == ("judge-simple", "judge-simple m")
    assert (manifest.model, manifest.unit_kind, manifest.taxonomy) == ("m", "response", "binary")
    assert (manifest.examples, manifest.dataset_digest, manifest.split) == (10, "digest", "test")
    assert (manifest.task, manifest.sample, manifest.seed, manifest.chosen) == ("qa", 5, 2, 5)
    assert manifest.parameters["model"] == "m"
    assert list(manifest.prompt_digests) == ["judge-simple"]


def test_judge_learns_from_the_data_unless_peers_are_named(tmp_path: Path) -> None:
    for name in ("data", "peers"):
        row = {"id": name, "source": "The cat sat.", "response": "It sat.", "label": "faithful"}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row), encoding="utf-8")
    data = DataChoice(str(tmp_path / "data.jsonl"), split="test", sample=1, seed=3)
    named = str(tmp_path / "peers.jsonl")
    judge = DetectorSpec("faithjudge", ("m",))
    own = RunRequest(data, judge).annotations()
    theirs = RunRequest(data, judge, peers=named).annotations()
    assert own is not None
    assert theirs is not None
    assert [each.id for each in own()] == ["data"]
    assert [each.id for each in theirs()] == ["peers"]
    assert RunRequest(data, DetectorSpec("judge-simple", ("m",))).annotations() is None


def test_peers_that_cannot_be_read_raise(tmp_path: Path) -> None:
    (tmp_path / "peers.jsonl").write_text("{broken\n", encoding="utf-8")
    request = RunRequest(DataChoice("a.csv"), DetectorSpec("faithjudge", ("m",)), "peers.jsonl")
    annotations = request.annotations()
    assert annotations is not None
    with pytest.raises(InputError, match=r"peers\.jsonl line 1: not valid JSON") as caught:
        list(annotations())
    assert caught.value.field == "peers"


def test_votes_over_samples_vary_unless_the_user_says_how() -> None:
    assert sampling(DetectorSpec("judge-simple", ("m",), votes=3)).temperature == SAMPLING
    assert sampling(DetectorSpec("judge-simple", ("m",))).temperature is None
    said = DetectorSpec("judge-simple", ("m",), votes=3, options=Options(temperature=0.0))
    assert sampling(said).temperature == 0.0


@pytest.mark.parametrize("temperature", ["1.0", "0", "0.0"])
def test_temperature_of_the_settings_file_counts_as_said(temperature: str, tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_text(f"[llm]\ntemperature = {temperature}\n", "utf-8")
    assert sampling(DetectorSpec("judge-simple", ("m",), votes=3)).temperature is None


def test_several_clients_and_samples_are_one_judge() -> None:
    clients = (Scripted((), "a"), Scripted((), "b"))
    spec = DetectorSpec("judge-simple", ("a", "b"), votes=3)
    assert open_detector(spec, clients).author.name == (
        "vote of 3 x judge-simple a, 3 x judge-simple b"
    )
    assert open_detector(spec, clients[:1]).author.name == "vote of 3 x judge-simple a"


def test_pool_describes_models_once_if_they_say_the_same() -> None:
    one = ModelPool(("m",), Options()).describe(voters=3)
    assert (one["model"], one["voters"]) == ("m", 3)
    two = ModelPool(("m", "n"), Options()).describe()
    assert (two["1. model"], two["2. model"]) == ("m", "n")
    assert ModelPool((), Options()).describe() == {}


def test_run_of_a_task_has_a_name_of_its_own() -> None:
    spec = DetectorSpec("overlap")
    names = [
        RunRequest(DataChoice("qags", task=task), spec).run_name((), tells_apart=True)
        for task in ("", "xsum", "cnndm")
    ]
    assert names[0] == "qags--overlap"
    assert len(set(names)) == 3
