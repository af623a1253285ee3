"""Cells that a spreadsheet would take for formulas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.system.formulas import guard, unguard

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
