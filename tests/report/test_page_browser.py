"""What the page does in a real browser."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from assay.core.examples import Example
from assay.core.judgements import Author, Judgement, Manifest
from assay.core.results import Result
from assay.core.spans import Span
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import ExternalEvidence, Failure, Outcome, Verdict
from assay.report.page import PageWriter, html_fragment

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

    def open_it(
        *examples: Result,
        width: int = 1440,
        hash: str = "",
        shown: str = "#shown-id",
        **options: Any,
    ) -> Page:
        viewport = ViewportSize(width=width, height=700)
        page = browser.new_page(viewport=viewport, reduced_motion="reduce", **options)
        page.context.set_offline(True)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(write(*(examples or (sample, sample))).as_uri() + hash)
        if options.get("java_script_enabled", True):
            page.wait_for_selector(shown)
        pages.append(page)
        return page

    yield open_it
    for page in pages:
        page.close()
    assert complaints == []


def lit(page: Page) -> list[str]:
    return page.locator(".segment.lit").all_text_contents()


def chosen(page: Page) -> str:
    """The response that is shown, with the number of the unit chosen."""
    unit = page.locator(".unit[aria-pressed='true']")
    number = unit.first.get_attribute("data-unit") if unit.count() else "0"
    return f"{page.locator('#shown-id').inner_text()}/{number}"


def rows(page: Page) -> list[str]:
    """The ids in the index, as far as they are drawn."""
    return page.locator(".row .id").all_inner_texts()


def named(result: Result, id: str, **changes: Any) -> Result:
    """The same result under another id."""
    return Result(replace(result.example, id=id, **changes), result.judgement)


def scored(result: Result, id: str, score: float | None, model: str = "") -> Result:
    """A response with one sentence that has a verdict, by some model."""
    outcome = Verdict("s2", GRAY7["explicitly-supported"], score)
    response = replace(result.example.response, model=model)
    return only(named(result, id, response=response), outcome)


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
    press(page, "n", "Enter", "j", "?")
    page.wait_for_load_state("networkidle")
    page.close()
    assert asked == [address]


@pytest.mark.parametrize("number", [2, 3, 4, 6, 7])
def test_choice_lights_exactly_the_evidence(number: int, sample: Result, open_page: Open) -> None:
    page = open_page()
    page.locator(f"#u{number}").click()
    assert "".join(lit(page)) == quotes(sample, number)


def test_worst_sentence_is_chosen_at_first(open_page: Open) -> None:
    page = open_page()
    assert chosen(page) == "ada/4"
    panel = page.locator("#panel").inner_text()
    assert "some-detector takes this for a contradiction of the source" in panel
    assert "Why contradicting." in panel
    assert "0.75" in panel


def test_best_evidence_is_told_from_weaker_evidence(sample: Result, open_page: Open) -> None:
    page = open_page()
    best = page.locator(".segment.best").all_text_contents()
    assert "".join(best) == sample.sentences[3].evidence[0].text
    assert len(lit(page)) > len(best)
    colours = {
        page.locator(selector).first.evaluate("each => getComputedStyle(each).backgroundColor")
        for selector in (".segment.best", ".segment.lit:not(.best)", ".segment:not(.lit)")
    }
    assert len(colours) == 3


@pytest.mark.parametrize("width", [400, 768, 1280])
def test_source_is_scrolled_to_the_best_evidence_not_the_first(width: int, open_page: Open) -> None:
    """Newcomer 19: sentence 4 has weaker evidence at the head of a long source."""
    page = open_page(width=width)
    press(page, "Escape")
    page.locator("#u4").click()
    pane = page.locator(".source .text").bounding_box()
    best = page.locator(".segment.best").first.bounding_box()
    weaker = page.locator(".segment.lit:not(.best)").first.bounding_box()
    assert pane is not None
    assert best is not None
    assert weaker is not None
    assert pane["y"] <= best["y"] <= pane["y"] + pane["height"] - best["height"]
    assert weaker["y"] < pane["y"]


def test_words_that_are_not_in_the_evidence_are_underlined(open_page: Open) -> None:
    page = open_page()
    assert page.locator("#u4 mark.absent").all_inner_texts() == ["1853"]
    assert page.locator("#u2 mark.absent").count() == 0
    assert "not in the best evidence as written" in page.locator("#panel").inner_text()


def test_words_that_the_detector_marked_are_underlined_instead(
    open_page: Open, sample: Result
) -> None:
    unit = sample.sentences[3].unit
    start = sample.example.response.text.index("Her notes")
    mark = Span.cut(sample.example.response.text, start, start + 9, "response")
    said = [
        replace(each, marks=(mark,)) if isinstance(each, Verdict) and each.unit == unit.id else each
        for each in sample.judgement.outcomes
    ]
    marked = replace(sample, judgement=replace(sample.judgement, outcomes=tuple(said)))
    page = open_page(marked)
    assert page.locator("#u4 mark").all_inner_texts() == ["Her notes"]
    assert page.locator("#u4 mark.marked").count() == 1
    panel = page.locator("#panel").inner_text()
    assert "the source does not bear them out, as far as the detector can tell" in panel


def test_quote_in_the_details_leads_to_its_place(open_page: Open) -> None:
    page = open_page()
    before = page.evaluate("document.querySelector('.source .text').scrollTop")
    page.locator(".quote", has_text="born in London").click()
    assert before > 0
    assert page.evaluate("document.querySelector('.source .text').scrollTop") < before


def test_passage_of_the_source_outlines_the_sentences_it_supports(open_page: Open) -> None:
    page = open_page()
    page.locator(".segment", has_text="born in London in 1815.").hover()
    related = page.locator(".related").evaluate_all("all => all.map(each => each.id)")
    assert related == ["u2", "u4"]


def test_letters_and_arrows_move_among_responses(sample: Result, open_page: Open) -> None:
    page = open_page(*(named(sample, each) for each in "abc"))
    for key, id in (("j", "b"), ("ArrowDown", "c"), ("j", "c"), ("ArrowUp", "b"), ("k", "a")):
        press(page, key)
        page.wait_for_function(
            "id => document.querySelector('#shown-id').textContent === id", arg=id
        )
        assert page.locator(".row[aria-selected='true'] .id").inner_text() == id


def test_arrows_to_the_sides_move_among_sentences(open_page: Open) -> None:
    page = open_page()
    press(page, "ArrowRight", "ArrowRight")
    assert chosen(page) == "ada/6"
    press(page, "ArrowLeft")
    assert chosen(page) == "ada/5"


def test_n_and_p_go_to_what_needs_a_look_here_and_in_other_responses(
    sample: Result, open_page: Open
) -> None:
    fine = only(named(sample, "fine"), *sample.judgement.outcomes[:3])
    page = open_page(sample, fine, named(sample, "last"))
    visited = [chosen(page)]
    for _ in range(5):
        press(page, "n")
        page.wait_for_timeout(50)
        visited.append(chosen(page))
    assert visited == ["ada/4", "ada/5", "ada/6", "ada/7", "ada/8", "last/4"]
    press(page, "p")
    page.wait_for_timeout(50)
    assert chosen(page) == "ada/8"


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
    page.wait_for_timeout(250)
    assert page.locator("#tally").inner_text() == told
    assert rows(page) == ids
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


def test_escape_shows_what_there_is_to_say_of_the_response(open_page: Open) -> None:
    page = open_page()
    press(page, "Escape")
    assert lit(page) == []
    assert "This response" in page.locator("#panel").inner_text()
    assert page.locator("#panel .chip").count() == 8


def test_help_opens_and_closes(open_page: Open) -> None:
    page = open_page()
    press(page, "?")
    assert page.get_by_role("dialog", name="Labels and keys").is_visible()
    assert GRAY7["ambiguous"].meaning in page.locator("#help").inner_text()
    press(page, "Escape")
    assert page.locator("#help").is_hidden()
    assert chosen(page) == "ada/4"


def test_sentence_without_evidence_shows_its_details(open_page: Open) -> None:
    page = open_page()
    page.locator("#u5").click()
    assert lit(page) == []
    assert "Why fabricated." in page.locator("#panel").inner_text()


def test_failure_shows_its_reason_and_the_reply(open_page: Open) -> None:
    page = open_page()
    page.locator("#u8").click()
    panel = page.locator("#panel").inner_text()
    assert "The reply could not be read. (parse)" in panel
    assert "not an object" in panel
    assert "I <b>think</b> so" in panel


def test_readings_and_outside_evidence_are_shown(open_page: Open) -> None:
    page = open_page()
    page.locator("#u7").click()
    assert "it is the engine" in page.locator("#panel").inner_text()
    page.locator("#u6").click()
    link = page.get_by_role("link", name="A church")
    assert link.get_attribute("href") == "https://example.org/hucknall"
    assert page.get_by_role("link").count() == 1
    assert "javascript:alert(1)" in page.locator("#panel").inner_text()


def test_sentence_is_named_to_a_screen_reader_and_tells_whether_it_is_chosen(
    open_page: Open,
) -> None:
    page = open_page()
    name = "contradicting: Her notes are of 1853."
    sentence = page.get_by_role("button", name=name, exact=True)
    assert sentence.get_attribute("id") == "u4"
    assert sentence.get_attribute("aria-pressed") == "true"


def test_tab_enters_a_response_once(open_page: Open) -> None:
    page = open_page()
    page.locator("#u3").click()
    assert page.locator(".unit[tabindex='0']").count() == 1
    press(page, "Tab", "Shift+Tab")
    assert page.evaluate("document.activeElement.id") == "u3"


def test_copied_response_is_the_plain_text(sample: Result, open_page: Open) -> None:
    page = open_page()
    copied = page.evaluate(
        "() => { getSelection().selectAllChildren(document.querySelector('.response .text'));"
        " return getSelection().toString(); }"
    )
    assert copied == sample.example.response.text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_are_readable_on_every_tone(scheme: str, sample: Result, open_page: Open) -> None:
    first = Verdict("s1", score=0.5)
    page = open_page(only(sample, first, *sample.judgement.outcomes[1:]), color_scheme=scheme)
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
    page = open_page(color_scheme=scheme)
    page.locator("button[data-label]").first.click()
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
    page = open_page(result, sample, width=width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for key in ("Escape", "j", "?"):
        press(page, key)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("#shown").evaluate("each => each.scrollWidth <= each.clientWidth")


@pytest.mark.parametrize("width", [320, 400])
def test_narrow_window_stacks_the_source_on_the_response(width: int, open_page: Open) -> None:
    page = open_page(width=width)
    source = page.locator(".source").bounding_box()
    response = page.locator(".response").bounding_box()
    assert source is not None
    assert response is not None
    assert source["y"] + source["height"] <= response["y"]


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


HTML = (
    "<html><style>p { color: red }</style><p>Ada has two caf&eacute;s and a <b>pier</b>.</p>"
    "<table><tr><td>Mayor</td><td>Dag</td></tr></table></html>"
)


def in_html() -> Result:
    """A response whose source is HTML, with a passage across tags as its evidence."""
    quote = "Ada has two caf&eacute;s and a <b>pier</b>."
    start = HTML.index(quote)
    evidence = (Span.cut(HTML, start, start + len(quote), "source"),)
    text = "Ada has a pier."
    unit = Unit.at("sentence", Span.cut(text, 0, len(text), "response"), "s1")
    verdict = Verdict("s1", GRAY7["explicitly-supported"], 0.9, evidence=evidence)
    example = Example("html", Source(HTML), Response(text))
    return Result(
        example, Judgement("html", Author("d"), (unit,), (verdict,), len(HTML), len(HTML))
    )


def test_source_in_html_is_readable_and_can_be_seen_as_written(open_page: Open) -> None:
    page = open_page(in_html())
    pane, quote = page.locator(".source .text"), "Ada has two cafés and a pier."
    assert pane.inner_text().split() == [*quote.split(), "Mayor;", "Dag."]
    assert page.locator(".quote q").inner_text() == quote
    assert f"{len(HTML)}" in page.locator(".source h3").inner_text()
    page.get_by_role("button", name="Show as written").click()
    assert pane.inner_text() == HTML
    page.get_by_role("button", name="Show as written").click()
    assert "<" not in pane.inner_text()


@pytest.mark.parametrize("hash", ["#id=nope", "#row=99", "#row=x"])
def test_address_of_no_response_says_so(hash: str, sample: Result, open_page: Open) -> None:
    page = open_page(named(sample, "a"), named(sample, "b"), hash=hash, shown="#missing")
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
    assert chosen(page) == "three-x/4"
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


def test_row_that_could_not_be_read_is_no_text_of_0_characters(open_page: Open) -> None:
    failure = Failure("response", "unreadable", "no source")
    judgement = Judgement("x", Author("d"), (Unit.response(""),), (failure,))
    page = open_page(Result(Example("x", Source(""), Response("")), judgement))
    assert page.locator(".source").inner_text().split("\n") == ["Source", "There is no source."]
    assert "There is no response." in page.locator(".response").inner_text()


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
