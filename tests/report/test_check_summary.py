"""The summary of a check in Markdown."""

import pytest

from assay.core.complaints import CheckEnd
from assay.core.problems import Problem
from assay.core.taxonomies import GRAY7
from assay.report.check_summary import MOST, CheckSummary
from tests.report.findings import HERE, complaints, found, mark


def summary(*, fails: bool = True) -> CheckSummary:
    return CheckSummary(HERE, "Assay", GRAY7, fails=fails)


@pytest.mark.parametrize(
    ("end", "head"),
    [
        (CheckEnd(failed=True), "failed"),
        (CheckEnd(), "passed"),
        (CheckEnd("interrupted"), "cut off"),
        (CheckEnd("interrupted", failed=True), "failed"),
        (CheckEnd(unscored="1 response without a score to compare"), "incomplete"),
        (CheckEnd(share="no response was judged", share_state="unknown"), "incomplete"),
    ],
)
def test_head_says_how_it_ended(end: CheckEnd, head: str) -> None:
    assert summary().text(end).splitlines()[0] == f"## Assay: {head}"


def test_nothing_has_passed_that_lacks_a_verdict() -> None:
    made = summary()
    made.add_problem(Problem("row 2", "the response is missing"))
    assert made.text(CheckEnd()).startswith("## Assay: incomplete\n")


def test_without_a_rule_nothing_has_passed() -> None:
    assert summary(fails=False).text(CheckEnd()).startswith("## Assay: done\n")


def test_findings_stand_below_their_standing() -> None:
    made = summary()
    result = found("fabricated", "fabricated", "contradicting", text="Ada | <b>.")
    made.add(result, complaints(result, "new", "known", "accepted"))
    text = made.text(CheckEnd(told="1 sentence labelled fabricated"))
    cells = f"a.jsonl:7 | a | fabricated | Ada \\| \\<b>. | Because. | {mark(result)} |"
    assert "### What breaks a rule (1)\n\n| where | example |" in text
    assert text.count(cells) == 2
    assert "| accepted by Ann on 2026-01-31: read it in the book |" in text
    assert "1 sentence labelled fabricated" in text
    assert "3 sentences ✘ 2 fabricated" in text


def test_missing_verdicts_and_unreadable_rows_are_listed() -> None:
    made = summary()
    made.add(found(""), ())
    made.add_problem(Problem("line 3", "the source is empty"))
    text = made.text(CheckEnd())
    assert "### No verdict (2)" in text
    assert "| parse: no label in the reply |" in text
    assert "| line 3: the source is empty |" in text


def test_long_tables_say_how_many_more_there_are() -> None:
    made = summary()
    for _ in range(MOST + 2):
        result = found("fabricated")
        made.add(result, complaints(result))
    lines = made.text(CheckEnd()).splitlines()
    assert f"### What breaks a rule ({MOST + 2})" in lines
    assert sum(line.startswith("| a.jsonl:7 ") for line in lines) == MOST
    assert "| … and 2 more |  |  |  |  |  |" in lines
