"""What is not sure says so in terminal, page and notebook, and is counted apart."""

import io

import pytest
from rich.console import Console

from assay.core.examples import Example
from assay.core.judgements import Author, Judgement, Manifest
from assay.core.results import Result, Totals
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import NOT_SURE, Attributes, Verdict
from assay.report.pages.badges import UNSURE, outcome_badge, stance_of
from assay.report.pages.page import html_fragment, html_of
from assay.report.terminal import TerminalView
from tests.report.pages.page_data import Data

MANIFEST = Manifest(Author("embedded", version="3"), taxonomy="gray7")
SENTENCES = ("The shop is red.", "It has a cellar.")


@pytest.fixture
def result() -> Result:
    text = " ".join(SENTENCES)
    units = tuple(Unit(f"s{n}", "sentence", each) for n, each in enumerate(SENTENCES, 1))
    verdicts = (
        Verdict(
            "s1",
            GRAY7["contradicting"],
            0.46,
            note=f"{NOT_SURE} Why.",
            attributes=Attributes(unsure=True),
        ),
        Verdict("s2", GRAY7["explicitly-supported"], 0.97),
    )
    example = Example("1", Source("The shop is blue. It has a cellar."), Response(text))
    return Result(example, Judgement("1", Author("embedded"), units, verdicts))


def test_badge_of_an_unsure_verdict_is_its_own(result: Result) -> None:
    unsure, sure = (outcome_badge(each.outcome) for each in result.units)
    assert unsure == UNSURE
    assert sure.name == "explicitly-supported"
    assert outcome_badge(result.response.outcome) == UNSURE


def test_stance_says_not_sure_and_which_way_it_leans(result: Result) -> None:
    verdict = result.units[0].verdict
    assert verdict is not None
    assert stance_of(verdict, "embedded") == (
        "embedded is not sure (score 0.46); if anything, it takes this for a contradiction of the"
        " source."
    )


def test_terminal_shows_and_counts_it_apart(result: Result) -> None:
    console = Console(record=True, width=120, file=io.StringIO())
    totals = Totals()
    view = TerminalView(console, GRAY7, totals, only_flagged=False)
    totals.add(result)
    view.add(result)
    view.close()
    told = console.export_text()
    assert "? not sure (contradicting)  0.46" in told
    assert "2 sentences  ✔ 1 explicitly-supported  ? 1 not sure  coverage 100.0%" in told
    assert "✖" not in told


def test_page_has_a_class_of_its_own_for_it(result: Result) -> None:
    page = html_of([result], MANIFEST, ())
    data = Data(page)
    badges = [badge["name"] for badge in data.about["badges"]]
    assert badges.count("not sure") == 1
    assert "In the detector" in next(
        badge["meaning"] for badge in data.about["badges"] if badge["name"] == "contradicting"
    )
    assert badges[data.index[0]["badge"]] == "not sure"
    assert data.about["coarse"][data.index[0]["coarse"]] == "not-sure"
    assert "not sure" in html_fragment([result], MANIFEST)


def test_sure_results_have_no_such_class_in_the_legend(result: Result) -> None:
    units = result.judgement.units[1:]
    sure = Judgement("1", Author("embedded"), units, result.judgement.outcomes[1:])
    assert "not sure" not in html_fragment([Result(result.example, sure)], MANIFEST)
