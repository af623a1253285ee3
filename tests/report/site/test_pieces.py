"""The files of a site: what they hold is what was given, and nothing in it can break out."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.board.results import Board
from assay.board.rows import Row
from assay.core.errors import InputError
from assay.core.texts import Source
from assay.report.pages.records import literal
from assay.report.pages.texts import SeenTexts
from assay.report.site.pieces import MOST_CHARACTERS, MOST_ROWS, Folder, SourcePieces
from assay.report.site.site import require_site, write_site

Read = Callable[[Path, str], Any]


@given(st.recursive(st.text() | st.none() | st.integers(), st.lists))
def test_literal_is_read_back_and_ends_no_script(value: Any) -> None:
    text = literal(value)
    assert json.loads(text) == value
    assert not set(text) & {"<", "\u2028", "\u2029"}


@pytest.fixture(scope="module")
def site(board: Board, rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sites") / "site"
    write_site(board, iter(rows), folder)
    return folder


def _listed(site: Path, model: int, read_piece: Read) -> list[tuple[str, dict[str, Any]]]:
    """The ids and records of an LLM's rows, found as the page finds them."""
    listing = read_piece(site, f"rows/{model}")
    found = []
    for place, id in enumerate(listing["ids"]):
        part = sum(start <= place for start in listing["starts"]) - 1
        found.append(
            (id, read_piece(site, f"rows/{model}-{part}")[place - listing["starts"][part]])
        )
    return found


def test_pieces_give_back_the_rows(
    site: Path, board: Board, rows: list[Row], read_piece: Read
) -> None:
    for number, model in enumerate(board.models):
        own = [row for row in rows if row.example.response.model == model]
        records = _listed(site, number, read_piece)
        assert [id for id, _ in records] == [record["id"] for _, record in records]
        assert [id for id, _ in records] == [row.example.id for row in own]
        for row, (_, record) in zip(own, records, strict=True):
            place = record["source"]
            source = read_piece(site, f"sources/{place['block']}")[place["at"]]
            assert (source["id"], source["text"]) == (
                row.example.source.id,
                row.example.source.text,
            )
            assert record["text"] == row.example.response.text
            assert record.get("question", "") == row.example.question
            assert [each is None for each in record["said"]] == [each is None for each in row.said]


def test_verdicts_stand_where_the_judge_put_them(
    site: Path, rows: list[Row], read_piece: Read
) -> None:
    row = rows[0]
    record = _listed(site, 0, read_piece)[0][1]
    wide = record["text"].encode("utf-16-le")
    source = read_piece(site, "sources/0")[record["source"]["at"]]["text"].encode("utf-16-le")
    reader = row.said[1]
    assert reader is not None
    for unit, finding in zip(record["said"][1]["units"], reader.findings, strict=True):
        (start, end), (first, last) = unit["places"][0], unit["quotes"][0]["at"]
        assert wide[2 * start : 2 * end].decode("utf-16-le") == finding.text
        assert source[2 * first : 2 * last].decode("utf-16-le") == finding.evidence[0].text
        runs = [start, *(start + each for each in accumulate(unit.get("runs", [])))]
        cut = [wide[2 * a : 2 * b].decode("utf-16-le") for a, b in pairwise(runs)]
        assert cut[1::2] == [mark.text for mark in finding.marks]
        assert unit["note"] == finding.note
        assert unit["score"] == finding.score


def test_pairs_without_common_sources_are_not_called_alike(
    board: Board, rows: list[Row], tmp_path: Path, read_piece: Read
) -> None:
    p_values = tuple(
        tuple(None if {a, b} == {0, 3} or a == b else 0.5 for b in range(4)) for a in range(4)
    )
    first = replace(board.rankings[0], p_values=p_values, shared=(3, 9))
    write_site(replace(board, rankings=(first, *board.rankings[1:])), rows, tmp_path / "site")
    ranking = read_piece(tmp_path / "site", "board")["rankings"][0]
    assert ranking["shared"] == [3, 9]
    assert [row.count("?") for row in ranking["differs"]] == [1, 0, 0, 1]
    assert ranking["differs"][0][3] == "?"


def test_pieces_are_small(board: Board, rows: list[Row], tmp_path: Path, read_piece: Read) -> None:
    one = next(row for row in rows if row.example.response.model == "beta")
    many = [
        replace(one, example=replace(one.example, id=f"r{number}"))
        for number in range(MOST_ROWS + 1)
    ]
    long = replace(
        one.example, id="long", response=replace(one.example.response, text="x" * 200_000)
    )
    site = tmp_path / "site"
    written = write_site(board, [*many, replace(one, example=long, said=(None,) * 4)], site)
    assert written.rows == MOST_ROWS + 2
    assert read_piece(site, "rows/1")["starts"] == [0, MOST_ROWS, MOST_ROWS + 1]
    assert len(read_piece(site, "rows/1-0")) == MOST_ROWS
    assert (site / "data/rows/1-0.js").stat().st_size < MOST_CHARACTERS


def test_source_is_stored_once(tmp_path: Path, rows: list[Row], read_piece: Read) -> None:
    sources = SourcePieces(Folder(tmp_path))
    example = rows[0].example
    other = replace(example, source=Source("Another text", id=example.source.id))
    places = [sources.place(each.source, SeenTexts(each)) for each in (example, other, example)]
    sources.close()
    assert places[0] == places[2] != places[1]
    assert len(read_piece(tmp_path, "sources/0")) == 2


def test_source_in_html_says_what_a_reader_sees(
    tmp_path: Path, rows: list[Row], read_piece: Read
) -> None:
    html = "<p>Ada has <b>two</b> caf&eacute;s.</p>"
    example = replace(rows[0].example, source=Source(html, id="h"))
    sources = SourcePieces(Folder(tmp_path))
    sources.place(example.source, SeenTexts(example))
    sources.close()
    [record] = read_piece(tmp_path, "sources/0")
    seen, position = "", 0
    for edit in record["edits"]:
        start, end = edit["at"]
        seen += html[position:start] + edit.get("seen", "")
        position = end
    assert (seen + html[position:]).strip() == "Ada has two cafés."


def test_file_names_are_safe_for_any_name(site: Path) -> None:
    names = {each.name for each in site.rglob("*") if each.is_file()}
    assert all(
        name.isascii() and name.replace("-", "").replace(".", "").isalnum() for name in names
    )
    assert sorted(each.name for each in site.iterdir()) == [
        "board.csv",
        "board.json",
        "data",
        "index.html",
        "static",
    ]


def test_downloads_are_the_board(site: Path, board: Board) -> None:
    assert json.loads((site / "board.json").read_text(encoding="utf-8"))["digest"] == board.digest
    assert "alpha-1" in (site / "board.csv").read_text(encoding="utf-8")


def test_older_site_is_replaced(board: Board, rows: list[Row], tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site(board, rows, site)
    (site / "data" / "left.js").write_text("")
    write_site(board, rows[:4], site)
    assert not (site / "data" / "left.js").exists()
    assert [each.name for each in tmp_path.iterdir()] == ["site"]


def test_empty_folder_is_taken(board: Board, rows: list[Row], tmp_path: Path) -> None:
    write_site(board, rows, tmp_path)
    assert (tmp_path / "index.html").exists()


def test_folder_of_something_else_is_refused(board: Board, rows: list[Row], tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>My page")
    with pytest.raises(InputError, match="something else in this folder"):
        write_site(board, rows, tmp_path)
    assert (tmp_path / "index.html").read_text() == "<p>My page"


def test_file_of_somebody_in_a_site_is_not_lost(
    board: Board, rows: list[Row], tmp_path: Path
) -> None:
    site = tmp_path / "site"
    write_site(board, rows, site)
    (site / "CNAME").write_text("example.org")
    with pytest.raises(InputError, match="CNAME there is not a part of it"):
        require_site(site)


def test_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("")
    with pytest.raises(InputError, match="it is not a folder"):
        require_site(tmp_path / "site")


def test_failure_leaves_the_older_site(board: Board, rows: list[Row], tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_site(board, rows, site)
    before = (site / "index.html").read_bytes()

    def broken() -> Any:
        yield rows[0]
        raise InputError("the data end too early")

    with pytest.raises(InputError, match="too early"):
        write_site(board, broken(), site)
    assert (site / "index.html").read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["site"]


def test_folder_that_cannot_be_made_is_told(board: Board, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*No such file"):
        write_site(board, [], tmp_path / "none" / "site")
