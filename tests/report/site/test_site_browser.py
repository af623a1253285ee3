"""What the site does in a real browser, opened from disk with the network off."""

from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, get_args

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from assay.board.results import Board
from assay.core.pooling import GoldBasis, Voices
from assay.evaluation.comparison import EvaluationReport
from assay.evaluation.levels import RefusalRule
from assay.evaluation.policy import Invalid
from assay.metrics import CorrectedRate, Estimate
from assay.report.site.site import write_site
from tests.reading_tables import html_tables
from tests.report.site.site_browsing import Open, go, ready

pytestmark = pytest.mark.browser


# Every text that is seen, with its colour and all that lies directly behind it.
COLOURS = """() => {
  const found = [];
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const isSeen = element.checkVisibility({ visibilityProperty: true });
    if (!isSeen || !walker.currentNode.data.trim()) continue;
    if (element.closest(".unseen, noscript, option, svg")) continue;
    let ground = element;
    const style = (node) => getComputedStyle(node);
    const isClear = (node) => style(node).backgroundColor === "rgba(0, 0, 0, 0)";
    while (ground.parentElement && isClear(ground)) ground = ground.parentElement;
    const plain = (colour) => {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const where = element.className + ": " + walker.currentNode.data.slice(0, 30);
    found.push([where, plain(style(element).color), plain(style(ground).backgroundColor)]);
  }
  return found;
}"""


class Silent(SimpleHTTPRequestHandler):
    """Serves files and says nothing about it."""

    def log_message(self, *_: Any) -> None:
        """Nothing."""


def names(page: Page) -> list[str]:
    return page.locator(".board tbody th button").all_inner_texts()


def test_ranking_is_sorted_and_filtered(open_site: Open, board: Board) -> None:
    page = open_site()
    best = [each.model for each in board.rankings[0].standings]
    assert names(page) == best
    head = page.get_by_role("columnheader", name="LLM")
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert names(page) == ["../x<img src=x onerror=alert(1)>", "alpha-1", "beta", "נמלה"]
    assert page.evaluate("document.activeElement.dataset.sort") == "model"
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    page.locator("#q").press_sequentially("ALPHA")
    assert names(page) == ["alpha-1"]
    assert page.get_by_text("1 of 4 LLMs").is_visible()
    again = open_site("#" + page.url.partition("#")[2])  # what is seen is in the address
    assert names(again) == ["alpha-1"]


def test_judge_level_and_task_choose_the_ranking(open_site: Open, board: Board) -> None:
    page = open_site()
    page.get_by_label("Judge").select_option("reader")
    page.get_by_label("Counts as hallucinated").select_option("wide")
    page.get_by_label("Task").select_option("question")
    wanted = next(
        each
        for each in board.rankings
        if (each.judge, each.level, each.task) == ("reader", "wide", "question")
    )
    assert names(page) == [each.model for each in wanted.standings]
    counts = page.locator(".board tbody tr td:nth-child(4)").all_inner_texts()
    assert counts == [str(each.hallucinated) for each in wanted.standings]
    page.go_back()
    page.go_back()
    expect(page.get_by_label("Judge")).to_have_value("reader")
    expect(page.get_by_label("Counts as hallucinated")).to_have_value("strict")


def test_every_cell_stands_under_its_head(
    browser: Browser, board: Board, tmp_path: Path, small_report: EvaluationReport
) -> None:
    first, *others = board.rankings
    corrected = CorrectedRate(Estimate(0.321, 77, 0.222, 0.444), 88, 0.5)
    told = replace(
        first.standings[0], model="beta", rank=3, ranks=(2, 4), is_starred=True, words=21.4,
        rate=Estimate(0.11, 12, 0.06, 0.2), corrected=corrected, hallucinated=13, judged=14,
        responses=15, refused=16, invalid=17, failed=18, missing=19,
    )  # fmt: skip
    one = replace(first, standings=(told,))
    own = replace(board.judges[0], own=("beta",), own_by="model", model="a/beta")
    basis = GoldBasis.of("any", [Voices(2)])
    judges = (own, *board.judges[1:])
    whole = replace(board, rankings=(one, *others), judges=judges, gold=basis)
    write_site(whole, [], tmp_path / "site")
    page = browser.new_page(viewport=ViewportSize(width=1400, height=900))
    page.goto((tmp_path / "site" / "index.html").as_uri())
    ready(page)
    heads = "Rank|LLM|Hallucination rate|Corrected|Hallucinated|Judged|Refused|Invalid|Failed"
    cells = "3 (2–4)|beta★judge’s own LLM|11.0 %6.0–20.0|32.1 %22.2–44.477 labelled|13|14|16|17|18"
    wanted = dict(zip(heads.split("|"), cells.split("|"), strict=True))
    wanted |= {"Missing": "19", "Coverage": "41.2 %", "Words": "21"}  # 14 / (15 + 19)
    [[row]] = html_tables(shown(page))
    assert row == wanted
    go(page, "#view=charts")
    forest = html_tables(shown(page))[0]
    assert forest == [
        {"LLM": "beta", "": "", "Rate": "11.0 %", "95 %": "6.0–20.0", "Count": "13 / 14"}
    ]
    go(page, "#view=judges")
    listed, *_, measures, _ = html_tables(shown(page))
    assert listed[0] == {
        "Judge": "people", "Kind": "people", "Labels": "faithbench", "Its LLM": "beta",
        "Opened as": "gold:toy",
    }  # fmt: skip
    for each, line in zip(small_report.evaluations, measures, strict=True):
        assert (line["Judge"].removesuffix(" ★"), line["n"]) == (each.detector, str(each.n))
        for name, value in each.figures.items():
            if value.value is not None:
                assert float(line[name][:5]) == pytest.approx(value.value, abs=0.0006)
    go(page, "#view=method")
    names = page.locator(".facts-list dt").all_inner_texts()
    for name in ("Intervals", "Differences", "★", "Rank ranges", "Corrected rate"):
        assert name in names
    assert "gold: worst of 2 annotators (any)" in page.locator(".facts-list").inner_text()
    page.close()


def shown(page: Page) -> str:
    """The HTML of the view, without soft hyphens and with plain spaces."""
    text = page.locator("main").inner_html()
    return text.replace("\u00ad", "").replace("\u202f", " ").replace("&nbsp;", " ")


@pytest.mark.parametrize("width", [1100, 1280])
def test_names_are_whole_where_there_is_room(width: int, open_site: Open) -> None:
    cut = "each => each.scrollWidth > each.clientWidth"
    assert not any(each.evaluate(cut) for each in open_site(width=width).locator(".pick").all())


def test_those_that_do_not_differ_are_marked(open_site: Open, board: Board) -> None:
    page = open_site()
    order = [each.model for each in board.rankings[0].standings]
    page.get_by_role("button", name=order[0], exact=True).click()
    assert page.locator("tr.alike th bdi").all_inner_texts() == [order[1]]
    assert f"does not differ from {order[0]}" in page.locator("tr.alike th").inner_text()
    page.get_by_role("button", name="Clear").click()
    assert page.locator("tr.alike").count() == 0


def test_the_lowest_rate_and_what_does_not_differ_are_marked_from_the_start(
    open_site: Open, board: Board
) -> None:
    page = open_site()
    order = [each.model for each in board.rankings[0].standings]
    marked = page.locator(".ranked tbody tr", has=page.locator(".mark-alike", has_text="★"))
    assert marked.locator("th bdi").all_inner_texts() == order[:2]
    said = page.locator("#leaders").inner_text()
    assert "★ the lowest rate, and 1 LLM not distinguishable from it" in said
    assert "after Holm’s correction over the comparisons with it" in said
    assert "3 of 6 pairs differ, corrected over all pairs." in said
    judged = [each.judged for each in board.rankings[0].standings]
    unequal = page.locator("#unequal")
    assert unequal.is_visible()
    assert f"judged on {min(judged)} to {max(judged)} responses" in unequal.inner_text()


def test_every_way_of_counting_is_put_into_words(open_site: Open) -> None:
    words = {*get_args(Invalid), *get_args(RefusalRule)}
    assert set(open_site("#view=method").evaluate("Object.keys(COUNTED)")) == words


def test_charts_say_how_many_there_are_and_no_more_than_rates(open_site: Open) -> None:
    page = open_site("#view=charts&judge=scores")
    assert page.locator("figure", has_text="Labels of each LLM").count() == 0
    go(page, "#view=charts&judge=people")
    assert page.locator("figure", has_text="Labels of each LLM").count() == 1
    texts = page.locator(".plot text").all_text_contents()
    assert [each for each in texts if "%" not in each] == [
        "≤ 50", "51–80", "> 80", "n=10", "n=10", "n=10",
    ]  # fmt: skip
    assert page.evaluate("steps([16, 17, 90, 95])") == ["≤ 16", "17", "18–90", "> 90"]


def test_narrow_window_keeps_names_ranges_and_ends(open_site: Open) -> None:
    page = open_site(width=400)
    frame, end = (
        page.locator(each).bounding_box()
        for each in (".card.wide", "th.of-rate .ends > :last-child")
    )
    assert frame
    assert end
    assert end["x"] + end["width"] < frame["x"] + frame["width"] - 10
    assert page.locator(".rank .quiet").first.is_visible()
    go(page, "#view=judges")
    heads = page.locator(".listed td[data-head]").first
    assert heads.evaluate("each => getComputedStyle(each, '::before').content") == '"Kind: "'
    lines = "each => each.getBoundingClientRect().height"
    tall = "each => 1.5 * parseFloat(getComputedStyle(each).lineHeight)"
    names = page.locator(".heat thead bdi")
    assert all(each.evaluate(lines) < each.evaluate(tall) for each in names.all())


def test_what_is_wider_than_its_frame_says_so(open_site: Open) -> None:
    page = open_site(width=400)
    frame = page.locator(".card.wide")
    expect(frame).to_have_class("card wide more")
    frame.evaluate("each => { each.scrollLeft = each.scrollWidth; }")
    expect(frame).to_have_class("card wide")


def test_view_of_judges_is_made_in_parts(open_site: Open) -> None:
    page = open_site(is_changed=True)
    page.evaluate(
        """() => {
          const parts = [];
          const note = (make, name) => (...given) => { parts.push(name); return make(...given); };
          biasTable = note(biasTable, "bias");
          correlationTable = note(correlationTable, "correlations");
          errorTable = note(errorTable, "errors");
          breathe = note(breathe, "pause");
          globalThis.parts = parts;
        }"""
    )
    go(page, "#view=judges")
    assert page.evaluate("parts") == [
        "pause", "bias", "pause", "correlations", "pause", "pause", "errors",
    ]  # fmt: skip
    page.evaluate("() => { location.hash = '#view=judges&level=wide'; }")
    go(page, "#view=method")  # what is not finished is dropped
    assert page.locator("h2").inner_text() == "Method"


def test_judges_are_measured_and_sorted(open_site: Open) -> None:
    page = open_site("#view=judges")
    figures = page.locator(".measures")
    assert figures.locator("tbody tr").count() == 3
    figures.get_by_role("button", name="Judge", exact=True).click()
    expect(figures.locator("tbody th bdi")).to_have_text(["scores", "labels", "failing"])
    errors = page.locator("figure", has_text="Where judges go wrong")
    # The page is drawn in parts, so that a cell may be replaced while it is looked at.
    expect(errors.locator("td").nth(1)).to_have_text(
        "3 100 % of its errors 33 % of 9", use_inner_text=True
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_are_readable(scheme: str, open_site: Open) -> None:
    page = open_site("#compare=beta", scheme=scheme)
    for view in ("charts", "judges", "method", "examples&judge=reader&model=beta&id=hostile"):
        _assert_contrast(page)
        go(page, f"#view={view}")
    page.locator(".unit").first.click()
    _assert_contrast(page)


def _assert_contrast(page: Page) -> None:
    found = page.evaluate(COLOURS)
    assert len(found) > 20
    poor = [where for where, text, ground in found if _contrast(text, ground) < 4.5]
    assert poor == []


def _contrast(first: list[int], second: list[int]) -> float:
    """WCAG 2: (L1 + 0.05) / (L2 + 0.05) with the lighter one first."""
    dark, light = sorted(_luminance(colour) for colour in (first, second))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: list[int]) -> float:
    shares = [channel / 255 for channel in colour]
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("width", [320, 400, 768, 1696])
def test_no_view_is_wider_than_the_window(width: int, open_site: Open) -> None:
    page = open_site("#compare=beta", width=width)
    box = page.locator(".board tbody th").first.bounding_box()
    assert box
    assert box["width"] > 100  # a name is not broken into letters
    views = ("charts", "judges", "method", "examples&judge=reader&model=beta&id=hostile")
    for view in ("ranking", *views):
        go(page, f"#view={view}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_site_works_on_a_server(browser: Browser, site: Path) -> None:
    handler = partial(Silent, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"http://127.0.0.1:{server.server_port}/#view=examples&judge=reader&model=beta")
        ready(page)
        assert page.locator(".source-text").inner_text().startswith("Report 0.")
        page.close()
        server.shutdown()
    outside = [url for url in requests if not url.startswith(("http://127.0.0.1", "data:"))]
    assert outside == []


def test_without_scripts_there_is_a_table(open_site: Open, board: Board) -> None:
    page = open_site(java_script_enabled=False)
    assert page.locator("noscript tbody tr").count() == len(board.models)
    assert "second <b>warning</b>" in page.locator(".warnings").inner_text()
