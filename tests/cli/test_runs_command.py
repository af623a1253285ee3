"""`assay runs`, and runs as judges of an evaluation."""

import io
import json
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import Result

import assay.cli
from assay.core.wire import schema
from assay.evaluation.references import open_judgements
from tests.cli.conftest import Workplace, error_of, line_of
from tests.cli.loopback import FAITHFUL, question

Work = Callable[..., Workplace]
NAME = "data--judge-simple--m"
ROOT = Path(__file__).resolve().parents[2]
PRICES = '["m"]\ninput = 1.0\noutput = 10.0\n'


def document(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_no_runs_are_an_empty_list(work: Work) -> None:
    place = work(1)
    assert document(place.assay("runs", "list", "--json")) == []
    assert "0 runs at assay-runs" in place.assay("runs", "list").stdout


def test_list_has_a_line_for_each_run(work: Work) -> None:
    place = work(4)
    place.run("--budget-calls", "2")
    place.assay("run", "data.jsonl", "--detector", "overlap", "--quiet")
    rows = {row["run"]: row for row in document(place.assay("runs", "list", "--json"))}
    assert set(rows) == {NAME, "data--overlap"}
    assert (rows[NAME]["state"], rows[NAME]["done"], rows[NAME]["total"]) == ("budget", 2, 4)
    assert rows["data--overlap"]["state"] == "complete"
    listed = place.assay("runs", "list").stdout
    assert "data--overlap" in listed
    assert "complete" in listed


def test_show_has_everything_that_is_needed_to_repeat_the_run(work: Work) -> None:
    place = work(4)
    place.server.answer = lambda body: "no idea" if "Cat 3" in question(body) else FAITHFUL
    (place.folder / "prices.toml").write_text(PRICES, encoding="utf-8")
    part = ("--sample", "4", "--seed", "5", "--name", NAME)
    place.run(*part, "--prices", "prices.toml", "--temperature", "0.2")
    shown = document(place.assay("runs", "show", NAME, "--json"))
    text = place.assay("runs", "show", NAME).stdout
    digest = shown["manifest"]["prompt_digests"]["judge-simple"]
    facts = ["is complete", "4 of 4 examples", "data.jsonl", shown["manifest"]["dataset_digest"]]
    facts += [
        "chosen with seed 5",
        f"judge-simple: {digest}",
        "temperature: 0.2",
        "parse 1",
        "5 paid",
    ]
    assert [fact for fact in facts if fact not in text] == []
    assert shown["failures"] == {"parse": 1}
    assert shown["usage"]["calls"] == 5  # the unreadable one was asked for twice
    assert f"${shown['usage']['cost']:.4f}" in text


def test_adaptations_to_the_server_are_kept_and_shown(work: Work) -> None:
    place = work(3)

    def answer(body: dict[str, Any]) -> str:
        assert "response_format" not in body
        return FAITHFUL

    place.server.answer = answer
    place.server.refuses = "response_format"
    assert place.run().exit_code == 0
    shown = document(place.assay("runs", "show", NAME, "--json"))
    assert any("schema" in each for each in shown["adaptations"])
    assert shown["adaptations"][0] in place.assay("runs", "show", NAME).stdout


def test_export_is_the_document_of_check(work: Work) -> None:
    place = work(4, response="Cat {n} sat. Cat {n} ran.")
    place.assay("run", "data.jsonl", "--detector", "overlap", "--quiet")
    exported = place.export("data--overlap")
    checked = document(place.assay("check", "data.jsonl", "--detector", "overlap", "--json"))
    jsonschema.validate(exported, schema())
    assert [each["example"] for each in exported["judgements"]] == ["ex0", "ex1", "ex2", "ex3"]
    assert said(exported) == said(checked)


def said(exported: dict[str, Any]) -> list[dict[str, Any]]:
    """The judgements without when they were made."""
    return [
        {name: value for name, value in each.items() if name != "at"}
        for each in exported["judgements"]
    ]


def test_export_to_a_file_says_what_the_run_says(work: Work) -> None:
    place = work(4)
    place.run()
    done = place.assay("runs", "export", NAME, "--out", "out.json")
    assert (done.exit_code, done.stdout) == (0, "")
    file, run = open_judgements("out.json"), open_judgements(f"run:{NAME}")
    assert file.manifest == run.manifest
    assert file.manifest.unit_kind == "response"
    assert list(file) == list(run)
    assert len(list(file)) == 4


class Terminal(io.StringIO):
    """Standard input at which somebody sits."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("answer", ["n\n", "\n", ""])
def test_whoever_does_not_want_to_delete_has_broken_no_rule(
    answer: str, work: Work, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    work(3).run()
    monkeypatch.setattr(sys, "argv", ["assay", "runs", "delete", NAME])
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    with pytest.raises(SystemExit) as ended:
        assay.cli.main()
    assert ended.value.code == 0
    said = capsys.readouterr().err
    assert f"delete '{NAME}' with 3 judgements? [y/N] assay: nothing was deleted" in said
    assert len(list(open_judgements(f"run:{NAME}"))) == 3


def test_delete_asks_unless_one_is_sure(work: Work) -> None:
    place = work(3)
    place.run()
    assert "has 3 judgements; to delete them, say --yes" in error_of(
        place.assay("runs", "delete", NAME)
    )
    done = place.assay("runs", "delete", NAME, "--yes")
    assert (done.exit_code, done.stderr) == (
        0,
        f"assay: deleted '{NAME}' (3 calls); a new run of that name has a new budget\n",
    )
    assert [path.suffix for path in (place.folder / "assay-runs").iterdir()] == [".lock"]
    assert document(place.assay("runs", "list", "--json")) == []


@pytest.mark.parametrize("command", ["show", "export", "delete"])
def test_unknown_run_is_one_line_with_the_nearest_name(command: str, work: Work) -> None:
    place = work(3)
    assert "there are no runs at assay-runs" in error_of(place.assay("runs", command, "x"))
    place.run()
    message = error_of(place.assay("runs", command, "data-judge-simple-m"))
    assert f"unknown run 'data-judge-simple-m'. Did you mean '{NAME}'?" in message


def change(path: Path, statement: str) -> None:
    file = sqlite3.connect(path)
    with file:
        file.execute(statement)
    file.close()


def test_files_that_are_no_runs_say_so(work: Work) -> None:
    place = work(3)
    place.run()
    folder = place.folder / "assay-runs"
    (folder / "text.sqlite").write_text("hello " * 100, encoding="utf-8")
    change(folder / "other.sqlite", "CREATE TABLE t (a)")
    change(folder / f"{NAME}.sqlite", "UPDATE alembic_version SET version_num = '9999'")
    newer = "was written by a newer version of assay"
    assert "text.sqlite: file is not a database" in line_of(place.assay("runs", "show", "text"))
    assert "is not a run of assay" in line_of(place.assay("runs", "show", "other"))
    assert newer in line_of(place.assay("runs", "export", NAME))
    assert newer in line_of(place.run("--resume"))
    rows = {row["run"]: row for row in document(place.assay("runs", "list", "--json"))}
    assert "file is not a database" in rows["text"]["state"]
    assert "is not a run of assay" in rows["other"]["state"]
    assert newer in rows[NAME]["state"]


def test_run_of_the_older_form_is_refused_in_one_line(work: Work) -> None:
    place = work(2)
    place.run()
    change(place.folder / "assay-runs" / f"{NAME}.sqlite", "PRAGMA user_version = 2")
    message = line_of(place.assay("runs", "show", NAME))
    assert "is a run of assay 0.1, whose form this version does not read" in message


def labelled(place: Workplace) -> None:
    """The same examples with gold labels: cats with an even number are faithful."""
    rows = [json.loads(line) for line in (place.folder / "data.jsonl").read_text().splitlines()]
    lines = (json.dumps({**row, "label": 1 - n % 2}) for n, row in enumerate(rows))
    (place.folder / "gold.jsonl").write_text("\n".join(lines), encoding="utf-8")


def test_run_is_evaluated_with_its_time_and_cost(work: Work) -> None:
    place = work(10)
    labelled(place)
    even = tuple(f"Cat {n} sat." for n in range(0, 10, 2))
    place.server.answer = lambda body: (
        FAITHFUL
        if any(words in question(body) for words in even)
        else FAITHFUL.replace('"faithful"', '"unfaithful"')
    )
    (place.folder / "prices.toml").write_text(PRICES, encoding="utf-8")
    place.run("--prices", "prices.toml")
    done = place.assay("evaluate", f"run:{NAME}", "--dataset", "gold.jsonl", "--json")
    (row,) = document(done)["detectors"]
    assert row["detector"] == f"run:{NAME}"
    assert row["figures"]["balanced accuracy"]["value"] == 1.0
    assert row["coverage"] == 1.0
    assert row["cost"] == pytest.approx(10 * 0.0003)
    assert row["seconds"] > 0


def test_run_that_is_not_finished_has_less_coverage(work: Work) -> None:
    place = work(10)
    labelled(place)
    place.run("--budget-calls", "4")
    done = place.assay("evaluate", f"run:{NAME}", "--dataset", "gold.jsonl", "--json")
    (row,) = document(done)["detectors"]
    assert row["coverage"] == 0.4


def test_run_of_other_data_is_refused(work: Work) -> None:
    place = work(10)
    place.run()
    place.write(5)
    labelled(place)
    done = place.assay("evaluate", f"run:{NAME}", "--dataset", "gold.jsonl")
    assert "5 examples are not in the corpus, first 'ex5'" in error_of(done)
    done = place.assay("evaluate", "run:other", "--dataset", "gold.jsonl")
    assert "unknown run 'other'" in error_of(done)


def test_runs_are_compared(work: Work) -> None:
    place = work(10)
    labelled(place)
    place.run()
    place.assay("run", "data.jsonl", "--detector", "overlap", "--quiet")
    names = (f"run:{NAME}", "run:data--overlap")
    done = place.assay("compare", *names, "--dataset", "gold.jsonl", "--json")
    assert done.exit_code == 0


def test_judge_is_evaluated_with_a_model(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    place = work(6)
    labelled(place)
    monkeypatch.setenv("OPENAI_BASE_URL", place.server.url)
    asked = ("--model", "m", "--dataset", "gold.jsonl", "--json")
    (row,) = document(place.assay("evaluate", "judge-simple", *asked))["detectors"]
    assert row["detector"] == "judge-simple m"
    assert place.server.calls == 6
    done = place.assay("evaluate", "overlap", *asked)
    assert line_of(done) == "no detector here asks a model; leave out the model (--model)"


def test_run_is_exported_in_columns_and_in_parts(work: Work) -> None:
    place = work(5)
    place.assay("run", "data.jsonl", "--detector", "overlap", "--quiet")
    runs = list(open_judgements("run:data--overlap", runs=str(place.folder / "assay-runs")))
    for more in (["out.parquet"], ["out.arrow"], ["out/", "--rows-per-part", "2"]):
        done = place.assay("runs", "export", "data--overlap", "--out", *more)
        assert done.exit_code == 0, done.output
        assert list(open_judgements(more[0])) == runs
    parts = sorted(each.name for each in (place.folder / "out").glob("part-*"))
    assert parts == [f"part-0000{n}.parquet" for n in range(3)]


@pytest.mark.parametrize("out", [["--out", "said.json"], []])
def test_rows_a_part_are_for_exports_to_folders(out: list[str], work: Work) -> None:
    said = line_of(work(1).assay("runs", "export", "any", *out, "--rows-per-part", "2"))
    assert said.endswith("is one file and has no parts; write to DIR/ (--rows-per-part)")
