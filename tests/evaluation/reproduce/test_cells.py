"""When a cell is exact, within tolerance, known to differ, failed or not computable."""

import pytest

from assay.evaluation.reproduce.cells import Cell, Expectation, Figure, Published, compare

EXACT = Expectation("exact")
NEAR = Expectation("within", 0.15, "other rounding")
KNOWN = Expectation("differs", 1.4, "other scores")
ABSENT = Expectation("absent", reason="not released")


def cell(text: str, ours: float | None, expectation: Expectation) -> Cell:
    published = Published("t", "r", "m", text, "paper", expectation)
    return compare(published, Figure("r", "m", ours, 10))


@pytest.mark.parametrize(
    ("text", "ours", "expectation", "status"),
    [
        ("18.3", 18.34, EXACT, "exact"),
        ("18.3", 18.35, EXACT, "exact"),  # a half may have been rounded either way
        ("18.3", 18.36, EXACT, "DIFFERS"),
        ("18.30", 18.34, EXACT, "DIFFERS"),  # two decimals were printed
        ("14", 14.0, EXACT, "exact"),
        ("14", 15.0, EXACT, "DIFFERS"),
        ("18.3", 18.4, NEAR, "within tolerance"),
        ("18.3", 18.45, NEAR, "within tolerance"),  # 0.15 is the limit itself
        ("18.3", 18.46, NEAR, "DIFFERS"),
        ("18.3", 17.0, KNOWN, "differs (known)"),
        ("18.3", 18.3, KNOWN, "exact"),
        ("18.3", 16.8, KNOWN, "DIFFERS"),  # 1.5 off, more than is understood
        ("18.3", None, EXACT, "not computable"),
        ("18.3", None, ABSENT, "not computable"),
    ],
)
def test_status_follows_from_difference_and_expectation(
    text: str, ours: float | None, expectation: Expectation, status: str
) -> None:
    assert cell(text, ours, expectation).status == status


def test_sixteen_printed_decimals_are_compared_to_twelve() -> None:
    assert cell("0.3604321114293988", 0.36043211142942, EXACT).status == "exact"
    assert cell("0.3604321114293988", 0.36043211143, EXACT).status == "DIFFERS"


def test_status_in_words_gives_the_reason() -> None:
    assert str(cell("18.3", 17.0, KNOWN)) == "differs (known: other scores)"
    assert str(cell("18.3", None, ABSENT)) == "not computable (not released)"
    assert str(cell("18.3", 17.0, EXACT)) == "DIFFERS"
    assert str(cell("18.3", 18.3, NEAR)) == "exact"


def test_only_what_should_match_can_fail() -> None:
    assert cell("18.3", 17.0, EXACT).failed
    assert cell("18.3", None, EXACT).failed
    assert not cell("18.3", 17.0, KNOWN).failed
    assert not cell("18.3", None, ABSENT).failed


def test_difference_is_ours_less_the_published() -> None:
    assert cell("18.3", 17.0, KNOWN).difference == pytest.approx(-1.3)
    assert cell("18.3", None, ABSENT).difference is None


def test_figure_that_the_data_does_not_give_fails() -> None:
    missing = compare(Published("t", "r", "m", "1.0", "paper", EXACT), None)
    assert (missing.status, missing.failed, missing.n) == ("not computable", True, 0)
