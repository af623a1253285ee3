"""Files of snapshots are anybody's: whatever is in one, it is refused in words or read."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from assay.core.errors import AssayError, InputError
from assay.knowledge.snapshots import (
    Search,
    Snapshots,
    export_snapshots,
    import_snapshots,
)
from assay.knowledge.sources import KnowledgePassage
from tests.mutations import damaged

pytestmark = pytest.mark.slow

PASSAGE = KnowledgePassage("The ferry sank.", "Ferry", "https://example.org", "2020", start=3)
SEARCH = Search("wiki", "ferry", 5, (PASSAGE.scored(0.5),))
COLUMNS = {
    "snapshots": ("digest", "address", "title", "time", "retrieved", "start", "text"),
    "searches": ("source", "query", "most", "found"),
}
VALUES: tuple[Any, ...] = ("", "x", -1, 2**62, 1.5, float("inf"), b"\xff", "[]", "[[1]]", "[NaN]")
LINES = [
    {**PASSAGE.to_dict()},
    {"source": "wiki", "query": "q", "most": 5, "found": [[PASSAGE.digest, PASSAGE.address, 1]]},
]


@pytest.fixture
def fresh(tmp_path: Path) -> Callable[[], Path]:
    """Makes a new copy of a file of snapshots."""
    good = tmp_path / "good.sqlite"
    with closing(Snapshots(good)) as snapshots:
        snapshots.put([SEARCH])

    def copy() -> Path:
        return Path(shutil.copy(good, tmp_path / "bad.sqlite"))

    return copy


def use(path: Path) -> None:
    """Does with the file whatever reads it."""
    for read in (
        lambda kept: kept.get_search("wiki", "ferry"),
        lambda kept: [list(kept), list(kept.searches()), kept.count(), kept.digest()],
        lambda kept: export_snapshots(kept, path.with_name("out.jsonl")),
    ):
        with closing(Snapshots(path, to_write=False)) as kept, suppress(AssayError):
            read(kept)


@pytest.mark.parametrize("table", COLUMNS)
def test_any_value_in_any_column_is_refused_or_read(fresh: Callable[[], Path], table: str) -> None:
    for column in COLUMNS[table]:
        for value in VALUES:
            path = fresh()
            with closing(sqlite3.connect(path)) as connection:
                connection.execute(f"UPDATE {table} SET {column} = ?", (value,))
                connection.commit()
            use(path)


def test_a_damaged_search_says_where(fresh: Callable[[], Path]) -> None:
    path = fresh()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE searches SET found = '[[1]]'")
        connection.commit()
    with (
        closing(Snapshots(path, to_write=False)) as kept,
        pytest.raises(InputError, match=r"a search in .*bad\.sqlite is damaged"),
    ):
        kept.get_search("wiki", "ferry")


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(passage=damaged(LINES[0]), search=damaged(LINES[1]))
def test_damaged_lines_are_refused_or_imported(
    tmp_path: Path, passage: bytes, search: bytes
) -> None:
    good = json.dumps(LINES[0]).encode()
    for lines in (passage, good + b"\n" + search):
        (tmp_path / "in.jsonl").write_bytes(lines + b"\n")
        with closing(Snapshots(tmp_path / "into.sqlite")) as kept:
            with suppress(AssayError):
                import_snapshots(tmp_path / "in.jsonl", kept)
            export_snapshots(kept, tmp_path / "out.jsonl")
        for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines():
            json.loads(line, parse_constant=pytest.fail)
