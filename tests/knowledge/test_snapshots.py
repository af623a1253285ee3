"""Snapshots: kept, cited, exported, imported, played back."""

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.knowledge import KnowledgePassage
from assay.knowledge.snapshots import (
    RecordingSource,
    ReplayedSource,
    Search,
    Snapshots,
    export_snapshots,
    import_snapshots,
)

FERRY = KnowledgePassage("It sank.", "Ferry", "https://x.org/f", "2024", "2025-01-01T00:00:00Z")
BRIDGE = KnowledgePassage("It stood. \ud800", "Bridge", "https://x.org/b", start=7)


class Scripted:
    """A source that finds what it is told, and counts how often it is asked."""

    name = "scripted"
    digest = ""

    def __init__(self, *passages: KnowledgePassage) -> None:
        self.passages = passages
        self.asked = 0

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        self.asked += 1
        return self.passages[:most]

    async def __aenter__(self) -> "Scripted":
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


@pytest.fixture
def snapshots(tmp_path: Path) -> Snapshots:
    return Snapshots(tmp_path / "s.sqlite")


def test_a_snapshot_is_found_by_its_digest(snapshots: Snapshots) -> None:
    snapshots.put([FERRY, BRIDGE])
    assert snapshots.get(FERRY.digest) == FERRY
    kept = snapshots.get(BRIDGE.digest)
    assert kept is not None
    assert (kept.text, kept.start, kept.digest) == ("It stood. \ufffd", 7, BRIDGE.digest)
    assert snapshots.get("0" * 64) is None
    snapshots.close()


def test_the_first_snapshot_of_a_text_at_an_address_stays(snapshots: Snapshots) -> None:
    later = KnowledgePassage("It sank.", "Other", FERRY.address, "2030")
    elsewhere = KnowledgePassage("It sank.", "Copy", "https://y.org/f")
    snapshots.put([FERRY, later, elsewhere])
    assert snapshots.get(FERRY.digest, FERRY.address) == FERRY
    assert snapshots.get(FERRY.digest, "https://y.org/f") == elsewhere
    assert snapshots.count() == (2, 0)
    snapshots.close()


def test_what_a_source_finds_is_kept_and_played_back(snapshots: Snapshots) -> None:
    source = Scripted(FERRY.scored(2.0), BRIDGE.scored(1.0))

    async def work() -> None:
        async with RecordingSource(source, snapshots) as kept:
            found = await kept.search("ferry", 2)
        async with ReplayedSource("scripted", snapshots) as replayed:
            again = await replayed.search("ferry", 2)
            assert [each.digest for each in again] == [each.digest for each in found]
            assert [each.score for each in again] == [2.0, 1.0]
            assert await replayed.search("ferry", 1) == again[:1]

    asyncio.run(work())
    assert source.asked == 1


@pytest.mark.parametrize(
    ("name", "query", "most", "message"),
    [
        ("scripted", "bridge", 2, "holds no search of scripted for 'bridge'"),
        ("other", "ferry", 2, "holds no search of other"),
        ("scripted", "ferry", 3, "holds 2 passages for 'ferry', but 3 are wanted"),
    ],
)
def test_what_was_not_searched_cannot_be_played_back(
    name: str, query: str, most: int, message: str, snapshots: Snapshots
) -> None:
    snapshots.put([Search("scripted", "ferry", 2, (FERRY, BRIDGE))])
    with pytest.raises(InputError, match=message):
        asyncio.run(ReplayedSource(name, snapshots).search(query, most))
    snapshots.close()


def test_a_search_that_found_little_can_be_played_back_for_more(snapshots: Snapshots) -> None:
    snapshots.put([Search("scripted", "ferry", 5, (FERRY,)), Search("scripted", "zebra", 5, ())])
    replayed = ReplayedSource("scripted", snapshots)
    assert len(asyncio.run(replayed.search("ferry", 20))) == 1
    assert asyncio.run(replayed.search("zebra", 5)) == ()
    snapshots.close()


def test_a_repeated_search_replaces_what_it_found(snapshots: Snapshots) -> None:
    snapshots.put([Search("s", "q", 5, (FERRY,)), Search("s", "q", 5, (BRIDGE,))])
    search = snapshots.get_search("s", "q")
    assert search is not None
    assert [each.title for each in search.passages] == ["Bridge"]
    assert snapshots.count() == (2, 1)
    snapshots.close()


def test_snapshots_travel_as_json_lines(snapshots: Snapshots, tmp_path: Path) -> None:
    snapshots.put([Search("s", "q", 5, (FERRY.scored(3.5), BRIDGE))])
    assert export_snapshots(snapshots, tmp_path / "s.jsonl") == 2
    other = Snapshots(tmp_path / "other.sqlite")
    for _ in range(2):
        import_snapshots(tmp_path / "s.jsonl", other)
    assert list(other) == list(snapshots)
    assert list(other.searches()) == list(snapshots.searches())
    snapshots.close()
    other.close()


RECORD = FERRY.to_dict()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (json.dumps({**RECORD, "text": "It swam."}), "does not match its digest"),
        (json.dumps({"title": "t"}), "object with a 'text'"),
        (json.dumps({**RECORD, "title": 5}), "'title' of a snapshot must be a string, not 5"),
        ("nonsense", "is not JSON"),
        ("[]", "object with a 'text'"),
        (json.dumps({"query": "q"}), "'source', 'query' and 'most'"),
        (json.dumps({"source": "s", "query": "q", "most": True, "found": []}), "and 'most'"),
        (json.dumps({"source": "s", "query": "q", "most": 5}), "must list what it 'found'"),
        (
            json.dumps({"source": "s", "query": "q", "most": 5, "found": [1]}),
            "a digest, an address",
        ),
        (
            json.dumps({"source": "s", "query": "q", "most": 5, "found": [["ab", "x", 1]]}),
            "not in the file: ab",
        ),
    ],
)
def test_an_import_with_one_wrong_line_adds_nothing(
    line: str, message: str, snapshots: Snapshots, tmp_path: Path
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(f"{json.dumps(RECORD)}\n\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=f"line 3.*{message}"):
        import_snapshots(path, snapshots)
    assert snapshots.count() == (0, 0)
    snapshots.close()


def test_a_file_that_is_not_there_is_said(snapshots: Snapshots, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        import_snapshots(tmp_path / "none.jsonl", snapshots)
    with pytest.raises(InputError, match="there is no file of snapshots"):
        Snapshots(tmp_path / "none.sqlite", to_write=False)
    snapshots.close()


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "other.sqlite")
    connection.execute("CREATE TABLE mine (a)")
    connection.close()
    with pytest.raises(
        InputError, match="not a file of snapshots: it is another kind of SQLite file"
    ):
        Snapshots(tmp_path / "other.sqlite")


def test_records_give_the_passage_back() -> None:
    assert KnowledgePassage.from_dict(FERRY.to_dict()) == FERRY
    assert KnowledgePassage.from_dict({"text": "a", "score": 1, "start": 2}).score == 1.0
