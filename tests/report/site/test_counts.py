"""Every count of a board that was built opens as many responses as it says."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.board.results import Board
from assay.board.rows import Row
from assay.core.codec import write_example
from assay.core.examples import Annotated
from assay.core.judgements import GOLD

Read = Callable[[Path, str], Any]
LETTERS = {"hallucinated": "h", "refused": "r", "invalid": "i", "failed": "x"}


@pytest.fixture(scope="module")
def made(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> tuple[Board, Path]:
    """A board that was built from a file with gold and two recorded detectors, and its site."""
    folder = tmp_path_factory.mktemp("built")
    with (folder / "data.jsonl").open("wb") as file:
        for row in rows:
            people, *others = row.said
            assert people
            said = (replace(people, author=GOLD), *(each for each in others if each))
            file.write(write_example(Annotated(row.example, said)) + b"\n")
    result = assay.build_board(data=str(folder / "data.jsonl"), by_task=True, replicates=20)
    result.to_site(folder / "site")
    return result.board, folder / "site"


def test_standings_are_the_lists_of_responses(made: tuple[Board, Path], read_piece: Read) -> None:
    board, site = made
    assert {each.task for each in board.rankings} == {"", *board.tasks}
    for ranking in board.rankings:
        judge = [each.name for each in board.judges].index(ranking.judge)
        level = [each.name for each in board.levels].index(ranking.level)
        task = board.tasks.index(ranking.task) + 1 if ranking.task else 0
        for each in ranking.standings:
            listing = read_piece(site, f"rows/{board.models.index(each.model)}")
            pairs = zip(listing["classes"][judge][level], listing["tasks"], strict=True)
            inside = [letter for letter, own in pairs if task in (0, own)]
            found = {name: inside.count(letter) for name, letter in LETTERS.items()}
            assert found == {name: getattr(each, name) for name in LETTERS}
            assert inside.count("h") + inside.count("f") == each.judged


def test_bias_counts_what_all_of_its_judges_judged(
    made: tuple[Board, Path], read_piece: Read
) -> None:
    board, site = made
    names = [each.name for each in board.judges]
    assert board.bias
    for bias, level in zip(board.bias, range(len(board.levels)), strict=True):
        compared = {names.index(each.judge) for each in bias.cells}
        asked = [at for at in compared if board.judges[at].kind != "vote"]
        for cell in bias.cells:
            listing = read_piece(site, f"rows/{board.models.index(cell.model)}")
            columns = [listing["classes"][judge][level] for judge in asked]
            shared = [
                at for at, row in enumerate(zip(*columns, strict=True)) if set(row) <= {*"hf"}
            ]
            own = listing["classes"][names.index(cell.judge)][level]
            assert [len(shared), sum(own[at] == "h" for at in shared)] == [
                cell.n,
                cell.hallucinated,
            ]


def test_labels_are_the_rows_that_have_them(made: tuple[Board, Path], read_piece: Read) -> None:
    board, site = made
    badges = [each["name"] for each in read_piece(site, "board")["badges"]]
    for each in board.distributions:
        listing = read_piece(site, f"rows/{board.models.index(each.model)}")
        judge = [one.name for one in board.judges].index(each.judge)
        pairs = zip(listing["labels"][judge], listing["classes"][judge][0], strict=True)
        given = [badges[label - 1] for label, kind in pairs if label and kind not in "ur"]
        assert {name: given.count(name) for name in each.labels} == each.labels
