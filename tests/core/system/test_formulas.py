"""Cells that a spreadsheet would take for formulas."""

import csv
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.core.system.formulas import guard, unguard, write_table

PACKAGE = Path(assay.__file__).parent
WRITERS = {"core/system/formulas.py", "report/tables.py"}  # each has a test of what it quotes

STARTS = "=+-@\t\r\n＝＋－＠"


@given(st.text(alphabet=STARTS + "'a1 ", max_size=6) | st.text())
def test_no_text_begins_a_formula_and_all_come_back(text: str) -> None:
    cell = guard(text)
    assert not cell.startswith(tuple(STARTS))
    assert unguard(cell) == text


@pytest.mark.parametrize("number", [-1, 0.5, -0.25, None])
def test_numbers_stay_numbers(number: float | None) -> None:
    assert guard(number) is number


@pytest.mark.parametrize("text", ["", "a-b", "'tis", "1+1", " =1", "don't"])
def test_other_texts_are_left_alone(text: str) -> None:
    assert guard(text) == unguard(text) == text


@pytest.mark.parametrize("inside", ["x\r=cmd", "x\n=cmd", "x\r\n@cmd", "\r=cmd", '",\r=cmd'])
def test_line_end_within_a_cell_begins_no_row(inside: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    assert write_table([{"a": inside, "b": "y"}], ("a", "b"), path) == 1
    with path.open(encoding="utf-8", newline="") as file:
        _, row = csv.reader(file)
    assert row == [guard(inside), "y"]
    unquoted = re.sub(r'"(?:[^"]|"")*"', "", path.read_bytes().decode())
    assert unquoted.split("\r\n") == ["a,b", ",y", ""]


def test_csv_is_written_nowhere_else() -> None:
    modules = {each: each.read_text(encoding="utf-8") for each in PACKAGE.rglob("*.py")}
    writing = [each for each, text in modules.items() if re.search(r"csv\.\w*[wW]riter", text)]
    assert {each.relative_to(PACKAGE).as_posix() for each in writing} == WRITERS
