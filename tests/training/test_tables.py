"""Tables: every form has every cell, names get their capitals, and no page is on both sides."""

import csv
import gzip
import json
import re
from html import unescape
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.items import CONTRADICTED, ENTAILED
from training.table_forms import FORMS, Table
from training.table_wording import Names, dated, spelled, titled
from training.tables import (
    is_apart,
    measured_tables,
    read_off,
    read_tables,
    tables,
    unlike,
    written_out,
)

pytestmark = pytest.mark.soak

GAMES = Table(
    "1962 season",
    ("player", "team", "points", "date"),
    (
        ("ada holm", "north stars", "14", "june 2 , 1962"),
        ("ben o'dell", "south city", "88", "june 4 , 1962"),
        ("cy marlowe", "north stars", "21", "june 9 , 1962"),
    ),
)
LINE = {
    "table_id": "1-77-1.html.csv",
    "title": GAMES.title,
    "header": GAMES.header,
    "rows": GAMES.rows,
    "pairs": [
        {"true": "ben o'dell has the most points", "false": "cy marlowe has the most points"},
        {"true": "two played for the north stars .", "false": "two played for the north stars."},
    ],
}
CELLS = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=12)


def write_tables(root: Path, count: int = 40) -> Path:
    """Files of TabFact's layout, in which each page has two tables."""
    (root / "nli").mkdir(parents=True)
    with gzip.open(root / "nli" / "tabfact_pairs.jsonl.gz", "wt", encoding="utf-8") as lines:
        for number in range(count):
            name = f"1-{number // 2}-{number % 2}.html.csv"
            lines.write(json.dumps({**LINE, "table_id": name}) + "\n")
    return root


@pytest.mark.parametrize("form", FORMS)
def test_every_cell_is_in_every_form(form: str) -> None:
    for seed in range(6):
        text = unescape(FORMS[form](GAMES, Random(seed)))
        assert all(cell in text for row in GAMES.rows for cell in row)
        assert all(head in text.lower() for head in GAMES.header[1:])


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4), st.integers(0, 5))
def test_cells_come_back_out_of_csv_and_json(rows: list[tuple[str, str]], seed: int) -> None:
    table = Table("", ("a", "b"), tuple(rows))
    lines = FORMS["tsv"](table, Random(seed)).split("\n")
    assert [tuple(row) for row in csv.reader(lines, delimiter="\t")][1:] == rows
    shown = FORMS["json"](table, Random(seed))
    objects = (
        json.loads(shown) if shown[0] == "[" else [json.loads(line) for line in shown.split("\n")]
    )
    assert [tuple(each.values()) for each in objects] == rows


@given(st.text(max_size=60))
def test_wording_never_fails_and_changes_only_case_and_spaces(text: str) -> None:
    said = re.sub(r"\s", "", spelled(text.lower()))
    assert re.sub(r"\s", "", dated(said)).lower() == said.lower()
    assert titled(text.lower()).casefold() == text.lower().casefold()


def test_names_of_the_table_get_capitals_wherever_they_stand() -> None:
    names = Names(GAMES)
    assert names.sentence("on june 9 marlowe of the north stars beat ben o'dell .") == (
        "On June 9 Marlowe of the North Stars beat Ben O'Dell."
    )
    shown = names.table(GAMES)
    assert shown.rows[1] == ("Ben O'Dell", "South City", "88", "June 4, 1962")
    assert shown.header[0] == "Player"
    assert Names(None).table(GAMES).rows[1][0] == "ben o'dell"


def test_pair_of_equal_statements_is_left_out(tmp_path: Path) -> None:
    (stated,) = list(read_tables(write_tables(tmp_path, 1)))
    assert stated.pairs == (("ben o'dell has the most points", "cy marlowe has the most points"),)


def test_statements_of_a_pair_stand_in_different_items(tmp_path: Path) -> None:
    items = list(tables(write_tables(tmp_path), 1))
    assert {item.group.split("-")[0] for item in items} == {"tables"}
    for item in items:
        about = [s for s in item.sentences if "most points" in s.text]
        assert len(about) == 1
        right = "dell" in about[0].text.lower()
        assert about[0].target == (ENTAILED if right else CONTRADICTED)
    said = [s.target for item in items for s in item.sentences if "most points" in s.text]
    assert said.count(ENTAILED) == said.count(CONTRADICTED)


def test_cell_of_another_row_is_false_and_its_place_is_known() -> None:
    shown = Names(GAMES).table(GAMES)
    seen = set()
    for seed in range(60):
        for sentence in read_off(shown, 3, Random(seed)):
            row = next(row for row in shown.rows if row[0] in sentence.text)
            own = any(cell in sentence.text for cell in row[1:])
            assert own == (sentence.target == ENTAILED), sentence
            seen.add(sentence.target)
            for start, end in sentence.wrong or ():
                cells = {cell.lower() for other in shown.rows for cell in other}
                assert sentence.text[start:end].lower() in cells
    assert seen == {ENTAILED, CONTRADICTED}


def test_table_beside_another_shares_no_column_with_it(tmp_path: Path) -> None:
    (stated,) = list(read_tables(write_tables(tmp_path, 1)))
    assert not unlike(GAMES, [stated])
    other = Table("rivers", ("river", "length"), (("ash", "7"), ("elm", "8"), ("oak", "9")))
    assert unlike(other, [stated]) == [stated.table]


def test_page_is_trained_on_or_measured_on(tmp_path: Path) -> None:
    apart = [number for number in range(600) if is_apart(f"1-{number}-1.html.csv")]
    assert 30 < len(apart) < 80
    assert all(is_apart(f"1-{number}-9.html.csv") for number in apart)
    root = write_tables(tmp_path, 200)
    measured = list(measured_tables(root, 3))
    assert {each.cluster for each in measured} == {f"1-{n}" for n in apart if n < 100}
    assert sum(each.response for each in measured) * 2 == len(measured)
    assert len(list(tables(root, 1))) == 2 * (200 - len(measured) // 2)


def test_table_in_lower_case_stays_so_now_and_then(tmp_path: Path) -> None:
    (stated,) = list(read_tables(write_tables(tmp_path, 1)))
    shown = {written_out(stated, Random(seed)).pairs[0][0] for seed in range(20)}
    assert shown == {"ben o'dell has the most points.", "Ben O'Dell has the most points."}
