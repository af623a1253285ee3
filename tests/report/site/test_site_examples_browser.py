"""The responses of a site in a real browser, and what is said of them."""

from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from assay.board.results import Board
from tests.report.site.site_browsing import FAMILY, Open, go

pytestmark = pytest.mark.browser


def test_people_are_named_and_their_differences_shown(open_site: Open) -> None:
    page = open_site("#view=examples&judge=people&model=beta&id=annotated")
    assert "Annotated by Ann, Ben, who differ about 1 of 2 sentences." in (
        page.locator(".reasons").inner_text()
    )
    whole, first, second = page.locator(".said").all_inner_texts()
    assert "whole response" in whole
    assert "gold" not in whole + first + second
    assert first.split("\n")[-1] == "Ann, Ben give the same label"
    assert second.count("No sum is given.") == 1
    assert "People differ" in second
    assert "Ben ≈\ufe0e ambiguous Which million?" in second
    assert page.locator(".disputed").count() == 1


def test_ids_in_the_list_tell_responses_apart(open_site: Open) -> None:
    page = open_site("#view=examples&model=alpha-1")
    assert page.locator(".line .id").nth(3).inner_text() == "report-3"
    assert page.locator("#shown-id").inner_text() == "report-0/alpha-1"
    short = page.evaluate("shortId('google/x/' + 'very-long-'.repeat(5) + '17', 'google/x')")
    assert short == "very-long-v…long-very-long-17"


def test_threshold_of_scores_is_told(open_site: Open) -> None:
    page = open_site("#view=examples&judge=scores&model=alpha-1&class=hallucinated")
    assert "below 0.5: read as unfaithful" in page.locator(".said").inner_text()
    go(page, "#view=method")
    assert "faithful from 0.5 upwards (scores)" in page.locator(".facts-list").inner_text()


def test_count_opens_its_responses_with_the_reasons(open_site: Open, board: Board) -> None:
    page = open_site("#judge=reader")
    row = page.locator(".board tbody tr", has_text="alpha-1")
    count = int(row.locator("td:nth-child(4) a").inner_text())
    row.locator("td:nth-child(4) a").click()
    expect(page.locator(".line")).to_have_count(count)
    expect(page.locator(".tab[aria-current]")).to_contain_text(f"hallucinated {count}")
    unit = page.locator(".unit.tone-contradicting").first
    unit.click()
    card = page.locator(".said.current")
    expect(card).to_contain_text("The source says otherwise: The bridge opened in 1931.")
    expect(card).to_contain_text("score 0.10")
    assert page.locator(".segment.best").all_inner_texts() == ["The bridge opened in 1931."]
    assert "scores" in page.locator(".verdicts").inner_text()
    page.keyboard.press("j")
    expect(page.locator(".line").nth(1)).to_have_attribute("aria-current", "true")
    id = page.locator("#shown-id").inner_text()
    again = open_site("#" + page.url.partition("#")[2])  # a response has an address of its own
    assert again.locator("#shown-id").inner_text() == id


def test_failure_and_nothing_said_are_shown_as_such(open_site: Open) -> None:
    page = open_site("#view=examples&judge=scores&model=beta&class=failed")
    expect(page.locator(".said")).to_contain_text("The reply could not be read. (parse)")
    assert page.locator(".reply").inner_text() == "Well <b>so</b>"
    go(page, "#view=examples&judge=majority&model=beta")
    assert "A vote has no reasons of its own" in page.locator(".reasons").inner_text()
    go(page, "#view=examples&model=beta&id=nope")
    assert "no response called nope" in page.locator("#missing").inner_text()
    go(page, "#judge=nobody")
    assert page.locator("#notice").inner_text() == "There is no judge nobody here."


def test_hostile_texts_are_only_texts(open_site: Open) -> None:
    page = open_site("#view=examples&judge=reader&model=beta&id=hostile")
    text = page.locator(".response-text").inner_text()
    assert "</script><img src=x onerror=alert(1)> \\u202eturned\\u202c" in text
    assert FAMILY in text
    assert page.locator("img, .response-text b").count() == 0
    assert page.locator(".shown a[href^='javascript']").count() == 0
    go(page, "#view=examples&model=" + quote("../x<img src=x onerror=alert(1)>"))
    assert page.locator("#shown-id").inner_text().endswith("alert(1)>")


def test_very_long_response_is_shown_in_parts(open_site: Open) -> None:
    page = open_site("#view=examples&judge=reader&model=beta&id=long")
    assert page.locator(".unit").count() == 2_499
    assert page.locator(".said").count() == 40
    page.get_by_role("button", name="Show the other 2,459").click()
    assert page.locator(".said").count() == 2_499


def test_label_and_bias_cells_open_their_responses(open_site: Open, board: Board) -> None:
    page = open_site("#view=charts")
    page.locator("figure", has_text="Labels of each LLM").locator("summary").click()
    link = page.locator("figure", has_text="Labels of each LLM").locator("a.number").first
    count = link.inner_text()
    link.click()
    expect(page.locator(".tabs .tab").first).to_contain_text(f"all {count}")
    expect(page.locator("main")).to_contain_text("Only responses labelled unwanted.intrinsic")
    go(page, "#view=judges")
    expect(page.locator(".is-own")).to_contain_text("own LLM")
