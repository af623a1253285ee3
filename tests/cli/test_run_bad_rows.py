"""Rows of a run that cannot be read."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Workplace, error_of
from tests.cli.loopback import FAITHFUL, Body, question
from tests.cli.test_run_command import NAME, Work, ids


def with_bad_rows(place: Workplace, count: int) -> None:
    """Puts rows without a response behind the first row."""
    file = place.folder / "data.jsonl"
    first, *others = file.read_text("utf-8").splitlines()
    bad = [json.dumps({"id": f"bad{n}", "source": "a"}) for n in range(count)]
    file.write_text("\n".join([first, *bad, *others]), "utf-8")


def test_rows_that_cannot_be_read_cost_no_other_row(work: Work) -> None:
    place = work(5)
    with_bad_rows(place, 12)
    done = place.run(quiet=False)
    assert done.exit_code == 2
    assert "5 responses" in done.stdout
    assert "not read 12 rows that cannot be read" in done.stdout
    told = [line for line in done.stderr.splitlines() if "data.jsonl line" in line]
    assert [line.split(":")[1] for line in told] == [f" data.jsonl line {n}" for n in range(2, 12)]
    assert all("no response" in line and "(--response-field)" in line for line in told)
    assert "assay: ... and 2 more rows that could not be read" in done.stderr
    assert ids(place.export()) == [f"ex{n}" for n in range(5)]
    shown = place.assay("runs", "show", NAME)
    assert (shown.exit_code, "12 rows that cannot be read" in shown.stdout) == (0, True)
    assert "data.jsonl line 11: no response" in shown.stdout
    document = json.loads(place.assay("runs", "show", NAME, "--json").stdout)
    assert (document["done"], document["total"], document["unread_rows"]) == (5, 5, 12)
    assert len(document["problems"]) == 10
    assert document["problems"][0]["where"] == "data.jsonl line 2"


def test_rows_that_cannot_be_read_hide_missing_verdicts_but_both_are_told(work: Work) -> None:
    place = work(3)
    with_bad_rows(place, 1)
    place.server.answer = lambda body: "no idea" if "Cat 2" in question(body) else FAITHFUL
    done = place.run()
    assert done.exit_code == 2
    assert "data.jsonl line 2: no response" in done.stderr
    assert "no verdict for 1 response (parse 1)" in done.stderr


def test_run_with_rows_that_cannot_be_read_goes_on_where_it_stopped(work: Work) -> None:
    place = work(30)
    with_bad_rows(place, 2)

    def answer(body: Body) -> str:
        if place.server.calls >= 10:
            place.server.status = 401
        return FAITHFUL

    place.server.answer = answer
    assert "of 30 examples are judged and kept" in error_of(place.run("--concurrency", "2"))
    place.server.status, place.server.answer = 200, lambda body: FAITHFUL
    assert place.run("--resume").exit_code == 2
    assert ids(place.export()) == [f"ex{n}" for n in range(30)]
    file = place.folder / "data.jsonl"
    fixed = file.read_text("utf-8").replace('"bad0", ', '"bad0", "response": "b", ')
    file.write_text(fixed, "utf-8")
    assert "dataset digest: " in error_of(place.run("--resume"))


def test_dry_run_counts_rows_that_cannot_be_read(work: Work) -> None:
    place = work(3)
    with_bad_rows(place, 2)
    for command in ("run", "check"):
        asked = ("data.jsonl", "--detector", "judge-simple", "--model", "m", "--dry-run")
        done = place.assay(command, *asked)
        assert (done.exit_code, "2 rows that cannot be read" in done.stdout) == (0, True)


def test_id_that_appears_twice_is_told_before_anything_is_asked(work: Work) -> None:
    place = work(3)
    with (place.folder / "data.jsonl").open("a", encoding="utf-8") as file:
        file.write('\n{"id": "ex0", "source": "a", "response": "b"}\n{broken\n')
    message = error_of(place.run())
    assert "the id 'ex0' appears twice" in message
    assert "data.jsonl line 5: not valid JSON" in message
    assert place.server.calls == 0


def test_runs_can_be_kept_elsewhere(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = work(2)
    place.run("--runs", "mine")
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "theirs"))
    place.run()
    assert (tmp_path / "mine" / f"{NAME}.sqlite").exists()
    assert (tmp_path / "theirs" / f"{NAME}.sqlite").exists()
