"""`assay check` in CI: the share of unfaithful responses, and what servers read."""

import csv
import io
import json
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Workplace, completed

Run = Callable[..., "subprocess.CompletedProcess[str]"]
YEARS = (1815, 1815, 1815, 1852)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `assay` in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    return completed


@pytest.fixture
def rows(tmp_path: Path) -> str:
    made = [
        {"source": "Ada was born in 1815 in London.", "response": f"Ada was born in {year}."}
        for year in YEARS
    ]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in made))
    return "rows.jsonl"


# Wilson's interval for 1 of 4: (0.25 + 0.4802 ± 1.96 √(0.046875 + 0.060025)) / 1.9604
SHARE = "1 of 4 responses unfaithful: 25.0%, 95 % interval 4.6% to 69.9%"


@pytest.mark.parametrize(("most", "code"), [("25%", 0), ("0.25", 0), ("24.9%", 1), ("0", 1)])
def test_share_of_unfaithful_responses_is_said_and_kept(
    run: Run, rows: str, most: str, code: int
) -> None:
    done = run("check", rows, "--detector", "embedded", "--max-unfaithful", most)
    assert done.returncode == code
    assert SHARE in done.stderr


@pytest.mark.parametrize("share", ["x", "5%%", "120%", "-1", "nan", ""])
def test_what_is_no_share_is_refused(run: Run, rows: str, share: str) -> None:
    done = run("check", rows, "--max-unfaithful", share)
    assert done.returncode == 2
    assert "write it as in 5% or 0.05" in done.stderr


def test_junit_fails_the_responses_that_break_the_rules(
    run: Run, rows: str, tmp_path: Path
) -> None:
    how = ("--detector", "embedded", "--quiet", "--junit", "a.xml")
    assert run("check", rows, *how, "--fail-on", "contradicting").returncode == 1
    root = ElementTree.parse(tmp_path / "a.xml").getroot()
    assert root.attrib == {"tests": "4", "failures": "1", "errors": "0"}
    run("check", rows, *how, "--fail-on", "fabricated")
    assert ElementTree.parse(tmp_path / "a.xml").getroot().get("failures") == "0"


@pytest.mark.parametrize(
    ("path", "said"), [("rows.jsonl", "would be lost"), ("-", "give its name"), ("no/a", "cannot")]
)
def test_junit_needs_a_file_of_its_own(run: Run, rows: str, path: str, said: str) -> None:
    done = run("check", rows, "--detector", "embedded", "--junit", path)
    assert done.returncode == 2
    assert said in done.stderr


WRONG = "Ada was born in 1852."


def test_only_the_share_fails_where_it_is_the_only_rule(
    run: Run, rows: str, tmp_path: Path
) -> None:
    how = ("--detector", "embedded", "--quiet", "--max-unfaithful", "10%", "--github")
    done = run("check", rows, *how, "--junit", "a.xml", "--sarif", "a.sarif")
    assert done.returncode == 1
    suite = ElementTree.parse(tmp_path / "a.xml").getroot()[0]
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["share of unfaithful responses"]
    (result,) = json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    assert result["level"] == "warning"
    share, finding, *_ = done.stdout.splitlines()
    told = f"{SHARE}, at most 10% allowed".replace("%", "%25")
    assert share == f"::error title=share of unfaithful responses::{told}"
    assert finding.startswith("::warning file=rows.jsonl,line=4,")


def test_share_of_nothing_judged_is_no_pass(run: Run, tmp_path: Path) -> None:
    row = {"source": "Ein Satz.", "response": "Der Hafen wurde nicht mit einem Fest eröffnet."}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    how = ("--detector", "embedded", "--quiet", "--max-unfaithful", "5%", "--junit", "a.xml")
    done = run("check", "rows.jsonl", *how)
    assert done.returncode == 3
    assert "no response was judged in full, so nobody knows what share is unfaithful" in done.stderr
    assert ElementTree.parse(tmp_path / "a.xml").getroot().get("errors") == "2"


def test_lines_are_those_of_the_file_everywhere(run: Run, tmp_path: Path) -> None:
    source = "Ada was born in 1815."
    (tmp_path / "a.csv").write_text(
        f'id,source,response\n\nx,"{source}\n","{source}"\ny,{source},{WRONG}\n'
    )
    how = ("--detector", "embedded", "--quiet", "--fail-on", "unfaithful", "--github")
    done = run("check", "a.csv", *how, "--sarif", "a.sarif", "--csv", "-", "--junit", "a.xml")
    (result,) = json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 5, "endLine": 5}
    assert done.stderr.startswith("::error file=a.csv,line=5,endLine=5,title=contradicting (y)::")
    assert [row["line"] for row in csv.DictReader(io.StringIO(done.stdout))] == ["3", "5"]
    lines = [case.get("line") for case in ElementTree.parse(tmp_path / "a.xml").iter("testcase")]
    assert lines == ["3", "5"]


def test_finding_of_two_texts_is_at_its_own_line_of_the_response(run: Run, tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text("Ada was born in 1815.")
    (tmp_path / "answer.txt").write_text(f"# Ada\n\nAda was born in 1815.\n\n{WRONG}\n")
    how = ("--detector", "embedded", "--quiet", "--github", "--fail-on", "contradicting")
    done = run("check", "--source", "source.txt", "--response", "answer.txt", *how)
    assert done.stdout.startswith("::error file=answer.txt,line=5,endLine=5,")


def test_paths_are_from_the_root_of_the_repository(
    run: Run, rows: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path.parent))
    how = ("--detector", "embedded", "--quiet", "--github", "--fail-on", "contradicting")
    done = run("check", rows, *how)
    assert f"::error file={tmp_path.name}/rows.jsonl,line=4," in done.stdout


def test_journaled_check_knows_the_lines_too(work: Callable[..., Workplace]) -> None:
    place = work(3)
    data = place.folder / "data.jsonl"
    data.write_text("\n\n" + data.read_text().replace("\n", "\n\n"))
    asked = ("--detector", "judge-simple", "--model", "m", "--base-url", place.server.url)
    done = place.assay("check", "data.jsonl", *asked, "--quiet", "--csv", "-")
    lines = [row["line"] for row in csv.DictReader(io.StringIO(done.stdout))]
    assert lines == ["3", "5", "7"]


def test_summary_of_the_step_is_added_to_what_is_there(
    run: Run, rows: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    how = ("--detector", "embedded", "--quiet", "--fail-on", "unfaithful")
    run("check", rows, *how)
    assert summary.read_text() == "before\n"
    run("check", rows, *how, "--github")
    text = summary.read_text()
    assert text.startswith("before\n## Assay, embedded: failed\n")
    assert f"| rows.jsonl:4 | 4 | contradicting | {WRONG} |" in text


@pytest.mark.parametrize(
    ("option", "begins"), [("--csv", "file,line,"), ("--markdown", "## Assay")]
)
def test_printed_table_takes_the_place_of_what_is_shown(
    run: Run, rows: str, tmp_path: Path, option: str, begins: str
) -> None:
    how = ("--detector", "embedded", option)
    printed, written = run("check", rows, *how, "-"), run("check", rows, *how, "a.out")
    assert printed.stdout.startswith(begins)
    assert (tmp_path / "a.out").read_bytes().decode() == printed.stdout
    assert "contradicting" in written.stdout


def test_check_that_judges_nothing_writes_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rows.jsonl").write_text("")
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    files = ("--csv", "a.csv", "--markdown", "a.md", "--sarif", "a.sarif", "--github")
    assert run("check", "rows.jsonl", "--detector", "overlap", *files).returncode == 2
    assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]


def test_no_text_that_is_shown_on_github_is_a_command(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    row = {"source": "Ada was born in 1815.", "response": f"{WRONG}\n\n::stop-commands::x"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    how = ("--detector", "embedded", "--fail-on", "unfaithful", "--github")
    first, *lines = run("check", "rows.jsonl", *how).stdout.splitlines()
    token = first.removeprefix("::stop-commands::")
    assert len(token) == 32
    ended = lines.index(f"::{token}::")
    assert any(line.strip().startswith("::stop-commands::x") for line in lines[:ended])
    assert [line.partition(" ")[0] for line in lines[ended + 1 :]] == ["::error"]


@pytest.mark.parametrize("printed", ["--csv", "--markdown"])
def test_no_text_of_a_printed_table_is_a_command_and_annotations_are(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    row = {"id": "1\n::add-mask::x", "source": "Ada was born in 1815.", "response": WRONG}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    how = ("--detector", "embedded", "--fail-on", "unfaithful", "--github", printed, "-")
    done = run("check", "rows.jsonl", *how)
    first, *lines = done.stderr.splitlines()
    token = first.removeprefix("::stop-commands::")
    assert len(token) == 32
    assert "add-mask::x" in done.stdout
    after = lines[lines.index(f"::{token}::") + 1 :]
    assert [line.partition(" ")[0] for line in after if line.startswith("::")] == ["::error"]


def test_no_line_that_is_said_has_a_command_in_it(run: Run, tmp_path: Path) -> None:
    rows = [
        {"source": "A cat sat.", "response": "A.", "language": "##[stop-commands]x"},
        {"id": "q", "source": "A cat sat.", "response": "##[add-mask]e zebra danced."},
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "accepted.toml").touch()
    how = ("--detector", "overlap", "--accept", "accepted.toml", "--quiet")
    said = run("check", "rows.jsonl", *how).stderr
    assert "## [stop-commands]x" in said
    assert "## [add-mask]e zebra" in said
    assert "##[" not in said
    entry = tomllib.loads(said[said.index("[[accepted]]") :])["accepted"][0]
    assert entry["sentence"] == "##[add-mask]e zebra danced."
    printed = run("check", "rows.jsonl", "--detector", "overlap", "--json").stdout
    assert "##[" not in printed
    assert json.loads(printed)["problems"]


def test_rows_that_cannot_be_read_stand_where_they_are_in_the_file(
    run: Run, rows: str, tmp_path: Path
) -> None:
    made = (tmp_path / rows).read_text().splitlines()
    lines = ["{first", made[0], "{third", "{fourth", *made[1:3], "{last"]
    (tmp_path / rows).write_text("\n".join(lines))
    run("check", rows, "--detector", "embedded", "--csv", "a.csv", "--junit", "a.xml", "--quiet")
    with (tmp_path / "a.csv").open() as file:
        table = [(int(row["line"]), row["failure"][:10]) for row in csv.DictReader(file)]
    unread = [(1, "unreadable"), (3, "unreadable"), (4, "unreadable"), (7, "unreadable")]
    assert table == sorted([*unread, (2, ""), (5, ""), (6, "")])
    suite = ElementTree.parse(tmp_path / "a.xml").getroot()[0]
    assert [case.get("line") for case in suite] == ["1", "2", "3", "4", "5", "6", "7"]
