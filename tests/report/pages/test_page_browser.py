"""A response in a real browser: its evidence, its units and what is said of them."""

import random
from dataclasses import replace

import pytest
from playwright.sync_api import Browser

from assay.core.examples import Example
from assay.core.judgements import Author, Judgement
from assay.core.results import Result
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from tests.report.pages.page_browsing import Open, Write, chosen, lit, press, quotes
from tests.report.pages.page_data import utf16

pytestmark = pytest.mark.browser


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


def test_arrows_to_the_sides_move_among_sentences(open_page: Open) -> None:
    page = open_page()
    press(page, "ArrowRight", "ArrowRight")
    assert chosen(page) == "ada/6"
    press(page, "ArrowLeft")
    assert chosen(page) == "ada/5"


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


def test_row_that_could_not_be_read_is_no_text_of_0_characters(open_page: Open) -> None:
    failure = Failure("response", "unreadable", "no source")
    judgement = Judgement("x", Author("d"), (Unit.response(""),), (failure,))
    page = open_page(Result(Example("x", Source(""), Response("")), judgement))
    assert page.locator(".source").inner_text().split("\n") == ["Source", "There is no source."]
    assert "There is no response." in page.locator(".response").inner_text()


def test_line_ends_of_two_characters_are_one_line_end(open_page: Open) -> None:
    source = "One.\r\nTwo.\r\n\r\nThree.\rFour."
    unit = Unit.at("sentence", Span.cut("B.\r\nC.", 0, 3, "response"), "s1")
    cut = Span.cut(source, 0, 5, "source")  # ends between the two characters of a line end
    verdict = Verdict("s1", GRAY7["fabricated"], evidence=(cut,))
    example = Example("x", Source(source), Response("B.\r\nC."))
    page = open_page(Result(example, Judgement("x", Author("d"), (unit,), (verdict,), 0, 1)))
    assert page.locator(".source .text").text_content() == "One.\nTwo.\n\nThree.\nFour."
    assert lit(page) == ["One."]
    assert page.locator(".response .text .words").all_text_contents() == ["B.", "\nC."]


def test_segments_of_a_source_are_its_text_and_the_evidence_of_each_unit(open_page: Open) -> None:
    page, chance = open_page(), random.Random(7)
    for _ in range(60):
        text = "".join(chance.choices("ab \n😀é\u05d0", k=chance.randrange(1, 30)))
        pairs = [sorted(chance.choices(range(len(text) + 1), k=2)) for _ in range(8)]
        ranges = [(start, end) for start, end in pairs if start < end]
        quotes = [{"at": [utf16(text[:place]) for place in pair]} for pair in ranges]
        units = [{"quotes": quotes[at::4]} for at in range(4)]
        found = page.evaluate("([text, units]) => sourceSegments({ text }, units)", [text, units])
        assert "".join(each["text"] for each in found) == text
        for at, (start, end) in enumerate(ranges):
            mark = (at % 4 + 1, at // 4)
            held = (e for e in found if mark in [(m["unit"], m["rank"]) for m in e["marks"]])
            assert "".join(each["text"] for each in held) == text[start:end]
