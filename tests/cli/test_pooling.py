"""Whose labels are gold: options that pool annotators, and the statement beside every figure."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay import Annotated, Example, Response, Source, Unit, taxonomy
from assay.core.codec import write_example
from tests.cli.conftest import assay, line_of
from tests.evaluation.opinions import annotate, says

BINARY = taxonomy("binary")
SOURCE = "The ferry sails at noon. It carries 90 cars."
TEXT = "The ferry sails at noon. It carries 900 cars."
LABELS = {"+": BINARY["faithful"], "-": BINARY["unfaithful"]}


def voted(id: str, votes: str) -> Annotated:
    """A response on which annotators vote: `+` is faithful."""
    example = Example(id, Source(SOURCE, id=id), Response(TEXT, "m"))
    whole = Unit.response(TEXT)
    return annotate(example, *(says(whole, LABELS[v], by=f"a{n}") for n, v in enumerate(votes)))


@pytest.fixture
def split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file of three responses with three annotators each: one, two and three say unfaithful."""
    monkeypatch.chdir(tmp_path)
    rows = [voted("e1", "-++"), voted("e2", "--+"), voted("e3", "---"), voted("e4", "+++")]
    Path("x.jsonl").write_bytes(b"\n".join(map(write_example, rows)))
    return "x.jsonl"


def document(*arguments: str) -> dict[str, Any]:
    """What a command prints as JSON."""
    done = assay(*arguments, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


STATEMENTS = {
    "any": "gold: worst of 3 annotators (any)",
    "majority": "gold: majority of 3 annotators (ties count as unfaithful)",
    "all": "gold: best of 3 annotators (all)",
    "": "gold: worst of 3 annotators (any)",
}


@pytest.mark.parametrize("pool", STATEMENTS)
def test_evaluate_says_how_it_pools_in_every_form(split: str, pool: str, tmp_path: Path) -> None:
    options = ("--pool", pool) if pool else ()
    files = ("--markdown", "t.md", "--html", "t.html", "--csv", "t.csv")
    done = assay("evaluate", "overlap", "--dataset", split, *options, *files)
    written = [Path(name).read_text("utf-8") for name in files[1::2]]
    for text in (done.stdout, *written):
        assert STATEMENTS[pool] in " ".join(text.split())
        assert "own labels" not in text


@pytest.mark.parametrize(("pool", "unfaithful"), [("any", 3), ("majority", 2), ("all", 1)])
def test_more_is_unfaithful_the_fewer_have_to_say_so(
    split: str, pool: str, unfaithful: int
) -> None:
    found = document("evaluate", "overlap", "--dataset", split, "--pool", pool)
    # The overlap detector calls every one of the four unfaithful.
    precision = found["detectors"][0]["figures"]["precision"]
    assert (precision["value"], precision["n"]) == (unfaithful / 4, 4)
    assert found["gold"]["pool"] == pool
    assert (found["gold"]["pooled"], found["gold"]["annotators"]) == (4, [3, 3])


def test_compare_says_how_it_pools(split: str) -> None:
    both = ("compare", "overlap", "overlap", "--dataset", split, "--pool", "all")
    assert STATEMENTS["all"] in " ".join(assay(*both).stdout.split())
    assert document(*both)["gold"]["statement"] == STATEMENTS["all"]


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "overlap", "--dataset"),
        ("compare", "overlap", "overlap", "--dataset"),
        ("audit", "flag", "{}", "overlap", "--out", "f.jsonl"),
        ("calibrate",),
    ],
)
def test_labels_of_whole_responses_are_refused_as_gold_of_sentences(
    split: str, command: tuple[str, ...]
) -> None:
    words = [split if each == "{}" else each for each in command]
    words += [] if "{}" in command else [split]
    assert line_of(assay(*words, "--unit", "sentence")) == (
        "x.jsonl has no gold labels at sentence level: people labelled whole responses, which says "
        "nothing of their sentences; --unit response measures whole responses"
    )


def test_judgements_without_a_schema_get_a_hint(split: str) -> None:
    line = json.loads(write_example(voted("e1", "-++")))
    del line["schema"]
    Path("bare.jsonl").write_text(json.dumps(line), encoding="utf-8")
    done = assay("evaluate", "overlap", "--dataset", "bare.jsonl")
    assert done.exit_code == 2
    assert 'needs "schema": "urn:assay:example:1" as well' in done.stderr
    fine = assay("evaluate", "overlap", "--dataset", split)
    assert "schema" not in fine.stderr
