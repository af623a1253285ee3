"""`assay evaluate` and `assay compare` from end to end, on a small corpus in VeriGray's format."""

import csv
import json
import re
import subprocess
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from assay import check
from assay.datasets.corpus import load_corpus
from tests.cli.conftest import completed

Run = Callable[..., "subprocess.CompletedProcess[str]"]
SOURCE = "The ferry has crossed the strait since 1986. It carried 48,200 passengers last year."
GOOD = "The ferry has crossed the strait since 1986."
BAD = "Elephants danced on the roof at midnight."


def row(number: int) -> dict[str, object]:
    """A summary with a supported and a fabricated sentence; each has a source of its own."""
    answer = f"{GOOD} {BAD}"
    return {
        "question": f"{SOURCE} This is story number {number}.",
        "answer": answer,
        "generator": "model-a" if number % 2 else "model-b",
        "sentences": [
            {"text": GOOD, "range": [0, len(GOOD)], "annotation": "Explicitly-Supported"},
            {"text": BAD, "range": [len(GOOD) + 1, len(answer)], "annotation": "Fabricated"},
        ],
    }


def checked(folder: Path, count: int) -> dict[str, Any]:
    """The document of a check of so many summaries of the corpus."""
    annotated = islice(load_corpus("verigray", folder / "data"), count)
    return check([each.example for each in annotated], detector="overlap").to_dict()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `assay` in a folder with a corpus of ten summaries."""
    path = tmp_path / "data" / "verigray" / "verigray.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(json.dumps(row(n)) for n in range(10)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path / "data"))
    return completed


ON_SENTENCES = ("--dataset", "verigray", "--unit", "sentence")


def test_a_detector_that_is_always_right_has_balanced_accuracy_one(run: Run) -> None:
    done = run("evaluate", "overlap", *ON_SENTENCES, "--json")
    detector = json.loads(done.stdout)["detectors"][0]
    assert done.returncode == 0
    assert (detector["n"], detector["coverage"]) == (20, 1.0)
    assert detector["figures"]["balanced accuracy"]["value"] == 1.0
    assert detector["class_f1"]["fabricated"]["value"] == 1.0


def test_the_table_names_the_reading_and_marks_the_best_of_several(run: Run) -> None:
    done = run("evaluate", "overlap", *ON_SENTENCES)
    assert "verigray" in done.stdout
    assert "overlap*" not in done.stdout
    assert "overlap*" in run("evaluate", "overlap", "overlap", *ON_SENTENCES).stdout
    shown = re.findall(r"([\d.]+) \[([\d.]+), ([\d.]+)\]", done.stdout)
    assert any(value == "1.000" for value, _, _ in shown)
    assert all(low != high for _, low, high in shown)


def test_csv_markdown_and_page_are_written(run: Run, tmp_path: Path) -> None:
    files = ("--csv", "t.csv", "--markdown", "t.md", "--html", "t.html")
    assert run("evaluate", "overlap", *ON_SENTENCES, *files).returncode == 0
    with (tmp_path / "t.csv").open(encoding="utf-8") as file:
        figures = {line["figure"]: line for line in csv.DictReader(file)}
    assert figures["recall"]["value"] == "1.0"
    assert "| overlap |" in (tmp_path / "t.md").read_text(encoding="utf-8")
    assert "verigray" in (tmp_path / "t.html").read_text(encoding="utf-8")


def test_a_file_of_verdicts_is_evaluated_and_missing_ones_lower_the_coverage(
    run: Run, tmp_path: Path
) -> None:
    document = checked(tmp_path, 6)
    (tmp_path / "six.json").write_text(json.dumps(document), encoding="utf-8")
    done = run("evaluate", "six.json", *ON_SENTENCES, "--json")
    detector = json.loads(done.stdout)["detectors"][0]
    assert detector["coverage"] == pytest.approx(0.6)
    assert detector["failures"] == {"missing": 8}
    assert detector["figures"]["balanced accuracy"]["n"] == 12


def test_a_file_of_your_own_is_evaluated_by_its_label_field(run: Run, tmp_path: Path) -> None:
    rows = [
        {"source": SOURCE, "response": GOOD, "verdict": 1},
        {"source": SOURCE, "response": BAD, "verdict": "unfaithful"},
    ]
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    own = ("--dataset", "own.jsonl", "--label-field", "verdict", "--json")
    detector = json.loads(run("evaluate", "overlap", *own).stdout)["detectors"][0]
    assert detector["figures"]["balanced accuracy"]["value"] == 1.0
    assert detector["n"] == 2


def test_a_handful_of_examples_is_never_certain(run: Run, tmp_path: Path) -> None:
    rows = [
        {"source": f"{SOURCE} Number {n}.", "response": GOOD if n % 2 else BAD, "verdict": n % 2}
        for n in range(4)
    ]
    (tmp_path / "four.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    own = ("--dataset", "four.jsonl", "--label-field", "verdict", "--json")
    figures = json.loads(run("evaluate", "overlap", *own).stdout)["detectors"][0]["figures"]
    assert figures["balanced accuracy"]["value"] == 1
    assert figures["balanced accuracy"]["low"] < 0.8
    assert all(each["low"] is None or each["low"] < each["high"] for each in figures.values())


def test_compare_shows_the_test_and_the_items(run: Run, tmp_path: Path) -> None:
    document = checked(tmp_path, 10)
    for judgement in document["judgements"]:
        judgement["units"][1]["verdict"] |= {"label": "explicitly-supported", "score": 0.9}
    (tmp_path / "blind.json").write_text(json.dumps(document), encoding="utf-8")
    done = run("compare", "overlap", "blind.json", *ON_SENTENCES)
    assert done.returncode == 0
    assert "10 items differ" in done.stdout
    assert "difference 0.500" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("overlap",), "no corpus or file is given; name one with --dataset ("),
        (("overlap", "--dataset", "verigry"), "Did you mean 'verigray'?"),
        (("overlap", "--dataset", "ragtruth"), "is not at"),
        (("overlp", *ON_SENTENCES), "overlap"),
        (("nope.json", *ON_SENTENCES), "cannot read nope.json"),
        (("unknown.json", *ON_SENTENCES), "not in the corpus"),
        (("twice.json", *ON_SENTENCES), "two judgements of the example"),
        (("score.json", *ON_SENTENCES), "between 0 and 1"),
        (("older.json", *ON_SENTENCES), "older"),
        (("menu.json", *ON_SENTENCES), "unknown taxonomy"),
        (("overlap", *ON_SENTENCES, "--cut", "7"), "between 0 and 1"),
        (("overlap", *ON_SENTENCES, "--cut", "fabriated"), "Did you mean 'fabricated'?"),
        (("overlap", "--dataset", "verigray", "--unit", "word"), "unknown unit"),
        (("overlap", *ON_SENTENCES, "--reading", "verigrey"), "Did you mean 'verigray'?"),
        (("overlap", *ON_SENTENCES, "--pool", "mean"), "unknown pool"),
        (("overlap", *ON_SENTENCES, "--split", "nope"), "no split 'nope'"),
        (("overlap", *ON_SENTENCES, "--csv", "no/such/x.csv"), "no/such/x.csv"),
        ((*ON_SENTENCES,), "no recorded detectors"),
        (("overlap", "--dataset", "own.jsonl"), "unknown binary label 'maybe'"),
        (("overlap", "--dataset", "own.jsonl", "--label-field", "x"), "(--label-field)"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    document = checked(tmp_path, 2)
    first = document["judgements"][0]
    verdict = {**first["units"][0]["verdict"], "score": 7}
    units = [{**first["units"][0], "verdict": verdict}]
    variants = {
        "unknown.json": {**document, "judgements": [{**first, "example": "nobody"}]},
        "twice.json": {**document, "judgements": [first, first]},
        "menu.json": {**document, "judgements": [{**first, "taxonomy": "gray8"}]},
        "score.json": {**document, "judgements": [{**first, "units": units}]},
        "older.json": {"detector": "overlap", "taxonomy": "gray7", "examples": []},
    }
    own = json.dumps({"source": SOURCE, "response": GOOD, "label": "maybe"})
    (tmp_path / "own.jsonl").write_text(own, encoding="utf-8")
    for name, content in variants.items():
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    done = run("evaluate", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.startswith("assay: ")
    assert done.stderr.count("\n") == 1
