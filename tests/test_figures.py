"""The figures of the offline detectors are the same wherever they are told.

What `assay detectors show` prints comes from the card of each model, and is the first to be right.
"""

import re
from pathlib import Path

import pytest

from assay.app.detectors import detector_facts

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CARD = (ROOT / "docs" / "model-card.md").read_text(encoding="utf-8")
COLUMNS = {"embedded": 1, "embedded-large": 2}
FIGURE = r"{} (0\.\d+) \((0\.\d+) to (0\.\d+)\), n=(\d+)"
SHARES = (  # a row of the README, where the card of the model has it, and what it is called there
    ("everyday texts: wrong sentences that are noticed", "everyday sentences", "errors noticed"),
    (
        "everyday texts: right sentences that are flagged",
        "everyday sentences",
        "right ones flagged",
    ),
    (
        "faithful everyday answers that fail `--fail-on unfaithful`",
        "everyday answers without an error",
        "flagged for sure",
    ),
    (
        "the same with `--fail-on unfaithful,not-sure`",
        "everyday answers without an error",
        "for sure or not sure",
    ),
)
VALUES = (
    ("RAGTruth summaries: balanced accuracy on responses", "RAGTruth summaries", "response BAcc"),
    ("RAGTruth question answering: the same", "RAGTruth question answering", "response BAcc"),
    ("RAGTruth data-to-text: the same", "RAGTruth data-to-text", "response BAcc"),
    ("RAGTruth, all: F1 of unfaithful responses", "RAGTruth, all", "F1 of unfaithful"),
    ("SummEdits podcast: AUROC on responses", "SummEdits podcast", "response AUC"),
    ("SummEdits sales e-mail: the same", "SummEdits sales e-mail", "response AUC"),
    ("FaithBench: AUROC on sentences", "FaithBench", "sentence AUC"),
)


def cell(text: str, row: str, column: int) -> str:
    """What a table says in the row of that name."""
    (line,) = (each for each in text.splitlines() if each.startswith(f"| {row} |"))
    return line.split("|")[column + 1].strip()


def shown(detector: str, heading: str, name: str) -> tuple[str, str, str, str]:
    """A figure of `assay detectors show`: value, interval and n."""
    found = re.search(FIGURE.format(re.escape(name)), detector_facts(detector)[heading])
    assert found, (detector, heading, name)
    value, low, high, n = found.groups()
    return value, low, high, f"{int(n):,}"


def percent(share: str) -> str:
    return f"{100 * float(share):.1f}"


@pytest.mark.parametrize("detector", COLUMNS)
@pytest.mark.parametrize(("row", "heading", "name"), VALUES)
def test_values_of_the_readme_are_those_that_are_shown(
    row: str, heading: str, name: str, detector: str
) -> None:
    value, low, high, n = shown(detector, heading, name)
    assert cell(README, row, COLUMNS[detector]) == f"{value} [{low}, {high}], n={n}"
    assert value in CARD


@pytest.mark.parametrize("detector", COLUMNS)
@pytest.mark.parametrize(("row", "heading", "name"), SHARES)
def test_shares_of_the_readme_are_those_that_are_shown(
    row: str, heading: str, name: str, detector: str
) -> None:
    value, low, high, n = shown(detector, heading, name)
    told = cell(README, row, COLUMNS[detector])
    assert told.startswith(f"{percent(value)} % [{percent(low)}, {percent(high)}]")
    assert told.endswith(f", n={n}")
    sure = re.search(rf"{name} [^;]*, for sure (0\.\d+)", detector_facts(detector)[heading])
    assert ("for sure" in told) is bool(sure)
    if sure:
        assert f", {percent(sure[1])} % for sure," in told


def test_model_card_has_the_shares_that_are_shown() -> None:
    """Its tables give them in 100, as small and large, sure and sure or not sure."""
    small, large = (
        [f"{100 * float(shown(detector, SHARES[2][1], name)[0]):.0f}" for name in names]
        for detector in COLUMNS
        for names in [("flagged for sure", "for sure or not sure")]
    )
    row = "everyday whole answers without one, flagged (n=30)"
    assert [cell(CARD, row, column) for column in (1, 2, 3, 4)] == [*small, *large]
    rows = {
        "embedded": "`embedded`: fresh everyday texts, 90 wrong, 182 right, 30 answers",
        "embedded-large": "`embedded-large`: the same",
    }
    for detector, row in rows.items():
        for column, (_, heading, name) in enumerate(SHARES[:2], start=1):
            value, low, high, _ = shown(detector, heading, name)
            told = f"{percent(value)} [{percent(low)}, {percent(high)}] ("
            assert cell(CARD, row, column).startswith(told)


def test_what_is_good_enough_is_told_alike() -> None:
    def table(text: str) -> str:
        return text[text.index("| you want to |") :].partition("\n\n")[0]

    assert table(README) == table(CARD)
