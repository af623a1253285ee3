"""Sources by name."""

import asyncio
from pathlib import Path

import pytest

from assay.core.errors import InputError, UnknownNameError
from assay.knowledge import KnowledgeChoice, SourceOptions, index_corpus, open_source
from assay.knowledge.opening import SOURCES
from assay.knowledge.snapshots import Search, Snapshots


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("wikipedia", "mediawiki:https://en.wikipedia.org/w/api.php"),
        ("wikipedia:de", "mediawiki:https://de.wikipedia.org/w/api.php"),
        ("mediawiki:https://x.org", "mediawiki:https://x.org/w/api.php"),
        ("brave", "brave"),
        ("tavily:https://proxy.example.org/search", "tavily:https://proxy.example.org/search"),
    ],
)
def test_sources_are_opened_by_name(
    name: str, called: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "x")
    monkeypatch.setenv("TAVILY_API_KEY", "x")
    assert open_source(name).name == called


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("wikipedya", SourceOptions(), "Did you mean 'wikipedia'"),
        ("none.sqlite", SourceOptions(), "there is no local corpus"),
        ("wikipedia:../x", SourceOptions(), "not a language of Wikipedia"),
        ("wikipedia", SourceOptions(pages=True), "always read in full"),
        (
            "mediawiki:https://me:secret@x.org",
            SourceOptions(),
            "must not contain a user name or password: x.org",
        ),
        ("mediawiki:https://x.org/?key=1", SourceOptions(), "must not have a query"),
        ("mediawiki:file:///etc/passwd", SourceOptions(), "not an http or https address"),
        ("mediawiki:http://127.0.0.1:8000", SourceOptions(), "is not a public address"),
        ("mediawiki:http://localhost:8000", SourceOptions(), "is not a public address"),
        ("tavily:http://[fd12::1]/search", SourceOptions(), "is not a public address"),
        ("a.sqlite", SourceOptions(pages=True), "no web pages"),
        ("wikipedia", SourceOptions(offline=True), "needs a file of snapshots to replay"),
        ("wikipedia", SourceOptions(offline=True, keep="none.sqlite"), "there is no file of"),
    ],
)
def test_what_cannot_be_opened_is_said(
    name: str, options: SourceOptions, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "x")
    with pytest.raises(InputError, match=message):
        open_source(name, options)


@pytest.mark.parametrize(
    ("name", "options", "code", "field"),
    [
        ("mediawiki:http://localhost", SourceOptions(), "private-address", "allow_private"),
        ("wikipedia", SourceOptions(pages=True), "input", "pages"),
        ("wikipedia", SourceOptions(offline=True), "input", "keep"),
        ("wikipedya", SourceOptions(), "unknown-name", "knowledge"),
        ("none.sqlite", SourceOptions(), "no-corpus", ""),
        ("brave", SourceOptions(), "no-key", ""),
    ],
)
def test_errors_name_the_option_to_blame(
    name: str, options: SourceOptions, code: str, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)
    monkeypatch.delenv("BRAVE_SEARCH_API_KEY", raising=False)
    with pytest.raises(InputError) as caught:
        open_source(name, options)
    assert (caught.value.code, caught.value.field) == (code, field)
    assert "--" not in str(caught.value)


def test_options_without_a_source_are_refused() -> None:
    with pytest.raises(InputError, match="'offline' is an option of a knowledge source") as caught:
        KnowledgeChoice(options=SourceOptions(offline=True))
    assert (caught.value.code, caught.value.field) == ("no-knowledge-source", "offline")


def test_a_private_source_is_opened_if_allowed_or_played_back(tmp_path: Path) -> None:
    name = "mediawiki:http://127.0.0.1:8000/w/api.php"
    assert open_source(name, SourceOptions(allow_private=True)).name == name
    Snapshots(tmp_path / "s.sqlite").close()
    assert open_source(name, SourceOptions(keep=tmp_path / "s.sqlite", offline=True)).name == name


def test_unknown_names_list_the_sources() -> None:
    with pytest.raises(UnknownNameError) as caught:
        open_source("google")
    assert all(name in str(caught.value) for name in SOURCES)


def test_a_corpus_can_be_played_back_without_its_file(folder: Path, tmp_path: Path) -> None:
    corpus, kept = tmp_path / "c.sqlite", tmp_path / "s.sqlite"
    index_corpus(folder, corpus)

    async def search(options: SourceOptions) -> list[str]:
        async with open_source(str(corpus), options) as source:
            return [each.digest for each in await source.search("ferry")]

    found = asyncio.run(search(SourceOptions(keep=kept)))
    corpus.unlink()
    assert found == asyncio.run(search(SourceOptions(keep=kept, offline=True)))


def test_nothing_is_needed_to_play_a_service_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)
    snapshots = Snapshots(tmp_path / "s.sqlite")
    snapshots.put([Search("brave+pages", "q", 5, ())])
    snapshots.close()
    options = SourceOptions(pages=True, keep=tmp_path / "s.sqlite", offline=True)

    async def search() -> int:
        async with open_source("brave", options) as source:
            return len(await source.search("q"))

    assert asyncio.run(search()) == 0
