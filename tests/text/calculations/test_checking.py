"""Figures that are recomputed, by example."""

import pytest

from assay.core.rendering import read_source
from assay.text.calculations.checking import check_figures

STAFF = "| Branch | July | Staff |\n|---|---|---|\n| Harbour | 84 | 12 |\n| Station | 132 | 15 |"
LIFE = "Ilse Marken was born on 9 November 1931. She died in Bremen on 2 March 2014."


@pytest.mark.parametrize(
    ("sentence", "source", "reason"),
    [
        ("The two halls seat 131.", "One hall seats 112, the other 19.", "112 + 19 = 131"),
        ("The branches employ 27 staff altogether.", STAFF, "12 + 15 = 27"),
        ("In July Station took in 48 more than Harbour.", STAFF, "132 − 84 = 48"),
        ("Debt was cut by a fifth.", "Debt fell from €610 million to €488 million.", "20 %"),
        ("Brodie took 45 percent of the votes.", "Brodie got 11,025 of 24,500 votes.", "45 %"),
        ("The stages come to 90 km.", "There are six stages of 15 km.", "90"),
        ("She was 82 when she died.", LIFE, "82"),
        ("The crossing takes 85 minutes.", "The ferry leaves at 9:40 and lands at 11:05.", "from"),
        ("A ticket costs €25.", "The 40 tickets brought in €1,000.", "25"),
    ],
)
def test_right_figures_are_confirmed(sentence: str, source: str, reason: str) -> None:
    found = check_figures(sentence, source)
    assert found is not None
    assert found.outcome == "right"
    assert reason in found.reason


@pytest.mark.parametrize(
    ("sentence", "source", "reason"),
    [
        ("The branches employ 28 staff altogether.", STAFF, "12 + 15 = 27, not 28"),
        ("In July Station took in 58 more than Harbour.", STAFF, "132 − 84 = 48, not 58"),
        ("Harbour has the most staff.", STAFF, "most: 15, 12"),
        ("Harbour has more staff than Station.", STAFF, "12 against 15"),
    ],
)
def test_wrong_figures_with_bound_operands_are_refuted(
    sentence: str, source: str, reason: str
) -> None:
    found = check_figures(sentence, source)
    assert found is not None
    assert (found.outcome, found.is_firm) == ("wrong", True)
    assert reason in found.reason


@pytest.mark.parametrize(
    "sentence",
    ["Harbour employs 12 staff.", "The harbour is old.", "", "It opened in spring."],
)
def test_nothing_is_said_of_sentences_that_compute_nothing(sentence: str) -> None:
    assert check_figures(sentence, STAFF) is None


def test_operands_are_places_in_the_source() -> None:
    rows = "<tr><th>Branch</th><th>Staff</th></tr>" + _row("A", 12) + _row("B", 9)
    source = f"<p>Staff</p><table>{rows}</table>"
    found = check_figures("The branches have 21 staff in total.", source)
    assert found is not None
    assert [span.text for span in found.operands] == ["12", "9"]
    assert all(source[span.start : span.end] == span.text for span in found.operands)


def test_the_fields_of_a_record_are_added() -> None:
    source = read_source({"name": "Salt", "seats": {"inside": 46, "terrace": 24}})
    found = check_figures("It has 70 seats in total.", source)
    assert found is not None
    assert (found.outcome, found.reason) == ("right", "46 + 24 = 70")


def test_a_row_of_totals_is_not_added_again() -> None:
    source = "| Town | People |\n|---|---|\n| A | 12 |\n| B | 30 |\n| C | 9 |\n| Total | 51 |"
    found = check_figures("All towns together have 102 people.", source)
    assert found is None or found.outcome != "right"


def _row(name: str, value: int) -> str:
    return f"<tr><td>{name}</td><td>{value}</td></tr>"
