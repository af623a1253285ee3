"""`assay check` with a baseline and with accepted findings, as a team uses them."""

import json
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Workplace, completed

Run = Callable[..., "subprocess.CompletedProcess[str]"]
RIGHT, WRONG, WORSE = "Ada was born in 1815.", "Ada was born in 1852.", "Ada was born in 1900."
GATE = ("--detector", "embedded", "--quiet", "--baseline", "main.jsonl")
FOUND = "look at what is new: --update-baseline takes all of it into the baseline"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Writes `rows.jsonl` in the working folder: ids and responses."""
    monkeypatch.chdir(tmp_path)

    def rows(*given: tuple[str, str], more: str = "") -> None:
        made = [
            {"source": "Ada was born in 1815.", "response": text, **({"id": id} if id else {})}
            for id, text in given
        ]
        lines = "".join(f"{json.dumps(row)}\n" for row in made)
        (tmp_path / "rows.jsonl").write_text(lines + more)

    return rows


def check(*more: str) -> "subprocess.CompletedProcess[str]":
    return completed("check", "rows.jsonl", *more)


def test_only_what_is_new_fails_and_says_how_to_settle_it(write: Callable[..., None]) -> None:
    write(("a", WRONG), ("b", RIGHT))
    made = check(*GATE, "--update-baseline")
    assert made.returncode == 0
    assert made.stderr.startswith("assay: 1 new for the baseline\n")
    assert "wrote the baseline main.jsonl: 1 added, 0 removed, 0 kept" in made.stderr
    assert (check(*GATE).returncode, check(*GATE).stderr) == (0, "assay: 1 known before\n")
    write(("b", f"{RIGHT} {WORSE}"), ("a", f"{RIGHT} {WRONG}"))
    done = check(*GATE)
    assert done.returncode == 1
    first, new, hint = done.stderr.splitlines()
    assert first == (
        "assay: 1 sentence labelled contradicting and not known before; 1 known before"
    )
    assert new.startswith("assay: new: ")
    assert new.endswith(f" rows.jsonl:1 b contradicting: {WORSE}")
    assert hint.startswith(f"assay: {FOUND}")


def test_lines_to_accept_a_sentence_that_is_repeated_can_be_pasted(
    write: Callable[..., None], tmp_path: Path
) -> None:
    write(("a", f"{WRONG} {RIGHT} {WRONG}"))
    file = tmp_path / "accepted.toml"
    file.touch()
    how = ("--detector", "embedded", "--quiet", "--accept", "accepted.toml")
    told = check(*how).stderr
    lines = told[told.index("[[accepted]]") :]
    assert lines.count("fingerprint") == 1
    file.write_text(lines.replace('who = ""', 'who = "Ann"').replace('why = ""', 'why = "so"'))
    done = check(*how)
    assert (done.returncode, done.stderr) == (0, "assay: 2 accepted\n")


def test_low_score_is_not_called_new_nor_taken_into_a_baseline(write: Callable[..., None]) -> None:
    write(("a", WRONG))
    check(*GATE, "--update-baseline")
    done = check(*GATE, "--fail-under", "0.9")
    assert done.returncode == 1
    assert done.stderr == "assay: 1 response below 0.9; 1 known before\n"


def test_what_is_fixed_is_said_until_the_baseline_is_written_again(
    write: Callable[..., None],
) -> None:
    write(("a", WRONG), ("b", WORSE))
    check(*GATE, "--update-baseline")
    write(("a", WRONG), ("b", RIGHT))
    assert "1 finding of main.jsonl no longer appears" in check(*GATE).stderr
    again = check(*GATE, "--update-baseline")
    assert again.stderr.startswith("assay: 1 known before\n")
    assert "wrote the baseline main.jsonl: 0 added, 1 removed, 1 kept" in again.stderr
    assert "no longer" not in check(*GATE).stderr


@pytest.mark.parametrize(
    ("fail_on", "code"), [("contradicting", 1), ("fabricated", 0), ("unfaithful,not-sure", 1)]
)
def test_rule_may_be_another_than_the_usual_one(
    write: Callable[..., None], fail_on: str, code: int
) -> None:
    write(("a", RIGHT))
    check(*GATE, "--update-baseline")
    write(("a", WRONG))
    done = check(*GATE, "--fail-on", fail_on)
    assert done.returncode == code
    other = fail_on.replace(",", ", ")
    assert f"made with the rule 'unfaithful', and this check with '{other}':" in done.stderr


def test_rule_about_scores_knows_no_baseline(write: Callable[..., None]) -> None:
    write(("a", WRONG))
    check(*GATE, "--update-baseline")
    done = check(*GATE, "--fail-under", "0.5", "--max-unfaithful", "0")
    assert done.returncode == 1
    assert "1 response below 0.5; 1 known before; 1 of 1 response unfaithful" in done.stderr


def test_another_detector_is_said(write: Callable[..., None]) -> None:
    write(("a", WRONG))
    check(*GATE, "--update-baseline")
    done = check(*GATE, "--detector", "overlap")
    assert "main.jsonl was made with embedded" in done.stderr
    assert "this check with overlap" in done.stderr


def test_rows_without_ids_are_known_by_their_sources_and_told_to_have_some(
    write: Callable[..., None],
) -> None:
    write(("", WRONG), ("", RIGHT))
    assert "give each row an 'id'" in check(*GATE, "--update-baseline").stderr
    write(("", RIGHT), ("", RIGHT), ("", WRONG))
    assert check(*GATE).returncode == 0


def test_rows_that_share_an_id_and_no_source_are_told_apart_by_nobody_and_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": "a", "source": f"Ada was born in {year}.", "response": "Ada was born in 1852."}
        for year in (1815, 1816)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in rows))
    done = check("--detector", "embedded", "--quiet", "--baseline", "b.jsonl", "--update-baseline")
    assert "give each row an 'id' of its own" in done.stderr


def test_check_with_rows_that_cannot_be_read_leaves_the_baseline_alone(
    write: Callable[..., None], tmp_path: Path
) -> None:
    write(("a", WRONG))
    check(*GATE, "--update-baseline")
    before = (tmp_path / "main.jsonl").read_bytes()
    write(("a", RIGHT), more="no json\n")
    done = check(*GATE, "--update-baseline")
    assert done.returncode == 2
    assert "the baseline main.jsonl is as it was: there are rows that cannot be" in done.stderr
    assert (tmp_path / "main.jsonl").read_bytes() == before


def test_check_that_is_cut_off_leaves_the_baseline_alone(work: Callable[..., Workplace]) -> None:
    place = work(12)
    asked = ("--detector", "judge-simple", "--model", "m", "--base-url", place.server.url)
    limits = ("--budget-calls", "4", "--concurrency", "1", "--quiet")
    to = ("--baseline", "main.jsonl", "--update-baseline")
    done = place.assay("check", "data.jsonl", *asked, *limits, *to)
    assert done.exit_code == 2
    assert "the baseline main.jsonl is not written: it did not go on to its end" in done.stderr
    assert not (place.folder / "main.jsonl").exists()


def accept(err: str, who: str = "Ann", why: str = "It is right.") -> str:
    """The entries that a failed check prints, filled in."""
    entries = err[err.index("[[accepted]]") :]
    return entries.replace('who = ""', f'who = "{who}"').replace('why = ""', f'why = "{why}"')


def test_printed_entries_accept_what_they_are_about(
    write: Callable[..., None], tmp_path: Path
) -> None:
    write(("a", WRONG), ("b", RIGHT))
    file = tmp_path / "accepted.toml"
    file.write_text("")
    rules = ("--detector", "embedded", "--quiet", "--fail-on", "unfaithful")
    failed = check(*rules, "--accept", file.name)
    assert failed.returncode == 1
    file.write_text(accept(failed.stderr))
    assert tomllib.loads(file.read_text())["accepted"][0]["example"] == "a"
    outputs = ("--junit", "a.xml", "--sarif", "a.sarif", "--csv", "a.csv")
    passed = check(*rules, "--accept", file.name, *outputs)
    assert (passed.returncode, passed.stderr) == (0, "assay: 1 accepted\n")
    suite = ElementTree.parse(tmp_path / "a.xml").getroot()[0]
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "1")
    (result,) = json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    assert "accepted by Ann" in result["suppressions"][0]["justification"]
    assert ",accepted," in (tmp_path / "a.csv").read_text()


def test_entry_without_a_reason_is_refused_and_a_stale_one_is_said(
    write: Callable[..., None], tmp_path: Path
) -> None:
    write(("a", WRONG))
    file = tmp_path / "accepted.toml"
    file.write_text("")
    rules = ("--detector", "embedded", "--quiet", "--accept", file.name)
    failed = check(*rules)  # by --fail-on unfaithful, which goes without saying
    assert failed.returncode == 1
    text = accept(failed.stderr)
    file.write_text(text.replace("It is right.", ""))
    refused = check(*rules)
    assert refused.returncode == 2
    assert 'does not say why it is accepted: why = "REASON"' in refused.stderr
    file.write_text(text)
    write(("a", RIGHT))
    stale = check(*rules)
    assert stale.returncode == 0
    assert "accepted.toml has an entry that matches no finding any more: " in stale.stderr


BAD = {
    "missing": (["--baseline", "none.jsonl"], "there is no baseline none.jsonl; --update-baseline"),
    "not ours": (["--baseline", "data.csv"], "data.csv is not a baseline of Assay"),
    "damaged": (["--baseline", "damaged.jsonl"], "damaged.jsonl line 2 is damaged: "),
    "newer": (["--baseline", "newer.jsonl"], "newer.jsonl is of a newer Assay"),
    "update": (["--update-baseline"], "--update-baseline needs --baseline FILE"),
    "damaged update": (["--baseline", "damaged.jsonl", "--update-baseline"], "line 2 is damaged"),
    "no accepted": (["--accept", "none.toml"], "there is no file none.toml"),
    "unsigned": (["--accept", "unsigned.toml"], "does not say who accepted it"),
    "twice": (["--csv", "a", "--sarif", "./a"], "two outputs would be written to a;"),
    "input": (["--sarif", "rows.jsonl"], "rows.jsonl is an input and would be lost"),
    "rows": (["--baseline", "rows.jsonl", "--update-baseline"], "rows.jsonl is an input"),
    "baseline": (["--baseline", "ours.jsonl", "--csv", "ours.jsonl"], "ours.jsonl is an input"),
    "accepted": (["--accept", "unsigned.toml", "--csv", "unsigned.toml"], "does not say who"),
    "printed": (["--csv", "-", "--markdown", "-"], "only one document can be printed"),
    "with json": (["--json", "--csv", "-"], "only one document can be printed"),
    "sarif": (["--sarif", "-"], "--sarif writes a file; give its name"),
    "stdin": (["--baseline", "-"], "--baseline and --accept need the names of files"),
    "share": (["--max-unfaithful", "500%"], "'500%' is no share; write it as in 5% or 0.05"),
    "folder": (["--sarif", "no/a.sarif"], "cannot write no/a.sarif"),
    "baseline folder": (["--baseline", "no/a", "--update-baseline"], "cannot write no/a"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_nothing_is_written(
    write: Callable[..., None], tmp_path: Path, case: str
) -> None:
    write(("a", WRONG))
    head = '{"schema":"assay-baseline/1","detector":"d","version":"","fail_on":["unfaithful"]}\n'
    (tmp_path / "data.csv").write_text("source,response\n")
    (tmp_path / "ours.jsonl").write_text(head)
    (tmp_path / "damaged.jsonl").write_text(f"{head}<<<<<<< main\n")
    (tmp_path / "newer.jsonl").write_text(head.replace("/1", "/2"))
    (tmp_path / "unsigned.toml").write_text('[[accepted]]\nfingerprint = "1"\n')
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    options, said = BAD[case]
    done = check("--detector", "overlap", "--html", "page.html", *options)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert said in line
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
