"""What the page does in a real browser."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from assay.core.judgements import Author, Manifest
from assay.core.results import Result
from assay.core.taxonomies import GRAY7
from assay.core.verdicts import Outcome, Verdict
from assay.report.page import html_fragment

pytestmark = pytest.mark.browser

Write = Callable[..., Path]
Open = Callable[..., Page]


# The colour of a text, and every colour that lies directly behind it.
COLOURS = """element => {
  const style = (node) => getComputedStyle(node);
  let ground = element;
  while (style(ground).backgroundColor === "rgba(0, 0, 0, 0)") ground = ground.parentElement;
  const grounds = style(ground).backgroundColor + style(ground).backgroundImage;
  return [style(element).color, ...grounds.match(/rgba?\\([^)]*\\)/g)];
}"""


@pytest.fixture
def open_page(browser: Browser, sample: Result, write: Write) -> Iterator[Open]:
    """Opens a page of two examples with the network off; a complaint of the browser fails."""
    complaints: list[str] = []
    pages: list[Page] = []

    def open_it(*examples: Result, width: int = 1440, **options: Any) -> Page:
        viewport = ViewportSize(width=width, height=700)
        page = browser.new_page(viewport=viewport, reduced_motion="reduce", **options)
        page.context.set_offline(True)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(write(*(examples or (sample, sample))).as_uri())
        pages.append(page)
        return page

    yield open_it
    for page in pages:
        page.close()
    assert complaints == []


def lit(page: Page) -> list[str]:
    return page.locator(".segment.lit").all_text_contents()


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.id"))


def quotes(result: Result, number: int) -> str:
    """The evidence of a sentence, joined in the order of the source."""
    return "".join(span.text for span in sorted(result.sentences[number - 1].evidence))


def only(result: Result, *outcomes: Outcome) -> Result:
    """The same result with these outcomes and no others."""
    return Result(result.example, replace(result.judgement, outcomes=outcomes))


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def luminance(colour: str) -> float:
    channels = [int(value) / 255 for value in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """WCAG 2: (L1 + 0.05) / (L2 + 0.05) with the lighter one first."""
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_black_on_white_is_21() -> None:
    assert contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)") == pytest.approx(21)


def test_page_makes_no_request(browser: Browser, sample: Result, write: Write) -> None:
    page, asked = browser.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    address = write(sample).as_uri()
    page.goto(address)
    press(page, "n", "Enter", "j")
    page.wait_for_load_state("networkidle")
    page.close()
    assert asked == [address]


@pytest.mark.parametrize("number", [2, 3, 4, 6, 7])
def test_focus_lights_exactly_the_evidence(number: int, sample: Result, open_page: Open) -> None:
    page = open_page()
    page.locator(f"#u2-{number}").focus()
    assert "".join(lit(page)) == quotes(sample, number)
    assert page.locator("#e1 .lit").count() == 0


@pytest.mark.parametrize("number", [2, 3, 4, 6, 7])
def test_hovering_lights_exactly_the_evidence(number: int, sample: Result, open_page: Open) -> None:
    page = open_page()
    page.locator(f"#u1-{number}").hover()
    assert "".join(lit(page)) == quotes(sample, number)


def test_choice_replaces_the_one_before(sample: Result, open_page: Open) -> None:
    page = open_page()
    page.locator("#u1-2").hover()
    page.locator("#u2-3").hover()
    assert "".join(lit(page)) == quotes(sample, 3)
    assert page.locator(".detail:visible").count() == 1
    assert page.locator("#d2-3").is_visible()


def test_evidence_out_of_view_is_scrolled_to(open_page: Open) -> None:
    page = open_page()
    segment = page.locator("#e1 .segment", has_text="She lies").first
    pane = page.locator("#e1 .source .text").bounding_box()
    before = segment.bounding_box()
    page.locator("#u1-6").focus()
    after = segment.bounding_box()
    assert pane is not None
    assert before is not None
    assert after is not None
    assert before["y"] > pane["y"] + pane["height"]
    assert pane["y"] <= after["y"] <= pane["y"] + pane["height"] - after["height"]


def test_quote_in_the_details_leads_to_its_place(open_page: Open) -> None:
    page = open_page()
    page.locator("#u1-4").click()
    page.locator("#d1-4 .quote", has_text="seven notes").click()
    assert page.evaluate("document.querySelector('#e1 .source .text').scrollTop") > 0


def test_passage_of_the_source_outlines_the_sentences_it_supports(open_page: Open) -> None:
    page = open_page()
    page.locator("#e1 .segment", has_text="born in London in 1815.").hover()
    related = page.locator(".related").evaluate_all("all => all.map(each => each.id)")
    assert related == ["u1-2", "u1-4"]


def test_arrow_keys_and_letters_move(open_page: Open) -> None:
    page = open_page()
    press(page, "j")
    assert focused(page) == "u1-1"
    press(page, "ArrowDown", "ArrowRight", "j")
    assert focused(page) == "u1-4"
    press(page, "ArrowUp", "ArrowLeft", "k")
    assert focused(page) == "u1-1"


def test_moving_goes_on_in_the_next_example_and_around(open_page: Open) -> None:
    page = open_page()
    page.locator("#u1-8").focus()
    press(page, "j")
    assert focused(page) == "u2-1"
    press(page, "k", "k")
    assert focused(page) == "u1-7"
    page.locator("#u2-8").focus()
    press(page, "ArrowDown")
    assert focused(page) == "u1-1"


def test_n_goes_to_the_next_problem(open_page: Open) -> None:
    page = open_page()
    visited = []
    for _ in range(6):
        press(page, "n")
        visited.append(focused(page))
    assert visited == ["u1-4", "u1-5", "u1-6", "u1-7", "u1-8", "u2-4"]
    assert page.locator("#place").text_content() == "6 of 10 problems"
    press(page, "Shift+N")
    assert focused(page) == "u1-8"


def test_button_goes_to_the_next_problem(open_page: Open) -> None:
    page = open_page()
    page.get_by_role("button", name="Next problem").click()
    assert focused(page) == "u1-4"


def test_page_without_problems_has_no_button(sample: Result, open_page: Open) -> None:
    page = open_page(only(sample, *sample.judgement.outcomes[:3]))
    assert page.locator("#place").text_content() == "No problems"
    assert page.locator("#next").is_hidden()


def test_tab_enters_a_response_once(open_page: Open) -> None:
    page = open_page()
    page.locator("#u1-3").focus()
    assert page.locator("#e1 .unit[tabindex='0']").count() == 1
    press(page, "Tab", "Shift+Tab")
    assert focused(page) == "u1-3"


@pytest.mark.parametrize("key", ["Enter", " "])
def test_key_pins_and_escape_releases(key: str, open_page: Open) -> None:
    page = open_page()
    page.locator("#u1-4").focus()
    press(page, key)
    page.locator("#u1-2").hover()
    assert page.locator("#d1-4").is_visible()
    assert page.locator("#u1-4").get_attribute("aria-pressed") == "true"
    press(page, "Escape")
    assert page.locator("#u1-4").get_attribute("aria-pressed") == "false"
    page.locator("#u1-3").hover()
    assert page.locator("#d1-3").is_visible()


def test_click_pins_and_a_second_click_releases(open_page: Open) -> None:
    page = open_page()
    page.locator("#u1-4").click()
    assert page.locator("#d1-4 .pin").is_visible()
    page.locator("#u1-4").click()
    assert page.locator("#d1-4 .pin").is_hidden()


def test_second_escape_clears_the_choice(open_page: Open) -> None:
    page = open_page()
    page.locator("#u1-4").click()
    press(page, "Escape", "Escape")
    assert lit(page) == []
    assert page.locator("#e1 .empty").is_visible()


def test_pointer_at_rest_does_not_take_the_choice_from_the_keys(open_page: Open) -> None:
    page = open_page()
    page.locator("#u1-2").hover()
    press(page, *"jjjjjjjj")
    page.mouse.wheel(0, -200)
    page.wait_for_timeout(200)  # the browser tells of a pointer above moved text a little later
    assert page.locator("#d2-2").is_visible()


def test_sentence_without_evidence_shows_its_details(open_page: Open) -> None:
    page = open_page()
    page.locator("#u1-5").focus()
    assert lit(page) == []
    assert "Why fabricated." in page.locator("#d1-5").inner_text()


def test_sentence_is_named_and_described_to_a_screen_reader(open_page: Open) -> None:
    page = open_page()
    name = "contradicting: Her notes are of 1853."
    sentence = page.get_by_role("button", name=name, exact=True).first
    described = page.locator(f"#{sentence.get_attribute('aria-describedby')}")
    assert sentence.get_attribute("id") == "u1-4"
    assert described.text_content() == "Why contradicting."


def test_sums_come_first_although_they_are_written_last(open_page: Open) -> None:
    page = open_page()
    sums, example = page.locator("#summary").bounding_box(), page.locator("#e1").bounding_box()
    assert sums is not None
    assert example is not None
    assert sums["y"] < example["y"]


def test_copied_response_is_the_plain_text(sample: Result, open_page: Open) -> None:
    page = open_page()
    copied = page.evaluate(
        "() => { getSelection().selectAllChildren(document.querySelector('#e1 .response .text'));"
        " return getSelection().toString(); }"
    )
    assert copied == sample.example.response.text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_are_readable_on_every_tone(scheme: str, sample: Result, open_page: Open) -> None:
    scored = Verdict("s1", score=0.5)
    outcomes = (scored, *sample.judgement.outcomes[1:])
    page = open_page(sample, only(sample, *outcomes), color_scheme=scheme)
    tones = set()
    for unit in page.locator(".unit").all():
        tones.add(unit.get_attribute("class"))
        for part in (".words", ".tag"):
            text, *grounds = unit.locator(part).evaluate(COLOURS)
            assert min(contrast(text, ground) for ground in grounds) >= 4.5
    assert len(tones) == len(GRAY7.names) + 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("selector", [".chip", ".segment.lit", ".quiet", ".facts", "kbd", "#next"])
def test_other_texts_are_readable(scheme: str, selector: str, open_page: Open) -> None:
    page = open_page(color_scheme=scheme)
    press(page, *"nnnn", "Enter")
    found = page.locator(selector).all()
    assert found
    for element in found:
        text, *grounds = element.evaluate(COLOURS)
        assert min(contrast(text, ground) for ground in grounds) >= 4.5


def test_dark_scheme_is_dark(open_page: Open) -> None:
    read = "getComputedStyle(document.body).backgroundColor"
    light = luminance(open_page(color_scheme="light").evaluate(read))
    dark = luminance(open_page(color_scheme="dark").evaluate(read))
    assert light > 0.8
    assert dark < 0.1


def test_tones_differ_in_more_than_colour(open_page: Open) -> None:
    looks = (
        open_page()
        .locator("#e1 .unit")
        .evaluate_all("all => all.map(each => each.querySelector('.tag').textContent)")
    )
    assert len(set(looks)) == len(looks) == 8


def test_wide_window_puts_the_source_left_of_the_response(open_page: Open) -> None:
    page = open_page()
    source = page.locator("#e1 .source").bounding_box()
    response = page.locator("#e1 .response").bounding_box()
    assert source is not None
    assert response is not None
    assert source["x"] + source["width"] <= response["x"]
    assert source["y"] == response["y"]


@pytest.mark.parametrize("width", [320, 400])
def test_narrow_window_stacks_the_source_on_the_response(width: int, open_page: Open) -> None:
    page = open_page(width=width)
    source = page.locator("#e1 .source").bounding_box()
    response = page.locator("#e1 .response").bounding_box()
    assert source is not None
    assert response is not None
    assert source["y"] + source["height"] <= response["y"]
    press(page, "n")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [320, 400, 900, 1440])
def test_chosen_sentence_is_hidden_by_nothing(width: int, open_page: Open) -> None:
    page = open_page(width=width)
    for key in "n" * 10 + "N" * 9:
        press(page, key)
        seen = page.evaluate(
            "() => { const [line] = document.activeElement.getClientRects();"
            " return document.elementFromPoint(line.left + 9, line.top + 9)"
            ".closest('.unit')?.id; }"
        )
        assert seen == focused(page)


def test_sentence_in_focus_has_a_ring(open_page: Open) -> None:
    page = open_page()
    press(page, "j")
    style = "() => { const { outlineStyle, outlineWidth } = getComputedStyle(%s);"
    style += " return [outlineStyle, outlineWidth]; }"
    assert page.evaluate(style % "document.activeElement") == ["solid", "3px"]
    assert page.evaluate(style % "document.querySelector('#u1-2')")[0] == "none"


def test_page_without_scripts_shows_all_details(open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    assert page.locator(".detail:visible").count() == 16


def test_paper_shows_all_details(open_page: Open) -> None:
    page = open_page()
    page.emulate_media(media="print")
    assert page.locator(".detail:visible").count() == 16
    assert page.locator(".bar").is_hidden()


def test_examples_far_down_are_laid_out_when_needed(sample: Result, open_page: Open) -> None:
    page = open_page(*[sample] * 25)
    read = "number => getComputedStyle(document.querySelector('#e' + number)).contentVisibility"
    assert [page.evaluate(read, number) for number in (20, 21)] == ["visible", "auto"]
    page.locator("#u25-4").focus()
    assert "".join(lit(page)) == quotes(sample, 4)


def test_fragment_in_a_notebook_styles_only_itself(browser: Browser, sample: Result) -> None:
    manifest = Manifest(Author("d"), taxonomy="gray7")
    page = browser.new_page(color_scheme="light")
    try:
        page.set_content(
            '<p class="chip quiet tone-contradicting" id="outside">Text</p>'
            + html_fragment([sample], manifest)
        )
        read = "element => getComputedStyle(element).backgroundColor"
        assert page.locator("#outside").evaluate(read) == "rgba(0, 0, 0, 0)"
        assert page.locator(".assay-report .chip").first.evaluate(read) != "rgba(0, 0, 0, 0)"
        assert (
            page.locator(".assay-report .unit.tone-contradicting").evaluate(
                "element => getComputedStyle(element).textDecorationLine"
            )
            == "underline"
        )
        assert page.evaluate("getComputedStyle(document.body).getPropertyValue('--card')") == ""
    finally:
        page.close()
