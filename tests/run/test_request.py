"""What a run is called, and what it learns from."""

import json
from pathlib import Path

import pytest

from assay.checking.loading import JudgeChoice
from assay.core import InputError
from assay.evaluate.runs.data import DataChoice, Survey
from assay.evaluate.runs.request import RunRequest, describe_run, run_name
from assay.llm.scripted import Scripted
from assay.store.folder import RunsFolder


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
    request = RunRequest(DataChoice(data), JudgeChoice(detector, models))
    assert run_name(request, models) == name
    RunsFolder(tmp_path).path(name)


def test_very_long_name_is_cut_and_a_given_one_is_kept(tmp_path: Path) -> None:
    request = RunRequest(DataChoice("x" * 300 + ".csv"), JudgeChoice("overlap"))
    RunsFolder(tmp_path).path(run_name(request, ()))
    assert run_name(RunRequest(DataChoice("a"), JudgeChoice("overlap"), name="mine"), ()) == "mine"


def test_run_records_what_decides_the_answers() -> None:
    choice = JudgeChoice("judge-simple", ("m",))
    request = RunRequest(DataChoice("a.csv", split="test"), choice, sample=5, seed=2)
    run = describe_run(request, Survey(10, "digest"), choice.load((Scripted((), "m"),)))
    assert (run.detector, run.judge, run.model) == ("judge-simple", "judge-simple m", "m")
    assert (run.unit_kind, run.taxonomy) == ("response", "binary")
    assert (run.examples, run.sample, run.seed, run.split) == (10, 5, 2, "test")
    assert run.parameters == {"model": "m"}
    assert list(run.prompt_digests) == ["judge-simple"]


def test_judge_learns_from_the_data_unless_peers_are_named(tmp_path: Path) -> None:
    for name in ("data", "peers"):
        row = {"id": name, "source": "The cat sat.", "response": "It sat."}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row), encoding="utf-8")
    data = DataChoice(str(tmp_path / "data.jsonl"), split="test")
    named = str(tmp_path / "peers.jsonl")
    judge = JudgeChoice("faithjudge", ("m",))
    own = RunRequest(data, judge).find_peers()
    theirs = RunRequest(data, judge, peers=named).find_peers()
    assert own is not None
    assert theirs is not None
    assert [each.id for each in own()] == ["data"]
    assert [each.id for each in theirs()] == ["peers"]
    assert RunRequest(data, JudgeChoice("judge-simple", ("m",))).find_peers() is None


def test_seed_without_a_sample_is_refused() -> None:
    with pytest.raises(InputError, match="for the model use --model-seed"):
        RunRequest(DataChoice("a.csv"), JudgeChoice("overlap"), seed=0)


def test_sample_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="--sample is how many"):
        RunRequest(DataChoice("a.csv"), JudgeChoice("overlap"), sample=-1)
