"""Nothing from a file, a name or an argument steers the terminal, whichever command prints it.

A sweep: every command meets hostile text in every place that a file can bring it, and all that is
printed is scanned.
"""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from assay.app.runs import RunLine
from assay.cli import runs as runs_command
from assay.cli.application import COMMANDS
from tests.cli.conftest import assay

FORBIDDEN = "\x00\x07\x08\x0b\x0c\r\x1b\x7f\x84\x9b\x9d\u061c\u200b\u200e\u200f\u2028\u2029\u202a"
FORBIDDEN += "\u202e\u2066\u2069\u2060\ufeff\U000e0041"
# An escape that sets the title, one that hides, a reversal of the line, invisible characters, and
# what rich would take for markup.
NAME = "a\x1b]0;owned\x07\x9b8mb\u202ec\u2066d\u200be\ufefff\U000e0041[red]"
TEXT = f"{NAME}[/nope]\r\u2028g"
_OURS = re.compile(r"\x1b\[\??[0-9;]*[A-Za-z]|\r")  # colours, and what moves a bar
ROW = {"source": f"The cat sat. {TEXT} on 3 May.", "response": f"Dogs {TEXT} danced."}


def scan(*arguments: str, stdin: str = "", colours: bool = False) -> str:
    """Runs a command, which may refuse but not crash, and looks at all that it prints."""
    done = assay(*arguments, stdin=stdin)
    assert done.exit_code in (0, 1, 2, 3), done.output
    printed = _OURS.sub("", done.output) if colours else done.output
    found = sorted(set(printed) & set(FORBIDDEN))
    assert not found, f"{arguments}: {found} in {printed!r}"
    return done.output


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with hostile files in it."""
    monkeypatch.chdir(tmp_path)
    for name in ("ASSAY_RUNS", "ASSAY_DATA", "ASSAY_MODEL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    rows = [
        {"id": TEXT, **ROW, "model": TEXT, "task": TEXT, "split": TEXT, "label": "faithful"},
        {"id": "2", **ROW, "label": "unfaithful"},
        {"id": "3", **ROW, "label": TEXT},
        {TEXT: TEXT, "id": "4"},
        {"id": "5", **ROW, "language": TEXT},
        {"id": "6", **ROW, "answer": TEXT},
    ]
    lines = "\n".join(map(json.dumps, rows))
    (tmp_path / f"{NAME}.jsonl").write_text(lines, encoding="utf-8")
    good = "\n".join(map(json.dumps, rows[:2]))
    (tmp_path / "good.jsonl").write_text(good, encoding="utf-8")
    (tmp_path / f"{NAME}.json").write_text(f'{{"{TEXT}": nonsense', encoding="utf-8")
    (tmp_path / f"{NAME}.csv").write_text(f"{NAME},b\n1,2\n", encoding="utf-8")
    (tmp_path / f"{NAME}.txt").write_text(TEXT, encoding="utf-8")
    said = "".join(f'"{n}","{NAME}{who}",{n % 2}\n' for n in range(6) for who in "ab")
    (tmp_path / "accepted.toml").write_text("")
    (tmp_path / "annotators.csv").write_text(f"id,annotator,label\n{said}", encoding="utf-8")
    return tmp_path


Hostile = tuple[str, ...]

PLAIN: list[Hostile] = [
    (TEXT,),
    (f"--{TEXT}",),
    ("check", f"{NAME}.jsonl", "--detector", "overlap"),
    ("check", f"{NAME}.jsonl", "--detector", "overlap", "--all"),
    ("check", f"{NAME}.jsonl", "--detector", "overlap", "--json"),
    ("check", "good.jsonl", "--detector", "discourse-offline", "--all"),
    ("check", "good.jsonl", "--detector", "overlap", "--html", f"no/{NAME}.html"),
    ("check", "good.jsonl", "--detector", "overlap", "--sarif", f"no/{NAME}.sarif"),
    ("check", "good.jsonl", "--detector", "overlap", "--baseline", f"{NAME}.jsonl"),
    ("check", "good.jsonl", "--detector", "overlap", "--accept", f"{NAME}.csv"),
    ("check", f"{NAME}.jsonl", "--detector", "overlap", "--fail-on", "unfaithful", "--github"),
    ("check", f"{NAME}.jsonl", "--detector", "overlap", "--accept", "accepted.toml"),
    ("check", f"{NAME}.json"),
    ("check", f"{NAME}.csv"),
    ("check", f"missing{NAME}.jsonl"),
    ("check", "good.jsonl", "--detector", TEXT),
    ("check", "good.jsonl", "--fail-on", TEXT),
    ("check", "good.jsonl", "--fail-under", TEXT),
    ("check", "good.jsonl", "--language", TEXT),
    ("check", "good.jsonl", "--source-field", TEXT),
    ("check", "good.jsonl", "--detector", "judge-simple", "--model", TEXT),
    ("check", "good.jsonl", "--knowledge", f"{NAME}.sqlite"),
    ("check", "--source", f"{NAME}.txt", "--response", f"{NAME}.txt", "--detector", "overlap"),
    ("check", f"--{TEXT}"),
    ("check", "good.jsonl", "--calibration", f"{NAME}.json"),
    ("check", "good.jsonl", "--device", TEXT),
    ("calibrate", f"{NAME}.jsonl", "--label-field", "label", "--out", f"{NAME}.out.json"),
    ("run", f"{NAME}.jsonl", "--detector", "overlap"),
    ("run", "good.jsonl", "--detector", "overlap", "--name", TEXT),
    ("run", "good.jsonl", "--detector", "overlap", "--task", TEXT),
    ("runs", "list", "--runs", f"{NAME}/nowhere"),
    ("runs", "show", TEXT),
    ("runs", "export", TEXT),
    ("runs", "delete", TEXT),
    ("data", "list", "--data", NAME),
    ("data", "show", TEXT),
    ("data", "show", "ragtruth", "--data", NAME),
    ("data", "stats", f"{NAME}.jsonl", "--label-field", "label", "--no-overlap"),
    ("data", "stats", "good.jsonl", "--label-field", "label", "--no-overlap"),
    ("data", "stats", f"{NAME}.jsonl", "--label-field", "label", "--no-overlap", "--json"),
    ("data", "validate", f"{NAME}.jsonl", "--label-field", "label"),
    ("data", "validate", f"{NAME}.jsonl", "--label-field", TEXT, "--json"),
    ("data", "changes", "good.jsonl", f"{NAME}.jsonl", "--label-field", "label"),
    ("data", "convert", f"{NAME}.jsonl", "--to", f"{NAME}2.jsonl"),
    ("data", "convert", "good.jsonl", "--to", TEXT),
    ("data", "download", TEXT),
    ("detectors", "show", TEXT),
    ("models", "list"),
    ("models", "show", TEXT),
    ("models", "pull", TEXT),
    ("models", "pull", "large", "--from", f"{NAME}.jsonl"),
    ("models", "remove", TEXT),
    ("evaluate", "overlap", "--dataset", f"{NAME}.jsonl"),
    ("evaluate", "overlap", "--dataset", "good.jsonl"),
    ("evaluate", "overlap", "--dataset", "good.jsonl", "--json"),
    ("evaluate", "overlap", "--dataset", "good.jsonl", "--reading", TEXT),
    ("evaluate", TEXT, "--dataset", "good.jsonl"),
    ("evaluate", f"{NAME}.json", "--dataset", "good.jsonl"),
    ("evaluate", f"run:{TEXT}", "--dataset", "good.jsonl"),
    ("compare", "overlap", "discourse-offline", "--dataset", "good.jsonl", "--show", "5"),
    ("compare", "overlap", TEXT, "--dataset", "good.jsonl"),
    ("board", "build", "good.jsonl", "gold", "overlap", "--replicates", "20"),
    ("board", "build", "good.jsonl", "overlap", "--json", "--title", TEXT),
    ("board", "build", "good.jsonl", "overlap", "--by-task", "--title", TEXT),
    ("board", "build", f"{NAME}.jsonl", "gold"),
    ("board", "build", "good.jsonl", TEXT),
    ("board", "build", "good.jsonl", "overlap", "--own", TEXT),
    ("board", "build", "good.jsonl", "overlap", "--levels", TEXT),
    ("board", "build", "good.jsonl", "overlap", "--csv", f"no/{NAME}.csv"),
    ("board", "build", "good.jsonl", "overlap", "--site", f"no/{NAME}/site"),
    ("localize", "evaluate", TEXT, "--dataset", "good.jsonl"),
    ("localize", "evaluate", "overlap", "--dataset", TEXT),
    ("localize", "choose", TEXT, "--dataset", "good.jsonl"),
    ("localize", "matcher", "--dataset", f"{NAME}.jsonl"),
    ("enrich", "propose", f"{NAME}.jsonl", "--explanations", "--out", f"{NAME}3.jsonl"),
    ("enrich", "propose", "good.jsonl", "--out", TEXT),
    ("enrich", "apply", f"{NAME}.jsonl", "good.jsonl", "--out", "out.jsonl"),
    ("audit", "flag", f"{NAME}.jsonl", "overlap", "--out", "flags.jsonl"),
    ("audit", "flag", "good.jsonl", "overlap", "--out", "flags.jsonl"),
    ("audit", "flag", "good.jsonl", "overlap", "--out", "flags.jsonl", "--json"),
    ("audit", "flag", "good.jsonl", TEXT, "--out", TEXT),
    ("audit", "flag", "good.jsonl", "overlap", "--out", "flags.jsonl", "--leave-out", TEXT),
    ("audit", "adjudicate", f"{NAME}.jsonl"),
    ("audit", "adjudicate", f"studio:{TEXT}"),
    ("audit", "adjudicate", f"{NAME}.jsonl", "--studio", TEXT),
    ("audit", "verify", f"{NAME}.jsonl", "--vote", TEXT, "--out", "votes.jsonl"),
    ("audit", "apply", "good.jsonl", f"{NAME}.jsonl", "--out", "revised.jsonl"),
    ("explain-errors", "overlap", "--dataset", "good.jsonl", "--out", f"{NAME}4.jsonl"),
    ("explain-errors", TEXT, "--dataset", "good.jsonl"),
    ("filter", f"{NAME}.jsonl", "--out", "f.jsonl"),
    ("filter", "good.jsonl", "--out", f"{NAME}6.jsonl", "--dropped", f"{NAME}7.jsonl"),
    ("filter", "good.jsonl", "--out", "f.jsonl", "--drop-sources", f"{NAME}.txt", "--json"),
    ("filter", "good.jsonl", "--out", TEXT, "--language", TEXT, "--duplicates", TEXT),
    ("filter", "good.jsonl", "--contradictions", TEXT, "--proposals", f"{NAME}8.jsonl"),
    ("collect", "good.jsonl", "--replies", f"{NAME}=good.jsonl", "--out", "c.jsonl"),
    ("collect", "good.jsonl", "--replies", f"{TEXT}={NAME}.jsonl", "--out", "c.jsonl"),
    ("collect", "good.jsonl", "--model", TEXT, "--model", TEXT, "--out", "c.jsonl"),
    ("collect", f"{NAME}.jsonl", "--model", TEXT, "--out", "c.jsonl"),
    ("collect", TEXT, "--task", TEXT, "--model", "m", "--out", f"{NAME}.jsonl"),
    ("collect", ".", "--replies", f"m={NAME}.csv", "--models", f"{NAME}.txt", "--out", "c.jsonl"),
    ("knowledge", "show", f"{NAME}.sqlite"),
    ("knowledge", "search", f"{NAME}.sqlite", TEXT),
    ("knowledge", "search", TEXT, TEXT),
    ("knowledge", "import", f"{NAME}.json", "--into", "kept.sqlite"),
    ("reproduce", TEXT),
    ("mine", f"{NAME}.jsonl", "overlap", "discourse-offline"),
    ("mine", "good.jsonl", "overlap", "discourse-offline", "--hard", "0.1"),
    ("mine", "good.jsonl", TEXT, "overlap", "--out", f"{NAME}5.jsonl"),
    ("mine", "good.jsonl", "overlap", "discourse-offline", "--models", TEXT, "--json"),
    ("batch", f"{NAME}.jsonl", "--annotators", "ann,bo", "--out", "plan.csv"),
    ("batch", "good.jsonl", "--annotators", f"ann,{NAME}", "--out", f"{NAME}6.jsonl"),
    ("batch", "good.jsonl", "--annotators", f"{NAME},{TEXT}", "--studio", TEXT),
    ("batch", "good.jsonl", "--annotators", "ann,bo", "--out", TEXT, "--key", TEXT),
    ("agree", f"{NAME}.jsonl", "--label-field", "label"),
    ("agree", "annotators.csv"),
    ("agree", "annotators.csv", "--label-taxonomy", "gray7"),
    ("agree", f"studio:{TEXT}", "--database", "studio.sqlite"),
    ("agree", "good.jsonl", "--csv", f"no/{NAME}.csv"),
    ("studio", "import", f"{NAME}.jsonl", "--project", TEXT, "--database", "studio.sqlite"),
    ("studio", "import", "good.jsonl", "--database", f"{NAME}.sqlite"),
    ("studio", "export", TEXT, "--database", "studio.sqlite"),
    ("serve", "--new-key", TEXT),
    ("serve", "--keys", f"{NAME}.keys"),
    ("serve", "--detector", TEXT),
    ("studio", "list", "--database", f"{NAME}/nowhere.sqlite"),
    ("studio", "attach", TEXT, f"run:{TEXT}", "--database", "studio.sqlite"),
    ("bench-server", TEXT),
    ("bench-server", "http://127.0.0.1:9/v1", "--model", TEXT),
    ("studio", "account", TEXT, "--role", TEXT, "--database", "studio.sqlite"),
]


def test_every_command_is_swept() -> None:
    assert {arguments[0] for arguments in PLAIN} >= set(COMMANDS)


@pytest.mark.parametrize("arguments", PLAIN, ids=lambda each: " ".join(map(ascii, each))[:60])
def test_command_spells_out_what_it_prints(folder: Path, arguments: Hostile) -> None:
    scan(*arguments)


@pytest.mark.parametrize("option", [(), ("--all",)])
def test_only_our_own_colours_reach_a_terminal(
    folder: Path, monkeypatch: pytest.MonkeyPatch, option: tuple[str, ...]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    scan("check", f"{NAME}.jsonl", "--detector", "overlap", *option, colours=True)
    scan("data", "validate", f"{NAME}.jsonl", "--label-field", "label", colours=True)


def hostile(value: Any) -> Any:
    """JSON with hostile text in the place of every text, but those that are read as a choice."""
    chosen = ("kind", "unit_kind", "taxonomy", "label", "schema", "reason", "state", "id", "parent")
    if isinstance(value, dict):
        made: dict[str, Any] = {
            name: each if name in chosen and isinstance(each, str) else hostile(each)
            for name, each in value.items()
        }
        if {"start", "end", "text"} <= made.keys():  # a place is as long as its text
            made["end"] = made["start"] + len(made["text"])
        return made
    if isinstance(value, list):
        return [hostile(each) for each in value]
    return TEXT if isinstance(value, str) else value


@pytest.fixture
def crafted(folder: Path) -> Path:
    """A run whose every text is hostile, and the document that was exported from it before."""
    asked = ("--detector", "overlap", "--name", "crafted", "--quiet")
    assert assay("run", "good.jsonl", *asked).exit_code == 0
    assert assay("runs", "export", "crafted", "--out", "said.json").exit_code == 0
    with closing(sqlite3.connect("assay-runs/crafted.sqlite")) as connection:
        manifest, facts = connection.execute("SELECT manifest, facts FROM runs").fetchone()
        told = {**json.loads(facts), "adaptations": [TEXT], "state": TEXT}
        made = {**hostile(json.loads(manifest)), "model": TEXT, "parameters": {TEXT: TEXT}}
        connection.execute(
            "UPDATE runs SET manifest = ?, facts = ?", (json.dumps(made), json.dumps(told))
        )
        for number, record in connection.execute("SELECT rowid, record FROM judgements").fetchall():
            connection.execute(
                "UPDATE judgements SET record = ? WHERE rowid = ?",
                (json.dumps(hostile(json.loads(record))), number),
            )
        connection.execute("UPDATE units SET reason = ?", (TEXT,))
        connection.commit()
    document = json.loads(Path("said.json").read_text(encoding="utf-8"))
    Path("said.json").write_text(json.dumps(hostile(document)), encoding="utf-8")
    return folder


def test_a_crafted_run_is_shown_spelled_out(crafted: Path) -> None:
    assert "\\x1b]0;owned" in scan("runs", "list")
    assert "\\u202e" in scan("runs", "show", "crafted")
    for arguments in (
        ("runs", "list", "--json"),
        ("runs", "show", "crafted", "--json"),
        ("runs", "export", "crafted"),
        ("runs", "delete", "crafted"),
        ("run", "good.jsonl", "--detector", "overlap", "--name", "crafted", "--resume"),
        ("evaluate", "run:crafted", "--dataset", "good.jsonl"),
        ("evaluate", "said.json", "--dataset", "good.jsonl"),
        ("compare", "said.json", "overlap", "--dataset", "good.jsonl"),
        ("explain-errors", "said.json", "--dataset", "good.jsonl"),
        ("localize", "evaluate", "said.json", "--dataset", "good.jsonl"),
    ):
        scan(*arguments)


def test_exported_json_says_the_same_as_was_kept(crafted: Path) -> None:
    document = json.loads(scan("runs", "export", "crafted"))
    assert document["manifest"]["model"] == TEXT


def test_indexed_documents_are_shown_spelled_out(folder: Path) -> None:
    (folder / "docs").mkdir()
    text = f"# {TEXT}\n\nThe ferry sank. {TEXT}\n"
    (folder / "docs" / f"{NAME}.md").write_text(text, encoding="utf-8")
    (folder / "docs" / f"{NAME}.jsonl").write_text(f'{{"{TEXT}', encoding="utf-8")
    scan("knowledge", "index", "docs", "--out", f"{NAME}.sqlite")
    assert "ferry sank" in scan("knowledge", "search", f"{NAME}.sqlite", "ferry")
    for arguments in (
        ("knowledge", "index", "docs", "--out", f"{NAME}.sqlite", "--json"),
        ("knowledge", "search", f"{NAME}.sqlite", "ferry", "--json"),
        ("knowledge", "search", f"{NAME}.sqlite", TEXT),
        ("knowledge", "show", f"{NAME}.sqlite"),
        ("knowledge", "show", f"{NAME}.sqlite", "--json"),
        ("knowledge", "export", f"{NAME}.sqlite", "--out", f"{NAME}5.jsonl"),
        ("check", "good.jsonl", "--detector", "overlap", "--knowledge", f"{NAME}.sqlite"),
    ):
        scan(*arguments)


def test_what_plugins_say_is_spelled_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = {TEXT: TEXT, "lines": f"one\n{TEXT}"}
    monkeypatch.setattr("assay.cli.detectors.detector_facts", lambda name: facts)
    assert "\\x1b" in scan("detectors", "show", "any")
    scan("detectors", "show", "any", "--json")
    lines = [RunLine(TEXT, problem=TEXT), RunLine("b")]
    monkeypatch.setattr(runs_command, "list_runs", lambda runs: (TEXT, lines))
    assert "\\x1b" in scan("runs", "list")


def test_consoles_are_made_in_one_place() -> None:
    folder = Path(assay.__code__.co_filename).parents[2] / "src" / "assay"
    made = [
        str(path.relative_to(folder))
        for path in (*folder.glob("cli/*.py"), *folder.glob("report/*.py"))
        if re.search(r"\bConsole\(", path.read_text(encoding="utf-8"))
    ]
    assert made == []  # but for the class itself, which calls its parent


def test_legitimate_text_stays_readable(folder: Path) -> None:
    text = "👩\u200d🔬 می\u200cخواهم שלום été e\u0301 naïve ❤️ 中文."
    row = {"id": text, "source": "The cat sat.", "response": f"Dogs danced {text}"}
    (folder / "text.jsonl").write_text(json.dumps(row), encoding="utf-8")
    shown = scan("check", "text.jsonl", "--detector", "overlap")
    assert text in shown.replace("\n", " ")
