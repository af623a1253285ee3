"""`assay check` from end to end, in a folder of its own; pipes and signals in processes."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pytest
from pyarrow import parquet

from assay.core.codec import read_document
from assay.core.wire import SCHEMA, schema
from assay.evaluation.references import open_judgements
from tests.cli.conftest import completed
from tests.cli.loopback import Loopback, question
from tests.detectors.discourse.scripts import GOOD, Model, entry, taken_apart

SOURCE = "The ferry has crossed the strait since 1986. It carried 48,200 passengers last year."
RESPONSE = "The ferry has crossed the strait since 1986. Elephants danced on the roof at midnight."
ROW = {"source": SOURCE, "response": RESPONSE}
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `assay` with some arguments in a folder with a pair of texts."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "source.txt").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "response.txt").write_text(RESPONSE, encoding="utf-8")
    (tmp_path / "one.json").write_text(json.dumps(ROW), encoding="utf-8")
    return completed


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key for the model's server."""
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")


PAIR = ("check", "--source", "source.txt", "--response", "response.txt")


def lines_of(tmp_path: Path, *lines: str) -> str:
    (tmp_path / "many.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return "many.jsonl"


def judgements(done: "subprocess.CompletedProcess[str]") -> list[dict[str, Any]]:
    """The judgements of the document on standard output."""
    found: list[dict[str, Any]] = json.loads(done.stdout)["judgements"]
    return found


def without_times(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Judgements without when they were made."""
    return [{name: value for name, value in each.items() if name != "at"} for each in said]


def one_line(text: str) -> bool:
    return text.startswith("assay: ") and text.count("\n") == 1


def test_evidence_in_html_is_shown_as_a_reader_sees_it(run: Run, tmp_path: Path) -> None:
    table = "<tr><td>Tuesday</td><td>10 to 18</td></tr><tr><td>Friday</td><td>10 to 20</td></tr>"
    (tmp_path / "hours.html").write_text(f"<p>Hours</p><table>{table}</table>")
    (tmp_path / "answer.txt").write_text("It opens on Tuesday from 10 to 18.")
    pair = ("--source", "hours.html", "--response", "answer.txt")
    done = run("check", *pair, "--detector", "overlap")
    assert "❝ Tuesday; 10 to 18. ❞" in done.stdout
    assert "<td>" not in done.stdout


def test_two_files_show_each_sentence_with_label_evidence_and_sums(run: Run) -> None:
    done = run(*PAIR)
    assert done.returncode == 0
    assert "explicitly-supported" in done.stdout
    assert "fabricated" in done.stdout
    assert "❝ The ferry has crossed the strait since 1986. ❞" in done.stdout
    assert "2 sentences" in done.stdout
    assert "coverage 100.0%, 0 failures" in done.stdout.replace("\n", " ")


def test_json_fits_the_documented_schema(run: Run) -> None:
    document = json.loads(run(*PAIR, "--json").stdout)
    jsonschema.validate(document, schema())
    assert document["schema"] == SCHEMA
    assert document["manifest"]["detector"] == "embedded"
    (judgement,) = document["judgements"]
    assert [(unit["id"], unit["verdict"]["label"]) for unit in judgement["units"]] == [
        ("s1", "explicitly-supported"),
        ("s2", "fabricated"),
    ]


def test_json_offsets_cut_the_sentences_out_of_the_response(run: Run) -> None:
    (judgement,) = judgements(run(*PAIR, "--json"))
    assert all(RESPONSE[u["start"] : u["end"]] == u["text"] for u in judgement["units"])
    evidence = [each for unit in judgement["units"] for each in unit["verdict"]["evidence"]]
    assert evidence
    assert all(SOURCE[e["start"] : e["end"]] == e["text"] for e in evidence)
    assert judgement["source_characters"] == judgement["characters_read"] == len(SOURCE)


def test_json_file_json_lines_csv_and_parquet_give_the_same(run: Run, tmp_path: Path) -> None:
    row = {"id": "a", **ROW}
    (tmp_path / "x.json").write_text(json.dumps(row))
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n")
    with (tmp_path / "x.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow(row)
    parquet.write_table(pa.Table.from_pylist([row]), tmp_path / "x.parquet")
    kinds = ("json", "jsonl", "csv", "parquet")
    first, *others = (judgements(run("check", f"x.{kind}", "--json")) for kind in kinds)
    assert [each["example"] for each in first] == ["a"]
    assert [without_times(each) for each in others] == [without_times(first)] * 3


def test_standard_input_takes_json_and_json_lines(run: Run) -> None:
    pretty = run("check", "-", "--json", stdin=json.dumps(ROW, indent=2))
    lines = run("check", "-", "--json", stdin=f"{json.dumps(ROW)}\n{json.dumps(ROW)}\n")
    assert (len(judgements(pretty)), len(judgements(lines))) == (1, 2)


def test_structured_source_is_checked_field_by_field(run: Run, tmp_path: Path) -> None:
    source = {"name": "Blue Door", "hours": {"Monday": "closed"}}
    (tmp_path / "source.json").write_text(json.dumps(source))
    (tmp_path / "said.txt").write_text("Monday: closed.")
    done = run("check", "--source", "source.json", "--response", "said.txt", "--json")
    sentence = judgements(done)[0]["units"][0]
    assert sentence["verdict"]["evidence"][0]["text"] == "hours > Monday: closed"


def test_many_show_only_what_needs_a_look_unless_all_is_asked(run: Run, tmp_path: Path) -> None:
    name = lines_of(tmp_path, json.dumps(ROW), json.dumps({**ROW, "response": SOURCE}))
    flagged, everything = run("check", name), run("check", name, "--all")
    headings = [len(re.findall(r"(?m)^[12] .+ ──", done.stdout)) for done in (flagged, everything)]
    assert headings == [1, 2]
    assert "Elephants danced" in flagged.stdout
    shown = [re.search(r"(?m)^[✔✓] ", done.stdout) is not None for done in (flagged, everything)]
    assert shown == [False, True]


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        (("--fail-under", "0.5"), 1),
        (("--fail-under", "0.0"), 0),
        (("--fail-under", "nan"), 2),
        (("--fail-on", "fabricated,contradicting"), 1),
        (("--fail-on", "unfaithful"), 1),
        (("--fail-on", "contradicting"), 0),
    ],
)
def test_fail_rules_decide_the_exit_code(run: Run, rule: tuple[str, str], code: int) -> None:
    assert run(*PAIR, *rule).returncode == code


def test_fail_under_without_scores_is_bad_usage(run: Run, server: Loopback) -> None:
    asked = ("--detector", "judge-simple", "--model", "m", "--base-url", server.url)
    done = run("check", "one.json", *asked, "--fail-under", "0.5")
    assert done.returncode == 2
    assert "judge-simple gives labels without scores" in done.stderr
    assert one_line(done.stderr)
    assert server.calls == 0


def test_document_of_a_check_is_a_set_of_judgements(run: Run, tmp_path: Path) -> None:
    done = run("check", "one.json", "--json")
    (tmp_path / "said.json").write_text(done.stdout, encoding="utf-8")
    manifest, said = read_document(done.stdout.encode(), "the output")
    opened = open_judgements(str(tmp_path / "said.json"))
    assert (opened.manifest, list(opened)) == (manifest, said)
    assert [verdict.label for verdict in said[0].verdicts] == ["explicitly-supported", "fabricated"]


def test_units_without_a_verdict_exit_with_3(run: Run, server: Loopback, key: None) -> None:
    server.answer = lambda body: "no idea"
    asked = ("--detector", "judge-gray7", "--model", "m", "--base-url", server.url, "--json")
    done = run("check", "one.json", *asked)
    (judgement,) = judgements(done)
    assert done.returncode == 3
    assert judgement["response"] == {"label": None, "score": None, "coverage": 0.0}
    assert [unit["failure"]["reason"] for unit in judgement["units"]] == ["parse", "parse"]


def test_bad_lines_are_told_by_number_and_the_others_are_checked(run: Run, tmp_path: Path) -> None:
    name = lines_of(tmp_path, json.dumps(ROW), "{oops", "", '{"text": 1}', json.dumps(ROW))
    done = run("check", name, "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 2
    assert len(document["judgements"]) == 2
    assert [p["where"] for p in document["problems"]] == ["many.jsonl line 2", "many.jsonl line 4"]
    assert "none of source, document, doc, context" in done.stderr
    assert "Traceback" not in done.stderr


def test_lines_in_a_pipe_end_where_their_words_end(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(
        json.dumps({"source": "The cat sat.", "response": "Elephants danced."}), encoding="utf-8"
    )
    lines = run("check", str(tmp_path / "rows.jsonl"), "--detector", "overlap").stdout.split("\n")
    assert "  Elephants danced." in lines
    assert not any(line.endswith(" ") for line in lines)


def test_a_thousand_bad_lines_do_not_flood_the_terminal(run: Run, tmp_path: Path) -> None:
    done = run("check", lines_of(tmp_path, json.dumps(ROW), *["{"] * 1000))
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 11
    assert "990 more rows" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--source", "nope.txt", "--response", "response.txt"), "cannot read nope.txt"),
        (("--source", "empty.txt", "--response", "response.txt"), "the source is empty"),
        (("--source", "source.txt", "--response", "empty.txt"), "the response is empty"),
        (("--source", "latin.txt", "--response", "response.txt"), "latin.txt is not UTF-8"),
        (("--source", "nul.txt", "--response", "response.txt"), "NUL byte"),
        (("nope.jsonl",), "cannot read nope.jsonl"),
        (("empty.jsonl",), "no examples"),
        (("not.json",), "not.json is not JSON"),
        (("--source", "deep.json", "--response", "response.txt"), "JSON: it is nested too deeply"),
        (("source.txt",), "cannot tell what source.txt is"),
        (("broken.parquet",), "broken.parquet is not Parquet"),
        (("broken.jsonl.gz",), "cannot read broken.jsonl.gz"),
        (("unknown.csv",), "name the one to read (--source-field)"),
        (("one.json", "--detector", "overlp"), "Did you mean 'overlap'?"),
        (("one.json", "--detector", "recorded:one.json"), "unknown detector 'recorded'"),
        (("one.json", "--detector", "overlap:x"), "takes nothing after its name"),
        (("one.json", "--fail-on", "fabriated"), "Did you mean 'fabricated'?"),
        (("one.json", "--html", "no/such/folder/page.html"), "cannot write"),
        (("one.json", "--html", "one.json"), "is an input and would be lost"),
        (("--source", "source.txt", "--response", "response.txt", "--html", "source.txt"), "lost"),
        (("one.json", "--html", "-"), "give its name"),
        (("one.json", "--fail-on", ""), "--fail-on needs labels"),
        (("one.json", "--language", "german?"), "a language is given by its code"),
        (("one.json", "--source-field", "text"), "source, response (--source-field)"),
        (("one.json", "--source", "source.txt"), "not both"),
        ((), "nothing to check"),
        (("--source", "-", "--response", "-"), "standard input"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "empty.jsonl").write_text("\n")
    (tmp_path / "latin.txt").write_bytes("caf\xe9 noir".encode("latin-1"))
    (tmp_path / "nul.txt").write_bytes(b"a\0b")
    (tmp_path / "not.json").write_text("nothing")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "broken.parquet").write_text("PAR1 nothing")
    (tmp_path / "broken.jsonl.gz").write_text("nothing")
    (tmp_path / "unknown.csv").write_text("a,b\n1,2\n")
    done = run("check", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert one_line(done.stderr)


def test_an_old_page_survives_input_that_cannot_be_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("old")
    done = run("check", "nope.jsonl", "--html", "page.html")
    assert done.returncode == 2
    assert (tmp_path / "page.html").read_text() == "old"


def test_html_writes_a_page_beside_the_terminal_view(run: Run, tmp_path: Path) -> None:
    done = run(*PAIR, "--html", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert done.returncode == 0
    assert "Elephants danced on the roof at midnight." in page
    assert sorted(p.name for p in tmp_path.glob("*.html*")) == ["page.html"]


def test_page_names_the_file_and_the_rows_that_could_not_be_read(run: Run, tmp_path: Path) -> None:
    name = lines_of(tmp_path, json.dumps(ROW), "not JSON")
    run("check", name, "--html", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"<h1><bdi>{name}</bdi>" in page
    assert "1 row could not be read" in page
    assert f"<bdi>{name} line 2</bdi>" in page


def test_a_reader_that_leaves_early_causes_no_traceback(tmp_path: Path, run: Run) -> None:
    name = lines_of(tmp_path, *[json.dumps(ROW)] * 2000)
    command = f"{sys.executable} -m assay check {name} --json | head -n 1"
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "{\n"
    assert done.stderr == ""


def test_a_closed_pipe_is_not_reported_as_a_broken_rule(tmp_path: Path, run: Run) -> None:
    name = lines_of(tmp_path, *[json.dumps(ROW)] * 2000)
    pipe = f"{sys.executable} -m assay check {name} --all | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", pipe], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "141"


def test_control_characters_of_a_text_do_not_reach_the_terminal(run: Run, tmp_path: Path) -> None:
    name = lines_of(tmp_path, json.dumps({**ROW, "response": "Elephants \x1b[31mdanced."}))
    done = run("check", name, "--all")
    assert "\x1b" not in done.stdout
    assert "\\x1b[31m" in done.stdout


def test_a_terminal_without_unicode_shows_question_marks(run: Run, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assay", *PAIR],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert "? explicitly-supported" in done.stdout


def test_ctrl_c_leaves_a_valid_document(tmp_path: Path, run: Run) -> None:
    name = lines_of(tmp_path, *[json.dumps(ROW)] * 50_000)
    with (tmp_path / "out.json").open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "assay", "check", name, "--json"],
            cwd=tmp_path,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + 60
        while os.path.getsize(tmp_path / "out.json") < 10_000 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        try:
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert process.returncode == 130
    assert 0 < len(document["judgements"]) < 50_000
    assert "stopped after" in said


def test_a_response_longer_than_its_source_is_checked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("Fish swim.")
    (tmp_path / "long.txt").write_text("Fish swim in the sea. " * 150)
    done = run("check", "--source", "short.txt", "--response", "long.txt", "--json")
    assert done.returncode == 0
    assert len(judgements(done)[0]["units"]) == 150


def test_version_and_help(run: Run) -> None:
    assert run("--version").stdout.startswith("assay 0.")
    assert "--fail-under" in run("check", "--help").stdout


def test_discourse_without_a_model_is_checked_offline(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("The ferry stopped. The council met on Tuesday.")
    (tmp_path / "r.txt").write_text("The ferry stopped because the council met on Tuesday.")
    done = run("check", "--discourse", "--json", "--source", "s.txt", "--response", "r.txt")
    assert json.loads(done.stdout)["manifest"]["detector"] == "discourse-offline"
    parts = [unit for unit in judgements(done)[0]["units"] if unit.get("parent")]
    assert {(unit["kind"], unit["parent"]) for unit in parts} == {
        ("claim", "s1"),
        ("relation", "s1"),
    }


def test_discourse_beside_another_detector_is_refused(run: Run) -> None:
    done = run("check", "--discourse", "--detector", "overlap", "x.jsonl")
    assert "leave out overlap (--detector)" in done.stderr


def test_discourse_with_a_model_asks_it_and_says_so(run: Run, server: Loopback, key: None) -> None:
    first = "The ferry has crossed the strait since 1986"
    claims = ((1, f"{first}.", first), (2, "Elephants danced on the roof.", "Elephants danced"))
    model = Model(taken_apart(claims), [GOOD, entry("fabricated")])
    server.answer = lambda body: str(model.answer(question(body)))
    asked = ("--discourse", "--model", "m", "--base-url", server.url)
    done = run(*PAIR, *asked)
    words = " ".join(done.stdout.split())
    assert "The claim “Elephants danced on the roof.” is fabricated." in words
    assert "2 sentences (2 claims)" in done.stdout
    units = judgements(run(*PAIR, *asked, "--json"))[0]["units"]
    assert [unit["verdict"]["attributes"]["backend"] for unit in units if "parent" not in unit] == [
        "model",
        "model",
    ]
