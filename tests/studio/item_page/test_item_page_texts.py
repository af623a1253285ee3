"""The two texts: related passages, detectors, hostile contents, and texts of any length."""

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from assay.annotation.settings import ProjectSettings
from tests.studio.item_page.conftest import RESPONSE, SOURCE, MakeItem, painted, pick, press, saved

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def passage(text: str, words: str, weight: float, *reasons: str) -> dict[str, Any]:
    start = text.index(words)
    return {
        "start": start,
        "end": start + len(words),
        "text": words,
        "weight": weight,
        "reasons": reasons,
    }


def test_related_passages_light_up_by_weight_and_keys_go_through_them(
    make_item: MakeItem,
) -> None:
    item = make_item()
    found = [
        passage(SOURCE, "Its chief engineer, Edith Lang, had studied in Zurich.", 0.83, "names"),
        passage(SOURCE, "The Orient Bridge opened in May 1931", 0.3, "words"),
        passage(SOURCE, "A toll was charged until 1961 🚗.", 0.05, "network"),
    ]
    item.intercept("**/related?*", lambda route: route.fulfill(json=found))
    page = item.open()
    told = page.locator("#related-told")
    expect(told).to_have_text("3 found")
    assert painted(page, "related-5") == [found[0]["text"]]
    assert painted(page, "related-2") == [found[1]["text"]]  # 5 * 0.3 / 0.83 is above 1
    assert painted(page, "related-1") == [found[2]["text"]]
    expect(page.locator("#source .tick")).to_have_count(3)
    press(page, "x", "n")  # the one that matters most
    expect(told).to_have_text("2 of 3")
    expect(told).to_have_attribute("title", "2 of 3, the strongest, weight 83 %; found by names")
    press(page, "n")
    expect(told).to_have_text("3 of 3")
    press(page, "p", "p")
    expect(told).to_have_text("1 of 3")
    press(page, "l")
    assert painted(page, "related-5") == []


def test_real_passages_are_found_for_a_sentence(make_item: MakeItem) -> None:
    item = make_item()
    page = item.open()
    expect(page.locator("#related-told")).to_contain_text("found")
    assert any(
        "Orient Bridge" in text
        for level in range(1, 6)
        for text in painted(page, f"related-{level}")
    )


def test_strongest_passage_comes_into_view_and_keys_attach_it(make_item: MakeItem) -> None:
    source = "The town has a market. " * 200 + "The Orient Bridge opened in May 1931. It is red."
    item = make_item(source=source)
    words = "The Orient Bridge opened in May 1931."
    found = [passage(source, words, 0.83, "names", "words", "numbers")]
    item.intercept("**/related?*", lambda route: route.fulfill(json=found))
    page = item.open(width=1280, height=800)
    expect(page.locator("#related-told")).to_have_text("1 found")
    page.wait_for_function("document.querySelector('#source .scroll').scrollTop > 500")
    assert page.evaluate("document.activeElement.closest('.pane')?.id") == "response"
    press(page, "n")
    told = "document.querySelector('#related-told')"
    assert page.evaluate(f"{told}.scrollWidth <= {told}.clientWidth")  # nothing is cut off
    press(page, "e")
    expect(page.locator("#evidence q")).to_have_text(words)
    expect(page.locator("#related-told")).to_have_text("1 of 1, attached")
    expect(page.locator("#said")).to_contain_text(f"Attached: {words}")
    press(page, "Control+z", "n", "x", "Shift+Control+ArrowRight", "e")  # only the first word of it
    expect(page.locator("#evidence q")).to_have_text("The")


def test_detectors_are_shown_on_demand_and_chosen_one_by_one(make_item: MakeItem) -> None:
    item = make_item()
    start = RESPONSE.index("It was")
    words = RESPONSE[start : RESPONSE.index(" I hope")]
    evidence = passage(SOURCE, "had studied in Zurich", 1)
    quoted = {key: evidence[key] for key in ("start", "end", "text")}
    verdict = {"label": "contradicting", "score": 0.07, "note": "Zurich", "evidence": [quoted]}
    mark = {"start": start + 3, "end": start + 6, "text": "was"}
    unit = {
        "id": "s2",
        "kind": "sentence",
        "text": words,
        "start": start,
        "end": start + len(words),
    }
    found = [
        {"name": "embedded", "units": [{**unit, "verdict": {**verdict, "marks": [mark]}}]},
        {"name": "judge", "units": [{**unit, "verdict": {"label": "fabricated"}}]},
    ]
    item.intercept("**/items/1/detectors*", lambda route: route.fulfill(json=found))
    page = item.open()
    expect(page.locator("#detectors")).to_be_hidden()
    press(page, "j", "d")
    expect(page.locator("#detectors-said .opinion")).to_have_count(2)
    expect(page.locator("[data-author=embedded]")).to_contain_text("0.07 faithful")
    assert painted(page, "detector-evidence") == ["had studied in Zurich"]
    assert painted(page, "detector-doubt") == ["was", words]  # marked words, or all of them
    page.get_by_label("embedded", exact=True).first.uncheck()
    assert painted(page, "detector-evidence") == []
    press(page, "d")
    expect(page.locator("#detectors")).to_be_hidden()


HOSTILE = (
    "<script>window.hacked = 1</script>\n<img src=x onerror='window.hacked = 1'>\n"
    "</p></div><h1>Title</h1> &amp; {{ 7 * 7 }} ${1}\n"
)


def test_texts_full_of_html_are_shown_as_text(make_item: MakeItem) -> None:
    item = make_item(source=HOSTILE * 2, response=HOSTILE + "It says 49.")
    page = item.open()
    assert page.locator("#source .words").evaluate("node => node.textContent") == HOSTILE * 2
    assert page.locator(".words :is(script, img, h1, div)").count() == 0
    pick(page, "source", "<img src=x onerror='window.hacked = 1'>")
    press(page, "e", "w")
    page.keyboard.type("<b>bold</b>")
    press(page, "Escape")
    saved(page)
    expect(page.locator("#evidence q")).to_have_text("<img src=x onerror='window.hacked = 1'>")
    assert page.evaluate("window.hacked") is None


def work_counts(page: Page) -> dict[str, float]:
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    metrics = session.send("Performance.getMetrics")["metrics"]
    session.detach()
    return {each["name"]: each["value"] for each in metrics}


def test_long_texts_have_few_nodes_and_little_work_for_each_key(make_item: MakeItem) -> None:
    """20,000 words in 200 paragraphs, 300 sentences: the work does not grow with the texts."""
    source = "\n".join(" ".join(f"word{n}" for n in range(100)) + "." for _ in range(200))
    response = " ".join(f"Sentence number {n} says that word{n} stands there." for n in range(300))
    item = make_item(source=source, response=response)
    found = [passage(source, "word1 word2 word3", 0.9, "words")]
    item.intercept("**/related?*", lambda route: route.fulfill(json=found))
    page = item.open()
    expect(page.locator("#strip [role=option]")).to_have_count(300)
    assert page.locator("#source .words *").count() == 200
    assert page.locator("#response .words *").count() == 1
    expect(page.locator("#related-told")).to_have_text("1 found")
    before = work_counts(page)
    press(page, *["j"] * 20)
    page.wait_for_function(
        "document.querySelector('#strip [aria-selected=true]').dataset.unit === 's21'"
    )
    after = work_counts(page)
    assert after["LayoutCount"] - before["LayoutCount"] <= 20 * 6
    assert (
        after["Nodes"] - before["Nodes"] < 20 * 300
    )  # what a key makes does not grow with the item
    changed = page.evaluate(
        """() => new Promise((resolve) => {
          let count = 0;
          const observer = new MutationObserver((records) => { count += records.length; });
          const all = { subtree: true, childList: true, characterData: true, attributes: true };
          observer.observe(document.querySelector("#source .words"), all);
          document.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true }));
          setTimeout(() => { observer.disconnect(); resolve(count); }, 300);
        })"""
    )
    assert changed == 0  # the texts themselves are never touched
    saved(page)


def test_passages_have_their_names(make_item: MakeItem) -> None:
    item = make_item(source="First passage here.\n\nSecond passage there.", response="It is.")

    def with_names(route: Route) -> None:
        view = route.fetch().json()
        view["example"]["source"]["passages"] = [
            {"name": "Doc A", "start": 0, "end": 19},
            {"name": "Doc B", "start": 21, "end": 42},
        ]
        route.fulfill(json=view)

    item.intercept(f"**/api/projects/{item.slug}/items/1?*", with_names)
    page = item.open()
    assert page.locator(".passage").evaluate_all("all => all.map((each) => each.dataset.name)") == [
        "Doc A",
        "Doc B",
    ]
    pick(page, "source", "Second passage")
    press(page, "e")
    saved(page)
    verdict = item.units()["s1"].verdict
    assert verdict is not None
    assert verdict.evidence[0].start == 21


def test_link_outside_is_kept_with_its_snapshot(make_item: MakeItem) -> None:
    item = make_item(settings=ProjectSettings())
    link = {
        "address": "https://example.org/zurich",
        "title": "Zurich",
        "time": "2026-01-02T03:04:05Z",
        "digest": "ab" * 32,
    }
    item.intercept(
        "**/external*", lambda route: route.fulfill(json={"external": link, "problem": ""})
    )
    page = item.open()
    press(page, "o")
    page.keyboard.type("https://example.org/zurich")
    press(page, "Enter")
    expect(page.locator("#links a").first).to_have_attribute("href", "https://example.org/zurich")
    expect(page.locator("#links")).to_contain_text("2026-01-02 03:04")
    saved(page)
    verdict = item.units()["s1"].verdict
    assert verdict is not None
    assert verdict.external[0].digest == "ab" * 32
