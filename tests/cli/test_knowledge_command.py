"""`assay knowledge` on small corpora, and against a server on loopback."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from assay.cli.knowledge import app
from assay.knowledge.corpora.tables import writing_alone
from tests.cli.conftest import assay, line_of
from tests.knowledge.conftest import Site, folder, site
from tests.knowledge.web.test_mediawiki import Wiki

__all__ = ["folder", "site"]  # fixtures
Run = Callable[..., Result]
DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `assay knowledge`."""
    monkeypatch.chdir(tmp_path)
    return partial(assay, "knowledge")


def document_of(result: Result) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_index_says_what_it_did(run: Run, folder: Path) -> None:
    first = run("index", "notes", "--out", "c.sqlite")
    assert first.exit_code == 0
    assert "c.sqlite: files 3 (indexed 3, unchanged 0, removed 0)" in first.stdout
    again = document_of(run("index", "notes", "--out", "c.sqlite", "--json"))
    assert (again["unchanged"], again["passages"], again["problems"]) == (3, 0, [])


def test_unreadable_files_are_told_and_give_exit_code_2(run: Run, folder: Path) -> None:
    (folder / "rows.jsonl").write_text("nonsense\n" * 12, "utf-8")
    result = run("index", "notes", "--out", "c.sqlite")
    assert result.exit_code == 2
    assert result.stderr.count("it is not JSON") == 10
    assert "and 2 more that could not be read" in result.stderr
    assert "indexed 4" in result.stdout
    again = run("index", "notes", "--out", "c.sqlite")
    assert (again.exit_code, again.stderr) == (2, result.stderr)


def test_missing_files_can_be_kept(run: Run, folder: Path) -> None:
    run("index", "notes", "--out", "c.sqlite")
    (folder / "ferry.txt").unlink()
    kept = run("index", "notes", "--out", "c.sqlite", "--keep-missing", "--json")
    assert document_of(kept)["removed"] == 0
    assert document_of(run("index", "notes", "--out", "c.sqlite", "--json"))["removed"] == 1


def test_the_length_of_passages_can_be_chosen(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One two three four five six seven. " * 20, "utf-8")
    report = document_of(run("index", "a.txt", "--out", "c.sqlite", "--words", "14", "--json"))
    assert report["passages"] == 10


def test_search_prints_passages(run: Run, folder: Path) -> None:
    run("index", "notes", "--out", "c.sqlite")
    text = run("search", "c.sqlite", 'Did the "ferry" sink?').stdout
    assert "1. ferry" in text
    assert "The ferry Lindmoor sank in 1986." in text
    found = document_of(run("search", "c.sqlite", "ferry", "--most", "1", "--json"))
    assert (found["source"], found["query"]) == ("corpus:c.sqlite", "ferry")
    (passage,) = found["passages"]
    assert passage["address"] == "ferry.txt"
    assert len(passage["digest"]) == 64
    assert "nothing found" in run("search", "c.sqlite", "zebra").stdout


def test_terminal_signs_in_passages_do_no_harm(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The ferry \x1b[2Jsank.", "utf-8")
    run("index", "a.txt", "--out", "c.sqlite")
    assert "\x1b" not in run("search", "c.sqlite", "ferry").stdout


def test_show_counts_what_is_there(run: Run, folder: Path) -> None:
    run("index", "notes", "--out", "c.sqlite")
    facts = document_of(run("show", "c.sqlite", "--json"))
    assert (facts["kind"], facts["files"], facts["passages"]) == ("local corpus", 3, 3)
    assert facts["bytes"] == Path("c.sqlite").stat().st_size
    assert "passages" in run("show", "c.sqlite").stdout


def test_searches_are_kept_played_back_and_exported(run: Run, folder: Path) -> None:
    run("index", "notes", "--out", "c.sqlite")
    found = run("search", "c.sqlite", "ferry", "--keep", "s.sqlite", "--json").stdout
    Path("c.sqlite").unlink()
    offline = ("--keep", "s.sqlite", "--offline", "--json")
    assert run("search", "c.sqlite", "ferry", *offline).stdout == found
    assert "holds no search" in line_of(run("search", "c.sqlite", "boat", *offline))
    assert document_of(run("show", "s.sqlite", "--json"))["snapshots"] == 1
    assert "passages 1" in run("export", "s.sqlite", "--out", "s.jsonl").stdout
    assert "1 snapshots and 1 searches" in run("import", "s.jsonl", "--into", "t.sqlite").stdout
    assert run("search", "c.sqlite", "ferry", "--keep", "t.sqlite", *offline[2:]).stdout == found


def test_a_corpus_can_be_exported(run: Run, folder: Path) -> None:
    run("index", "notes", "--out", "c.sqlite")
    assert "passages 3" in run("export", "c.sqlite", "--out", "c.jsonl").stdout
    records = [json.loads(line) for line in Path("c.jsonl").read_text("utf-8").splitlines()]
    assert [record["title"] for record in records] == ["The bridge of Vass", "ferry", "Library"]


def test_a_wiki_is_searched(run: Run, site: Site) -> None:
    site.answers["/w/api.php"] = Wiki()
    source = f"mediawiki:{site.base}"
    found = run("search", source, "town Vass", "--allow-private", "--most", "1", "--json")
    assert document_of(found)["passages"][0]["title"] == "Vass"


def test_private_servers_are_refused_without_the_flag(run: Run, site: Site) -> None:
    result = run("search", f"mediawiki:{site.base}", "ferry")
    assert "not a public address" in line_of(result)
    assert site.asked == []


def test_a_web_search_reads_pages_if_wanted(
    run: Run, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "sesame")
    result = {"title": "t", "url": f"{site.base}/page", "content": "A snippet about a ferry."}
    site.answers["/search"] = (200, "application/json", json.dumps({"results": [result]}))
    site.answers["/page"] = (200, "text/html", "<p>The whole ferry.</p>")
    arguments = ("search", f"tavily:{site.base}/search", "ferry", "--allow-private", "--json")
    assert document_of(run(*arguments))["passages"][0]["text"] == "A snippet about a ferry."
    assert document_of(run(*arguments, "--pages"))["passages"][0]["text"] == "The whole ferry."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("search", "brave", "ferry"), "environment variable BRAVE_API_KEY"),
        (("search", "gogle", "ferry"), "unknown knowledge source 'gogle'"),
        (("search", "c.sqlite", " "), "the query is empty"),
        (("search", "c.sqlite", "ferry", "--most", "0"), "at least 1 passage, not 0"),
        (("search", "c.sqlite", "ferry", "--offline"), "needs a file of snapshots to replay"),
        (("index", "nowhere", "--out", "c.sqlite"), "no file or folder at nowhere"),
        (("show", "nowhere.sqlite"), "no file at nowhere.sqlite"),
        (("show", "text.sqlite"), "neither a local corpus nor a file of snapshots"),
        (("export", "text.sqlite", "--out", "x.jsonl"), "neither a local corpus"),
        (("import", "nowhere.jsonl", "--into", "s.sqlite"), "cannot read nowhere.jsonl"),
    ],
)
def test_bad_input_is_one_clear_line(
    arguments: tuple[str, ...], message: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    Path("text.sqlite").write_text("text", "utf-8")
    assert message in line_of(run(*arguments))


def test_a_corpus_in_use_is_said(run: Run, folder: Path, tmp_path: Path) -> None:
    with writing_alone(tmp_path / "c.sqlite"):
        result = run("index", "notes", "--out", str(tmp_path / "c.sqlite"))
    assert "being indexed by another process" in line_of(result)


def test_an_export_never_takes_the_place_of_its_input(run: Run, folder: Path) -> None:
    run("index", "notes", "--out", "c.sqlite")
    assert "would be lost" in line_of(run("export", "c.sqlite", "--out", "c.sqlite"))


def test_every_command_and_option_is_documented() -> None:
    import click

    text = (DOCS / "knowledge.md").read_text("utf-8")
    context = click.Context(app)
    for name in app.list_commands(context):
        command = app.get_command(context, name)
        assert command
        assert f"assay knowledge {name}" in text
        options = [o for p in command.params for o in p.opts if o.startswith("--")]
        assert [o for o in options if o != "--help" and o not in text] == []


def test_fields_and_reasons_are_documented() -> None:
    from assay.knowledge.corpora.documents import FIELDS, READERS
    from assay.knowledge.opening import SOURCES
    from assay.knowledge.sources import FetchReason

    text = (DOCS / "knowledge.md").read_text("utf-8")
    names = [name for names in FIELDS.values() for name in names]
    reasons = FetchReason.__args__  # type: ignore[attr-defined]
    assert [name for name in (*names, *READERS, *reasons) if f"`{name}`" not in text] == []
    assert [name for name in SOURCES if f"`{name}" not in text] == []
