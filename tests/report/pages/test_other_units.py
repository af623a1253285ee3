"""Responses and claims, in the terminal and on the page."""

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ViewportSize
from rich.console import Console

from assay.core.decision import NOT_CONSULTED, Answers
from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement, Manifest
from assay.core.results import Result, Totals
from assay.core.taxonomies import BINARY, FINAL4, GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.report.pages.page import PageWriter
from assay.report.terminal import TerminalView

Write = Callable[..., Path]
SOURCE = "Ada was born in London in 1815."
TEXT = "Ada was born in Paris in 1815. She liked tea."
WHOLE = Unit.response(TEXT)
FIRST = Span.cut(TEXT, 0, 30, "response")
EVIDENCE = (Span.cut(SOURCE, 8, 22, "source"),)
CLAIMS = (
    Finding(
        Unit("c1", "claim", "Ada was born in 1815.", (FIRST,)),
        Verdict("c1", BINARY["faithful"], note="It says."),
    ),
    Finding(
        Unit("c2", "claim", "Ada was born in Paris.", (FIRST,)),
        Verdict("c2", BINARY["unfaithful"], 0.1),
    ),
    Finding(Unit("c3", "claim", "Ada liked tea."), Failure("c3", "refused", "it will not say")),
)


def whole(outcome: Outcome) -> Finding:
    return Finding(WHOLE, outcome)


def result(*findings: Finding, id: str = "ada") -> Result:
    example = Example(id, Source(SOURCE), Response(TEXT))
    units = tuple(each.unit for each in findings)
    outcomes = tuple(each.outcome for each in findings)
    judgement = Judgement(id, Author("d"), units, outcomes, len(SOURCE), len(SOURCE))
    return Result(example, judgement)


def on_terminal(*results: Result) -> str:
    out = io.StringIO()
    totals = Totals()
    view = TerminalView(Console(file=out, width=100), BINARY, totals, only_flagged=False)
    for each in results:
        totals.add(each)
        view.add(each)
    view.close()
    return out.getvalue()


def test_closing_line_counts_what_was_judged() -> None:
    faithful = whole(Verdict("response", BINARY["faithful"]))
    responses = result(faithful), result(whole(Failure("response", "parse")))
    assert "\n2 responses  ✔ 1 faithful" in on_terminal(*responses)
    assert "\n3 claims  ✔ 1 faithful  ✘ 1 unfaithful" in on_terminal(result(*CLAIMS))
    mixed = result(*CLAIMS, whole(Verdict("response", BINARY["unfaithful"])))
    assert "\n2 responses (6 claims)  ✘ 2 unfaithful" in on_terminal(mixed, mixed)


def test_claims_are_shown_in_their_own_words() -> None:
    shown = on_terminal(result(*CLAIMS))
    assert all(claim.text in shown for claim in CLAIMS)


def html(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_page_of_responses_counts_responses_once(write: Write) -> None:
    judged = whole(Verdict("response", BINARY["unfaithful"], evidence=EVIDENCE))
    page = html(write(result(judged), taxonomy=BINARY)).partition("<noscript>")[0]
    assert '<span class="quiet" id="summary">1 response</span>' in page
    assert page.count('<th scope="col">Responses</th>') == 1
    assert "as bad as its worst" not in page


def test_page_of_claims_counts_claims(write: Write) -> None:
    page = html(write(result(*CLAIMS), taxonomy=BINARY))
    assert "A response is as bad as its worst claim" in page


@pytest.mark.browser
def test_claims_are_chosen_one_by_one_in_a_browser(write: Write, browser: Browser) -> None:
    path = write(result(*CLAIMS), taxonomy=BINARY)
    page = browser.new_page()
    try:
        page.goto(path.as_uri())
        page.locator("#panel .what").first.wait_for()
        page.keyboard.press("Escape")
        seen = []
        for _ in CLAIMS:
            page.keyboard.press("ArrowRight")
            seen.append(page.locator("#panel .what .quiet").inner_text())
        assert seen == ["claim 1", "claim 2", "claim 3"]
        assert page.locator(".response h4").inner_text() == "Claims"
        assert page.locator(".response .text .unit").count() == 0
        assert page.locator(".listed .unit").all_inner_texts()[1].endswith("Ada was born in Paris.")
    finally:
        page.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 800])
def test_endless_word_does_not_widen_the_page(width: int, write: Write, browser: Browser) -> None:
    word = "y" * 200
    unit = Unit("c1", "claim", word, (FIRST,))
    claim = Finding(unit, Verdict("c1", BINARY["unfaithful"], note=word))
    page = browser.new_page(viewport=ViewportSize(width=width, height=700))
    try:
        page.goto(write(result(claim, id=word), taxonomy=BINARY).as_uri())
        page.keyboard.press("n")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    finally:
        page.close()


def test_kind_of_error_and_the_words_of_an_inconsistency_are_shown(tmp_path: Path) -> None:
    error = FINAL4["intrinsic-alteration"]
    unit = Unit("i1", "inconsistency", "The source says London, not Paris.", (FIRST,))
    named = Finding(unit, Verdict("i1", BINARY["unfaithful"], note="so", error=error))
    found = result(whole(Verdict("response", BINARY["unfaithful"])), named)
    path = tmp_path / "page.html"
    with PageWriter(str(path), Manifest(Author("localize-cot"), taxonomy="binary")) as page:
        page.add(found)
    html = path.read_text(encoding="utf-8")
    assert "The source says London, not Paris." in html
    assert error.meaning in html
    assert "unfaithful  intrinsic-alteration" in on_terminal(found)


SENTENCE = Unit.at("sentence", FIRST, "s1")
LINK = "cause: Ada was born → It was 1815 (“in”)"
PARTED = result(
    Finding(SENTENCE, Verdict("s1", BINARY["unfaithful"], note="Why.")),
    Finding(
        Unit("s1.c1", "claim", "Ada was born.", (FIRST,), "s1"),
        Verdict("s1.c1", BINARY["faithful"], 0.9),
    ),
    Finding(
        Unit("s1.r1", "relation", LINK, parent="s1"), Failure("s1.r1", "parse", "no such claim")
    ),
)


def test_parts_of_a_sentence_stand_below_it_and_are_counted_apart() -> None:
    shown = on_terminal(PARTED)
    assert "\n    claim ✔ faithful  0.90  Ada was born." in shown
    assert f"\n    relation ∅ no verdict  {LINK} (parse: no such claim)" in shown
    assert (
        "\n1 sentence (1 claim, 1 relation)  ✘ 1 unfaithful  coverage 100.0%, 1 failure in parts ("
        in shown
    )


def test_sentence_of_one_claim_is_shown_once() -> None:
    sentence, claim, _ = PARTED.units
    assert "Ada was born." not in on_terminal(result(sentence, claim))


def test_parts_stand_below_their_own_sentence_wherever_they_are_listed() -> None:
    second = Unit.at("sentence", Span.cut(TEXT, 31, 45, "response"), "s2")
    other = Finding(second, Verdict("s2", BINARY["faithful"]))
    sentence, claim, relation = PARTED.units
    shown = on_terminal(result(sentence, other, relation, claim))
    assert shown.index("relation") < shown.index("She liked tea.")
    assert shown.index("Ada was born.") < shown.index("She liked tea.")


def test_terminal_says_that_nobody_looked_outside() -> None:
    answers = Answers(states_fact=True, entailed=False, contradicted=False)
    verdict = Verdict("s1", GRAY7["fabricated"], note="So.", answers=answers)
    assert f"So. {NOT_CONSULTED}" in on_terminal(result(Finding(SENTENCE, verdict)))


@pytest.mark.browser
def test_parts_are_listed_with_their_sentence_in_a_browser(write: Write, browser: Browser) -> None:
    page = browser.new_page()
    try:
        page.goto(write(PARTED, taxonomy=BINARY).as_uri())
        assert "1 of 1 sentence has a verdict" in page.locator("#shown .facts").inner_text()
        parts = page.locator("#panel .readings li").all_inner_texts()
        assert [" ".join(each.split()) for each in parts] == [
            "✔\ufe0e faithful claim 1 Ada was born.",
            f"∅\ufe0e no verdict relation 1 {LINK}",
        ]
    finally:
        page.close()


PARIS = Span.cut(TEXT, 16, 21, "response")
TEA = Span.cut(TEXT, 41, 44, "response")
LOCALIZED = (
    whole(Verdict("response", BINARY["unfaithful"], note="2 inconsistencies found.")),
    *(
        Finding(Unit(id, "inconsistency", text, spans), Verdict(id, BINARY["unfaithful"]))
        for id, text, spans in (
            ("i1", "It was London.", (PARIS,)),
            ("i2", "No drink is named.", (TEA,)),
            ("i3", "The tone is wrong.", ()),
        )
    ),
)


def test_terminal_quotes_the_words_of_an_inconsistency_and_counts_them_with_the_response() -> None:
    shown = on_terminal(result(*LOCALIZED))
    assert "It was London.\n" in re.sub(r" +\n", "\n", shown)
    assert "in the response: Paris" in shown
    assert "\n1 response (3 inconsistencies)  ✘ 1 unfaithful" in shown


@pytest.mark.browser
def test_words_of_a_chosen_inconsistency_are_marked_in_the_response(
    write: Write, browser: Browser
) -> None:
    path = write(result(*LOCALIZED), taxonomy=BINARY)
    page = browser.new_page()
    try:
        page.goto(path.as_uri())
        marked = page.locator(".response .text .unit")
        assert marked.all_inner_texts() == ["Paris", "tea"]
        assert page.locator(".listed li").count() == len(LOCALIZED)
        marked.nth(1).click()
        assert page.locator(".response .text .unit.current").all_inner_texts() == ["tea"]
        assert page.locator(".listed .unit.current").inner_text().endswith("No drink is named.")
        detail = page.locator("#panel").inner_text()
        assert "Words of the response" in detail
        assert "tea" in detail
    finally:
        page.close()
