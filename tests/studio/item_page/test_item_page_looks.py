"""How the page looks and speaks: contrast, names, focus, no jumps, both schemes, its types."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import assay.studio
from assay.annotation.settings import ProjectSettings
from tests.studio.item_page.conftest import MakeItem, pick, press, saved

browser = pytest.mark.browser
STATIC = Path(assay.studio.__file__).parent / "static"
SCHEMES = ("light", "dark")

# Every text that is seen, with its colour and all grounds behind it down to the first opaque one.
TEXTS = """() => {
  const seen = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data];
  };
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
    if (element.closest(".unseen, .skip, dialog:not([open]), :disabled")) continue;
    const grounds = [];
    for (let node = element; node; node = node.parentElement) {
      const ground = rgba(getComputedStyle(node).backgroundColor);
      if (ground[3]) grounds.push(ground);
      if (ground[3] === 255) break;
    }
    const ink = rgba(getComputedStyle(element).color);
    seen.push({ text: walker.currentNode.data.trim().slice(0, 40), ink, grounds });
  }
  return seen;
}"""


def luminance(colour: list[float]) -> float:
    channels = [value / 255 for value in colour[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(ink: list[float], grounds: list[list[float]]) -> float:
    """WCAG 2: (L1 + 0.05) / (L2 + 0.05) with the lighter one first, on grounds laid together."""
    base = [255.0, 255.0, 255.0]
    for *colour, alpha in reversed(grounds):
        share = alpha / 255
        base = [share * new + (1 - share) * old for new, old in zip(colour, base, strict=True)]
    dark, light = sorted((luminance(ink), luminance(base)))
    return (light + 0.05) / (dark + 0.05)


def full_page(page: Page) -> None:
    """Shows as much as one state of the page can show."""
    press(page, "y", "u", "y", "y", "j", "2", "j", "u", "k")
    page.locator("#note").fill("A reason")
    pick(page, "source", "Edith Lang, had studied in Zurich")
    press(page, "e")
    saved(page)


@browser
@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_has_the_contrast_of_aa(make_item: MakeItem, scheme: str) -> None:
    item = make_item(color_scheme=scheme)
    page = item.open()
    full_page(page)
    faint = {
        each["text"]: round(contrast(each["ink"], each["grounds"]), 2)
        for each in page.evaluate(TEXTS)
        if contrast(each["ink"], each["grounds"]) < 4.5
    }
    assert faint == {}


@browser
@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_on_every_highlight_has_the_contrast_of_aa(make_item: MakeItem, scheme: str) -> None:
    page = make_item(color_scheme=scheme).open()
    names = re.findall(
        r"::highlight\(([\w-]+)\)[^{}]*\{ background", (STATIC / "item.css").read_text()
    )
    assert {"related-5", "current", "picked"} <= set(names)
    found = page.evaluate(
        """(names) => {
          const canvas = document.createElement("canvas");
          const paint = canvas.getContext("2d", { willReadFrequently: true });
          const rgba = (colour) => {
            paint.clearRect(0, 0, 1, 1);
            paint.fillStyle = colour;
            paint.fillRect(0, 0, 1, 1);
            return [...paint.getImageData(0, 0, 1, 1).data];
          };
          const words = document.querySelector(".words p");
          const pane = getComputedStyle(document.querySelector("#source"));
          return names.map((name) => [rgba(getComputedStyle(words).color), [
            rgba(getComputedStyle(words, `::highlight(${name})`).backgroundColor),
            rgba(pane.backgroundColor)]]);
        }""",
        names,
    )
    assert len({tuple(grounds[0]) for _, grounds in found}) > 4  # they are the styles themselves
    for name, (ink, grounds) in zip(names, found, strict=True):
        assert contrast(ink, grounds) >= 4.5, name


@browser
@pytest.mark.slow
def test_no_two_labels_share_letter_or_line_and_tone(make_item: MakeItem) -> None:
    """Colour is never the only sign."""
    page = make_item(settings=ProjectSettings(mode="both")).open()
    letters = page.locator("#labels .letter").all_inner_texts()
    press(page, "t")
    marks = page.locator("#mark-labels .letter").all_inner_texts()
    assert letters == ["C", "F", "A", "N", "O", "I", "E"]
    assert marks == ["U", "Ui", "Ue", "Q", "B", "C"]


@browser
@pytest.mark.slow
def test_every_control_has_a_name(make_item: MakeItem) -> None:
    item = make_item()
    page = item.open()
    full_page(page)
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "link", "textbox", "checkbox", "listbox", "option", "dialog", "region"}
    nameless = [
        node["role"]["value"]
        for node in nodes
        if not node.get("ignored")
        and node.get("role", {}).get("value") in roles
        and not node.get("name", {}).get("value")
    ]
    assert nameless == []


@browser
@pytest.mark.slow
def test_tab_reaches_texts_and_panel_with_a_visible_focus(make_item: MakeItem) -> None:
    page = make_item().open()
    page.evaluate("document.activeElement.blur()")
    reached = set()
    for _ in range(60):
        press(page, "Tab")
        place, is_seen = page.evaluate(
            """() => {
              const element = document.activeElement;
              const framed = element.closest(".pane:has(.scroll:focus-visible)") ?? element;
              const style = getComputedStyle(framed);
              const is_seen = style.outlineStyle !== "none" || style.boxShadow !== "none";
              return [element.closest("#source, #response, .side, .tools, .bar")?.id
                || element.closest(".side, .tools, .bar")?.className || "body", is_seen];
            }"""
        )
        if place != "body":
            assert is_seen, place
        reached.add(place)
    assert {"source", "response", "side", "tools", "bar"} <= reached


@browser
@pytest.mark.slow
def test_nothing_moves_while_questions_are_answered(make_item: MakeItem) -> None:
    page = make_item().open()
    places = ("#labels", "#questions li", "#source .words", "#response .words", "#strip")

    def where() -> list[object]:
        return [page.locator(place).first.bounding_box() for place in places]

    before = where()
    press(page, "y", "u", "u", "u", "y", "2")  # to a label, and then to one that contradicts it
    saved(page)
    after = where()
    assert [each and each["y"] for each in before] == [each and each["y"] for each in after]  # type: ignore[index]


@browser
@pytest.mark.slow
def test_cheat_sheet_names_every_key(make_item: MakeItem) -> None:
    page = make_item().open()
    press(page, "?")
    sheet = page.locator("#keys")
    expect(sheet).to_be_visible()
    for words in ("question with yes", "Split the sentence", "Next related", "Undo", "Submit"):
        expect(sheet).to_contain_text(words)
    press(page, "Escape")
    expect(sheet).to_be_hidden()
    press(page, "g")
    expect(page.locator("#guide")).to_contain_text("The source says that the sentence is false.")


@browser
@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 1440, 1920])
def test_page_fits_without_scrolling_sideways(make_item: MakeItem, width: int) -> None:
    page = make_item().open(width=width, height=800)
    full_page(page)
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) == 0
    for place in ("#related-next", "#submit", "#attach"):
        box = page.locator(place).bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width
    source, response = (page.locator(each).bounding_box() for each in ("#source", "#response"))
    assert source is not None and response is not None  # noqa: PT018
    assert source["y"] == response["y"]  # side by side


def test_modules_are_short_and_have_no_inner_html() -> None:
    for module in [*STATIC.glob("item/*.js"), STATIC / "offsets.js", STATIC / "api.js"]:
        text = module.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 250, module.name
        for forbidden in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "eval(",
            "document.write",
        ):
            assert forbidden not in text, module.name


def test_types_of_the_modules_hold(tmp_path: Path) -> None:
    compiler = shutil.which("tsc")
    if compiler is None:
        pytest.skip("there is no TypeScript compiler here: npm install --global typescript")
    options = {
        "allowJs": True,
        "checkJs": True,
        "noEmit": True,
        "strict": True,
        "target": "es2024",
        "module": "esnext",
        "moduleResolution": "bundler",
        "lib": ["es2024", "dom", "dom.iterable"],
        "types": [],
        "paths": {"/static/*": [f"{STATIC}/*"]},
    }
    files = [str(STATIC / "item" / "main.js"), *map(str, STATIC.glob("*.js"))]
    config = tmp_path / "tsconfig.json"
    config.write_text(json.dumps({"compilerOptions": options, "files": files}))
    asked = [compiler, "--project", str(config)]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.stdout == ""
