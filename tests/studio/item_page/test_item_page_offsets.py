"""Code points, UTF-16 and places of the page, in a real browser."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from assay.annotation.settings import ProjectSettings
from tests.studio.item_page.conftest import MakeItem, painted, pick, press, saved
from tests.studio.serving import Served

pytestmark = pytest.mark.browser

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"  # man, woman, girl, joined
FLAG = "\U0001f1eb\U0001f1f7"
COMBINED = "e\u0301"
TEXTS = [
    "plain",
    "",
    f"a{FAMILY}b{FLAG}c",
    f"caf{COMBINED}\r\nnext\rlone\ttab",
    "שלום עולם 😀 hello",
    "𝒳𝒴𝒵",
    "😀" * 50 + "x",
    "line\u2028separator\u2029paragraph\n\n\nend\n",
]


@pytest.fixture(scope="module")
def page(chromium: Browser, site: Served) -> Iterator[Page]:
    page = chromium.new_page()
    page.goto(f"{site.url}/login")
    yield page
    page.close()


def run(page: Page, body: str, *values: Any) -> Any:
    """What some JavaScript gives with the module at hand as `module`."""
    code = f"async (values) => {{ const module = await import('/static/offsets.js'); {body} }}"
    return page.evaluate(code, list(values))


@pytest.mark.parametrize("text", TEXTS)
def test_every_place_goes_to_utf16_and_back(page: Page, text: str) -> None:
    found = run(
        page,
        """const points = new module.CodePoints(values[0]);
        const places = [...Array(points.length + 1).keys()];
        return [points.length, places.map((at) => points.toUnits(at)),
          places.map((at) => points.fromUnits(points.toUnits(at)))];""",
        text,
    )
    units = [len(text[:at].encode("utf-16-le")) // 2 for at in range(len(text) + 1)]
    assert found == [len(text), units, list(range(len(text) + 1))]


def test_place_inside_a_pair_belongs_to_its_character(page: Page) -> None:
    found = run(
        page,
        """const points = new module.CodePoints(values[0]);
        return [points.fromUnits(2), points.fromUnits(2, true), points.fromUnits(99)];""",
        "a😀b",
    )
    assert found == [1, 2, 3]  # units: a 0, the pair 1 and 2, b 3


@pytest.mark.parametrize("text", TEXTS)
def test_paragraphs_joined_are_the_text(page: Page, text: str) -> None:
    parts = run(page, "return module.paragraphs(values[0]);", text)
    assert "".join(parts) == text
    assert parts == text.splitlines(keepends=True)


@pytest.mark.parametrize("text", [text for text in TEXTS if text])
def test_ranges_of_the_page_are_the_slices_of_the_text(page: Page, text: str) -> None:
    """Every pair of places, as a range over text nodes and back."""
    wrong = run(
        page,
        """const text = values[0];
        document.body.replaceChildren();
        const nodes = module.paragraphs(text).map((part) => {
          const p = document.createElement("p");
          document.body.append(p);
          return p.appendChild(document.createTextNode(part));
        });
        const shown = new module.ShownText(text, nodes);
        const letters = [...text];
        const wrong = [];
        for (let start = 0; start <= letters.length; start += 1) {
          for (let end = start; end <= letters.length; end += 1) {
            const range = shown.range(start, end);
            const back = [shown.point(range.startContainer, range.startOffset),
              shown.point(range.endContainer, range.endOffset, true)];
            const isSame = range.toString() === letters.slice(start, end).join("");
            if (!isSame || back[0] !== start || back[1] !== end) wrong.push([start, end, back]);
          }
        }
        return wrong;""",
        text,
    )
    assert wrong == []


def test_selection_by_elements_and_beyond_the_text_is_cut_to_it(page: Page) -> None:
    found = run(
        page,
        """document.body.replaceChildren();
        const make = (tag, text) => {
          const element = document.body.appendChild(document.createElement(tag));
          element.textContent = text;
          return element;
        };
        const before = make("h1", "Title");
        const nodes = ["one\\n", "two😀\\n", "three"].map((part) => make("p", part).firstChild);
        const after = make("h2", "End");
        const shown = new module.ShownText("one\\ntwo😀\\nthree", nodes);
        const selection = getSelection();
        const covered = (...places) => {
          selection.setBaseAndExtent(...places);
          return shown.covered(selection);
        };
        return [
          covered(before.firstChild, 2, after.firstChild, 1),
          covered(nodes[1].parentNode, 0, nodes[1].parentNode, 1),
          covered(after.firstChild, 0, after.firstChild, 2),
          covered(nodes[2], 2, nodes[0], 1),
        ];""",
    )
    whole = len("one\ntwo😀\nthree")
    assert found == [
        {"start": 0, "end": whole},
        {"start": 4, "end": 9},
        None,
        {"start": 1, "end": 11},
    ]


def test_conversions_take_a_logarithm_of_the_pairs(page: Page) -> None:
    """Of a million characters, half of them pairs, each conversion looks at about 20."""
    looks = run(
        page,
        """const points = new module.CodePoints("a😀".repeat(500000));
        let count = 0;
        points.pairs = new Proxy(points.pairs, {
          get(pairs, key) { if (key !== "length") count += 1; return pairs[key]; },
        });
        points.toUnits(777777);
        points.fromUnits(1000001);
        return count;""",
    )
    assert looks <= 2 * 21 + 2


MIXED = f"First {FAMILY} line{COMBINED}.\r\nSecond 😀 {FLAG} line.\tTabbed שלום עולם end."


def test_words_between_emoji_are_marked_by_the_mouse_across_lines(make_item: MakeItem) -> None:
    item = make_item(response=MIXED, settings=ProjectSettings(mode="spans"))
    page = item.open()
    box = page.locator("#response .words p").nth(0).bounding_box()
    other = page.locator("#response .words p").nth(1).bounding_box()
    assert box is not None
    assert other is not None
    page.mouse.move(box["x"] + 1, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(other["x"] + 120, other["y"] + other["height"] / 2, steps=5)
    page.mouse.up()
    press(page, "2")
    saved(page)
    mark = item.units()["p1"]
    assert mark.start == 0
    assert mark.end is not None
    assert mark.end > MIXED.index("Second")
    assert mark.text == MIXED[: mark.end]
    assert painted(page, "label-unwanted-intrinsic-0") == [mark.text]


def test_words_are_marked_by_keys_whole_graphemes_at_a_time(make_item: MakeItem) -> None:
    item = make_item(response=MIXED, settings=ProjectSettings(mode="spans"))
    page = item.open()
    press(page, "Control+Home", *["ArrowRight"] * 6, "Shift+ArrowRight", "4")
    press(page, "End", "Shift+ArrowLeft", "Shift+ArrowLeft", "5")
    press(page, "ArrowDown", "Home", "Shift+Control+ArrowRight", "6")
    saved(page)
    units = item.units()
    assert units["p1"].text == FAMILY  # one step of the caret, five code points
    assert units["p2"].text == f"{COMBINED}."
    assert units["p3"].text.strip() == "Second"


def test_right_to_left_words_keep_their_logical_order(make_item: MakeItem) -> None:
    text = "שלום עולם, זה מבחן.\nEnglish 😀 line."
    item = make_item(source=text, response="It is.")
    page = item.open()
    pick(page, "source", "עולם")
    press(page, "e")
    saved(page)
    verdict = item.units()["s1"].verdict
    assert verdict is not None
    assert [(span.start, span.text) for span in verdict.evidence] == [(5, "עולם")]
