"""The list of responses in a real browser: moving, searching, filtering, and addresses."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from assay.core.judgements import Author, Manifest
from assay.core.results import Result
from assay.core.texts import Response, Source
from assay.report.pages.page import PageWriter
from tests.report.pages.page_browsing import (
    Open,
    chosen,
    expect_chosen,
    named,
    only,
    press,
    rows,
    scored,
)

pytestmark = pytest.mark.browser


def test_letters_and_arrows_move_among_responses(sample: Result, open_page: Open) -> None:
    page = open_page(*(named(sample, each) for each in "abc"))
    for key, id in (("j", "b"), ("ArrowDown", "c"), ("j", "c"), ("ArrowUp", "b"), ("k", "a")):
        press(page, key)
        page.wait_for_function(
            "id => document.querySelector('#shown-id').textContent === id", arg=id
        )
        assert page.locator(".row[aria-selected='true'] .id").inner_text() == id


def test_n_and_p_go_to_what_needs_a_look_here_and_in_other_responses(
    sample: Result, open_page: Open
) -> None:
    fine = only(named(sample, "fine"), *sample.judgement.outcomes[:3])
    page = open_page(sample, fine, named(sample, "last"))
    assert chosen(page) == "ada/4"
    for place in ("ada/5", "ada/6", "ada/7", "ada/8", "last/4"):
        press(page, "n")
        expect_chosen(page, place)
    press(page, "p")
    expect_chosen(page, "ada/8")


def test_keys_are_letters_while_words_are_typed(sample: Result, open_page: Open) -> None:
    page = open_page(*(named(sample, each) for each in ("jones", "kim")))
    press(page, "/", *"kim")
    page.wait_for_function(
        "() => document.querySelector('#tally').textContent === '1 of 2 responses'"
    )
    assert page.locator("#q").input_value() == "kim"
    assert rows(page) == ["kim"]


@pytest.mark.parametrize(
    ("words", "ids"),
    [("SECOND", ["second"]), ("born in london", ["first", "second"]), ("no such words", [])],
)
def test_search_finds_ids_sources_and_responses(
    words: str, ids: list[str], sample: Result, open_page: Open
) -> None:
    page = open_page(named(sample, "first"), named(sample, "second"))
    page.locator("#q").fill(words)
    told = f"{len(ids)} of 2 responses" if len(ids) < 2 else "2 responses"
    page.wait_for_function("words => wanted.q === words", arg=words)  # typing has come to an end
    expect(page.locator("#tally")).to_have_text(told)
    expect(page.locator(".row .id")).to_have_text(ids)
    assert page.locator("#nothing").is_visible() == (not ids)


def test_search_reads_blocks_that_are_far_apart(sample: Result, open_page: Open) -> None:
    filler = "Nothing of note. " * 6_000
    results = [
        named(
            sample, f"r{at}", source=Source(f"{filler} number {at}"), response=Response(f"Is {at}.")
        )
        for at in range(9)
    ]
    results = [only(replace(each), *()) for each in results]
    page = open_page(*results)
    assert page.locator("script[id^=b]").count() > 3
    page.locator("#q").fill("NUMBER 7")
    page.wait_for_function(
        "() => document.querySelector('#tally').textContent === '1 of 9 responses'"
    )
    assert rows(page) == ["r7"]


def test_filters_narrow_the_list_and_count_what_is_left(sample: Result, open_page: Open) -> None:
    good = scored(sample, "good", 0.9, "model-a")
    page = open_page(sample, good, scored(sample, "fair", 0.8, "model-b"))
    page.locator("#look").check()
    assert rows(page) == ["ada"]
    page.locator("#look").uncheck()
    page.locator("#coarse").select_option(label="faithful")
    assert rows(page) == ["good", "fair"]
    page.locator("#model").select_option(label="model-b")
    assert rows(page) == ["fair"]
    assert page.locator("#tally").inner_text() == "1 of 3 responses"
    assert page.locator("#detector").is_hidden()


def test_label_in_the_header_lists_the_responses_that_have_one(
    sample: Result, open_page: Open
) -> None:
    page = open_page(sample, scored(sample, "good", 0.9))
    button = page.get_by_role("button", name="no verdict 1")
    button.click()
    assert rows(page) == ["ada"]
    assert button.get_attribute("aria-pressed") == "true"
    assert page.locator("#label").evaluate("each => each.selectedOptions[0].text") == "no verdict"
    button.click()
    assert rows(page) == ["ada", "good"]


def test_list_is_sorted_by_score_id_or_row(sample: Result, open_page: Open) -> None:
    results = [scored(sample, id, score) for id, score in (("r10", 0.9), ("r9", 0.2), ("r1", 0.5))]
    page = open_page(*results)
    orders = {}
    for order in ("score", "id", "row"):
        page.locator("#sort").select_option(order)
        orders[order] = rows(page)
    assert orders == {
        "score": ["r9", "r1", "r10"],
        "id": ["r1", "r9", "r10"],
        "row": ["r10", "r9", "r1"],
    }


def test_address_leads_back_to_what_was_shown(sample: Result, open_page: Open) -> None:
    results = [named(sample, each) for each in ("a", "b", "c")]
    page = open_page(*results)
    page.locator("#sort").select_option("score")
    press(page, "j")
    page.locator("#u6").click()
    page.wait_for_function("() => location.hash.includes('unit=6')")
    hash = page.evaluate("location.hash")
    again = open_page(*results, hash=hash)
    assert chosen(again) == chosen(page) == "b/6"
    assert again.locator("#sort").input_value() == "score"
    assert chosen(open_page(*results, hash="#id=c")) == "c/4"


def test_many_responses_take_few_elements(sample: Result, open_page: Open) -> None:
    """Newcomer 19: 1,501 rows made 202,760 nodes."""
    count = "document.querySelectorAll('*').length"
    few = open_page(*(named(sample, f"r{at}") for at in range(60))).evaluate(count)
    page = open_page(*(named(sample, f"r{at}") for at in range(600)))
    assert page.evaluate(count) < few + 20  # one for each block of data, which shows nothing
    assert page.evaluate(count) < 1_000
    page.locator("#list").evaluate("list => { list.scrollTop = 590 * 50; }")
    page.wait_for_selector("#row-599")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.locator("#row-599").click()
    page.wait_for_function("() => document.querySelector('#shown-id').textContent === 'r599'")
    option = page.locator("[role=option][aria-selected=true]")
    assert option.get_attribute("aria-posinset") == "600"
    assert option.get_attribute("aria-setsize") == "600"


@pytest.mark.parametrize("hash", ["#id=nope", "#row=99", "#row=x"])
def test_address_of_no_response_says_so(hash: str, sample: Result, open_page: Open) -> None:
    page = open_page(named(sample, "a"), named(sample, "b"), hash=hash)
    assert hash.split("=")[1] in page.locator("#missing").inner_text()
    assert page.locator("#shown-id").count() == 0
    press(page, "Escape", "ArrowRight")
    page.wait_for_timeout(300)  # the address is kept after a moment
    page.locator("#missing a").click()
    expect(page.locator("#shown-id")).to_have_text("a")


def test_address_keeps_the_id_it_was_given(sample: Result, open_page: Open) -> None:
    page = open_page(named(sample, "a"), named(sample, "b c"), hash="#id=b+c")
    page.wait_for_timeout(300)  # the address is kept after a moment
    assert page.url.endswith("#id=b+c")
    press(page, "ArrowRight")
    page.wait_for_url("**#id=b+c&unit=5")
    press(page, "k")
    page.wait_for_url("**#row=1&unit=4")


def test_search_shows_a_response_that_it_lists(sample: Result, open_page: Open) -> None:
    page = open_page(*(named(sample, id) for id in ("one", "two-x", "three-x")))
    page.locator("#q").fill("-x")
    expect(page.locator("#shown-id")).to_have_text("two-x")
    page.locator("#q").fill("three")
    page.locator("#q").press("Enter")
    expect(page.locator("#shown-id")).to_have_text("three-x")
    page.locator("#q").fill("")
    expect(page.locator(".row")).to_have_count(3)
    expect_chosen(page, "three-x/4")
    page.locator("#q").press("Enter")
    expect(page.locator("#shown-id")).to_have_text("one")


def test_filter_shows_a_response_that_it_lists(sample: Result, open_page: Open) -> None:
    page = open_page(scored(sample, "good", 0.9), sample)
    page.locator("button[data-label]", has_text="contradicting").click()
    expect(page.locator("#shown-id")).to_have_text("ada")


def test_highest_score_comes_first_and_a_key_changes_the_order(
    sample: Result, open_page: Open
) -> None:
    scores = {"low": 0.1, "none": None, "high": 0.9}
    page = open_page(*(scored(sample, id, score) for id, score in scores.items()))
    page.locator("#sort").select_option(label="score, highest first")
    assert rows(page) == ["high", "low", "none"]
    page.locator("#list").focus()
    press(page, "s", "s")
    assert rows(page) == ["low", "none", "high"]


def test_single_response_without_a_name_has_that_of_its_file(
    browser: Browser, sample: Result, tmp_path: Path
) -> None:
    for id, title in (("1", "summary.txt"), ("ada", "ada")):
        path = tmp_path / f"{id}.html"
        with PageWriter(str(path), Manifest(Author("d")), "summary.txt, article.txt") as writer:
            writer.add(named(sample, id))
        page = browser.new_page()
        page.goto(path.as_uri())
        page.wait_for_selector("#shown-id")
        assert page.locator("#shown-id").inner_text() == title
        page.close()
