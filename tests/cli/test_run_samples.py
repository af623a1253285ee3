"""A run over a sample is measured on that sample, whatever became of the rows of its file."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from assay.cli.application import app

ROWS = [
    {
        "id": f"row-{n}",
        "source": f"The ferry carries {n + 20} cars. It leaves at noon.",
        "response": f"The ferry carries {n + 20 + n % 2} cars.",
        "label": "faithful" if n % 3 else "unfaithful",
    }
    for n in range(12)
]


def assay(*arguments: str) -> Any:
    """What a command prints as JSON."""
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def write(rows: list[dict[str, str]]) -> None:
    """The rows as the file that all commands read."""
    Path("rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


@pytest.fixture
def grown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """A run over five of the rows, and these with others among them, in another order."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", "runs")
    write(ROWS)
    assay("run", "rows.jsonl", "--detector", "overlap", "--sample", "5", "--name", "some")
    new = [{**row, "id": f"new-{n}"} for n, row in enumerate(ROWS[:4])]
    return [*new[:2], *reversed(ROWS), *new[2:]]


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "run:some", "--dataset", "rows.jsonl"),
        ("compare", "run:some", "gold:rows.jsonl", "--dataset", "rows.jsonl"),
        ("audit", "flag", "rows.jsonl", "run:some", "--unit", "response", "--out", "f.jsonl"),
    ],
    ids=lambda command: command[0],
)
def test_rows_that_were_added_or_moved_change_no_figure(
    command: tuple[str, ...], grown: list[dict[str, str]]
) -> None:
    before = assay(*command)
    write(grown)
    Path("f.jsonl").unlink(missing_ok=True)
    after = assay(*command)
    for each in (before, after):
        each.pop("reading", None)  # how many rows there are beside the sample
        for name in ("differences", "flags"):  # in the order of the rows
            each.get(name, []).sort(key=lambda one: one["example"])
    assert after == before


def test_an_exported_run_still_knows_its_sample(grown: list[dict[str, str]]) -> None:
    assert CliRunner().invoke(app, ["runs", "export", "some", "--out", "x.json"]).exit_code == 0
    ids = json.loads(Path("x.json").read_text(encoding="utf-8"))["manifest"]["example_ids"]
    assert len(ids) == 5
    write(grown)
    (found,) = assay("evaluate", "x.json", "--dataset", "rows.jsonl")["detectors"]
    assert (found["items"], found["coverage"]) == (5, 1)


def test_a_run_over_all_rows_notes_no_ids(grown: list[dict[str, str]]) -> None:
    write(ROWS)
    assay("run", "rows.jsonl", "--detector", "overlap", "--name", "all")
    assert CliRunner().invoke(app, ["runs", "export", "all", "--out", "x.json"]).exit_code == 0
    assert "example_ids" not in json.loads(Path("x.json").read_text(encoding="utf-8"))["manifest"]


def test_rows_outside_a_sample_are_no_failures_of_a_boards_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", "runs")
    longer = [{**row, "response": f"{row['response']} It leaves at noon."} for row in ROWS]
    write([{**row, "model": "ab"[n % 2]} for n, row in enumerate(longer)])
    assay("run", "rows.jsonl", "--detector", "overlap", "--sample", "5", "--name", "some")
    board = assay("board", "build", "rows.jsonl", "run:some")
    standings = board["rankings"][0]["standings"]
    assert sum(each["judged"] for each in standings) == 5
    assert [each["failed"] for each in standings] == [0, 0]
