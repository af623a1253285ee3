"""How the page looks in a real browser: colours, widths, paper, and without scripts."""

import pytest
from playwright.sync_api import Browser

from assay.core.examples import Example
from assay.core.judgements import Author, Judgement, Manifest
from assay.core.results import Result
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import ExternalEvidence, Verdict
from assay.report.pages.page import html_fragment
from tests.report.pages.page_browsing import COLOURS, Open, contrast, luminance, only, press

pytestmark = pytest.mark.browser


def test_contrast_of_black_on_white_is_21() -> None:
    assert contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)") == pytest.approx(21)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_are_readable_on_every_tone(scheme: str, sample: Result, open_page: Open) -> None:
    first = Verdict("s1", score=0.5)
    page = open_page(only(sample, first, *sample.judgement.outcomes[1:]), scheme=scheme)
    tones = set()
    for unit in page.locator(".unit").all():
        tones.add((unit.get_attribute("class") or "").replace(" current", ""))
        for part in (".words", ".tag"):
            text, *grounds = unit.locator(part).evaluate(COLOURS)
            assert min(contrast(text, ground) for ground in grounds) >= 4.5
    assert len(tones) == len(GRAY7.names) + 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "selector",
    [
        ".chip:not(dialog *)",
        ".segment.lit",
        ".quiet:not(dialog *, [hidden])",
        ".facts",
        ".row .sign",
        ".row .id",
        "#q",
        "#sort",
        ".plain:not(dialog *)",
        ".quote",
        ".stance",
    ],
)
def test_other_texts_are_readable(scheme: str, selector: str, open_page: Open) -> None:
    page = open_page(scheme=scheme)
    page.locator("button[data-label]").first.click()
    found = page.locator(selector).all()
    assert found
    for element in found:
        text, *grounds = element.evaluate(COLOURS)
        assert min(contrast(text, ground) for ground in grounds) >= 4.5


def test_dark_scheme_is_dark(open_page: Open) -> None:
    read = "getComputedStyle(document.body).backgroundColor"
    light = luminance(open_page(scheme="light").evaluate(read))
    dark = luminance(open_page(scheme="dark").evaluate(read))
    assert light > 0.8
    assert dark < 0.1


def test_tones_differ_in_more_than_colour(open_page: Open) -> None:
    signs = open_page().locator(".unit .tag").all_inner_texts()
    assert len(set(signs)) == len(signs) == 8


def test_wide_window_puts_the_source_left_of_the_response(open_page: Open) -> None:
    page = open_page(width=1280)
    index, source, response = (
        page.locator(selector).bounding_box() for selector in (".index", ".source", ".response")
    )
    assert index is not None
    assert source is not None
    assert response is not None
    assert index["x"] + index["width"] <= source["x"]
    assert source["x"] + source["width"] <= response["x"]
    assert source["y"] == response["y"]


WORD = "y" * 400


HOSTILE = (
    f"{WORD} | a | b |\n|---|---|\n| {WORD} | 2 |\n"
    "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd 12. \u202eturned\u202c \x1b[31m <b>bold</b>"
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 400, 768, 1280])
def test_no_text_widens_the_page(width: int, scheme: str, sample: Result, open_page: Open) -> None:
    """Finding 13: a page was 425 px wide in a window of 400."""
    unit = Unit.at("sentence", Span.cut(HOSTILE, 0, len(HOSTILE), "response"), "s1")
    evidence = (Span.cut(HOSTILE, 0, 450, "source"),)
    external = (ExternalEvidence(f"https://example.org/{WORD}", HOSTILE, WORD),)
    verdict = Verdict("s1", GRAY7["fabricated"], 0.4, 0.4, HOSTILE, evidence, external)
    author = Author(WORD, version=WORD)
    example = Example(WORD, Source(HOSTILE), Response(HOSTILE, WORD), HOSTILE)
    result = Result(example, Judgement(WORD, author, (unit,), (verdict,), 0, 1))
    page = open_page(result, sample, width=width, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for key in ("Escape", "j", "?"):
        press(page, key)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#shown").evaluate("each => each.scrollWidth <= each.clientWidth")


@pytest.mark.parametrize("width", [320, 400])
def test_narrow_window_stacks_the_response_on_the_source(width: int, open_page: Open) -> None:
    page = open_page(width=width)
    source = page.locator(".source").bounding_box()
    response = page.locator(".response").bounding_box()
    assert source is not None
    assert response is not None
    assert response["y"] + response["height"] <= source["y"]


@pytest.mark.parametrize("width", [320, 400, 900, 1440])
def test_chosen_sentence_is_hidden_by_nothing(width: int, open_page: Open) -> None:
    page = open_page(width=width)
    for key in ("ArrowRight",) * 4 + ("ArrowLeft",) * 7:
        press(page, key)
        seen = page.evaluate(
            "() => { const [line] = document.activeElement.getClientRects();"
            " return document.elementFromPoint(line.left + 9, line.top + 9)"
            ".closest('.unit')?.id; }"
        )
        assert seen == page.evaluate("document.activeElement.id")


def test_sentence_in_focus_has_a_ring(open_page: Open) -> None:
    page = open_page()
    press(page, "ArrowRight")
    style = "() => { const { outlineStyle, outlineWidth } = getComputedStyle(%s);"
    style += " return [outlineStyle, outlineWidth]; }"
    assert page.evaluate(style % "document.activeElement") == ["solid", "3px"]
    assert page.evaluate(style % "document.querySelector('#u2')")[0] == "none"


def test_page_without_scripts_is_readable(sample: Result, open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    assert page.locator(".assay-report section").count() == 2
    assert page.locator(".app").is_hidden()
    assert "Her notes are of 1853." in page.locator("body").inner_text()
    assert GRAY7["ambiguous"].meaning in page.locator("body").inner_text()


def test_paper_shows_all_details_of_the_response(open_page: Open) -> None:
    page = open_page()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#panel .what").count() == 8
    assert page.locator(".index").is_hidden()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#panel .what").count() == 1


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


@pytest.mark.parametrize("width", [320, 400])
def test_narrow_window_hides_no_heading(width: int, open_page: Open) -> None:
    page = open_page(width=width)
    seen = """selector => {
      const element = document.querySelector(selector);
      const { left, top } = element.getBoundingClientRect();
      const hit = document.elementFromPoint(left + 5, top + 5);
      return element.contains(hit) || hit === null;
    }"""
    height = page.evaluate("document.documentElement.scrollHeight")
    for at in range(0, height, 60):
        page.evaluate("at => scrollTo(0, at)", at)
        assert page.evaluate(seen, "#shown-id")
        assert page.evaluate(seen, ".source h3")
