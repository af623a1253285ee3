"""Every page, light and dark: names for all controls, headings in order, contrast, focus."""

import os
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from assay.annotation.projects import create_project
from assay.annotation.settings import ProjectSettings
from tests.studio.populated import Populated, populate
from tests.studio.serving import Served, served

pytestmark = pytest.mark.browser
SHOTS = os.environ.get("ASSAY_SHOTS")  # a folder for screenshots, to look at
CALM = "*, *::before, *::after { transition: none !important; animation: none !important; }"
NAMES = [
    "login", "invitation", "projects", "projects-none", "people", "account", "missing", "project",
    "project-annotator", "settings", "training", "board", "adjudication", "audit", "history",
    "history-item", "items", "item-open", "item-discussion", "item-adjudication", "item-done",
    "item-training",
]  # fmt: skip
QUICK = "project"  # the page that the quick tests look at
REST = [name for name in NAMES if name != QUICK]

# Everything a page asks for, with the name that assistive software gives it.
SWEEP = """() => {
  const seen = (node) => node.checkVisibility?.() ?? true;
  const words = (node) => (node?.textContent ?? "").trim();
  const named = (node) => {
    const by = (node.getAttribute("aria-labelledby") ?? "").split(/\\s+/).filter(Boolean);
    return [node.getAttribute("aria-label"), ...by.map((id) => words(document.getElementById(id))),
      ...[...(node.labels ?? [])].map(words), node.title].filter(Boolean).join(" ");
  };
  const fields = "input:not([type=hidden], [hidden]), select, textarea";
  const where = (node) => node.outerHTML.slice(0, 120);
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  const refs = [...document.querySelectorAll("[aria-labelledby], [aria-describedby], label[for]")]
    .flatMap((node) => ["aria-labelledby", "aria-describedby", "for"]
      .flatMap((name) => (node.getAttribute(name) ?? "").split(/\\s+/)).filter(Boolean));
  return {
    lang: document.documentElement.lang,
    title: document.title,
    fields: [...document.querySelectorAll(fields)].filter((node) => !named(node)).map(where),
    buttons: [...document.querySelectorAll("button, a[href], [role=button], [role=option]")]
      .filter((node) => !named(node) && !words(node)).map(where),
    images: [...document.querySelectorAll("img:not([alt]), svg:not([aria-label], [aria-hidden])")]
      .map(where),
    headings: [...document.querySelectorAll("h1, h2, h3, h4")].filter(seen)
      .map((node) => Number(node.tagName[1])),
    twice: ids.filter((id, place) => ids.indexOf(id) !== place),
    lost: refs.filter((id) => !document.getElementById(id)),
    mains: document.querySelectorAll("main").length,
    wide: document.documentElement.scrollWidth - innerWidth,
    unheaded: [...document.querySelectorAll("table")].filter((each) => !each.querySelector("th"))
      .map(where),
  };
}"""

# Texts with their colour and all that lies behind them, down to the page.
INKS = """() => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((part, k) => part * a + under[k] * (1 - a));
  const found = new Map();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode.parentElement;
    const seen = node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!walk.currentNode.data.trim() || !seen) continue;
    if (node.closest("script, style, option, .unseen, .skip, title, :disabled")) continue;
    const chain = [];
    for (let at = node; at; at = at.parentElement) chain.push(at);
    let ground = rgba(getComputedStyle(document.documentElement).backgroundColor);
    ground = ground[3] ? ground : [255, 255, 255, 1];
    let opacity = 1;
    for (const each of chain.reverse()) {
      const style = getComputedStyle(each);
      ground = over(rgba(style.backgroundColor), ground);
      opacity *= Number(style.opacity);
    }
    const style = getComputedStyle(node);
    const [r, g, b, a] = rgba(style.color);
    const ink = over([r, g, b, a * opacity], ground);
    const size = Number.parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const key = `${ink} ${ground} ${large}`;
    const text = walk.currentNode.data.trim().slice(0, 40);
    const where = node.outerHTML.slice(0, 100);
    if (!found.has(key)) found.set(key, { ink, ground, large, text, where });
  }
  return [...found.values()];
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all pages."""
    with served(str(tmp_path_factory.mktemp("pages") / "studio.sqlite")) as made:
        yield made


@pytest.fixture(scope="module")
def project(site: Served, tmp_path_factory: pytest.TempPathFactory) -> Populated:
    """A project that has something for every page."""
    return populate(site, tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module", params=["light", pytest.param("dark", marks=pytest.mark.soak)])
def scheme(request: pytest.FixtureRequest) -> str:
    """Light and dark."""
    return str(request.param)


@pytest.fixture(scope="module")
def contexts(
    chromium: Browser, site: Served, project: Populated, scheme: Any
) -> Iterator[dict[str, BrowserContext]]:
    """A browser for each person, by name; the empty name is nobody's."""
    made: dict[str, BrowserContext] = {}
    for who in {each.name: each for _, each, _ in project.pages() if each}.values():
        made[who.name] = _context(chromium, scheme)
        made[who.name].add_cookies([site.cookie(who)])  # type: ignore[list-item]
    made[""] = _context(chromium, scheme)
    yield made
    for each in made.values():
        each.close()


def _context(chromium: Browser, scheme: Any) -> BrowserContext:
    size = ViewportSize(width=1280, height=800)
    return chromium.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")


@pytest.fixture(params=[QUICK, *(pytest.param(each, marks=pytest.mark.slow) for each in REST)])
def page(
    request: pytest.FixtureRequest,
    contexts: dict[str, BrowserContext],
    site: Served,
    project: Populated,
    scheme: str,
) -> Iterator[Page]:
    """Each page in turn; a complaint of the browser fails the test."""
    name, who, path = next(each for each in project.pages() if each[0] == request.param)
    page = contexts[who.name if who else ""].new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(site.url + path)
    if "/items/" in path:
        page.wait_for_selector("html[data-ready]", state="attached")
    page.wait_for_load_state("networkidle")
    if SHOTS:
        Path(SHOTS).mkdir(exist_ok=True)
        page.screenshot(path=f"{SHOTS}/story-{name}-{scheme}.png", full_page=True)
    yield page
    page.close()
    expected = ["404 (Not Found)"] if name == "missing" else []
    assert [each for each in complaints if not any(one in each for one in expected)] == []


def test_names_that_all_pages_have(project: Populated) -> None:
    assert [name for name, _, _ in project.pages()] == NAMES


def test_page_is_for_everybody(page: Page) -> None:
    """Names, headings, ids, one main part, contrast of WCAG AA, and a focus that is seen."""
    found = page.evaluate(SWEEP)
    assert (found["lang"], found["mains"]) == ("en", 1)
    assert re.fullmatch(r".{3,} · .{3,}", found["title"])
    for what in ("fields", "buttons", "images", "twice", "lost", "unheaded"):
        assert found[what] == [], what
    assert found["wide"] <= 0
    levels = found["headings"]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels
    faint = [
        (round(ratio, 2), each["text"], each["where"])
        for each in page.evaluate(INKS)
        if (ratio := contrast(each["ink"], each["ground"])) < (3 if each["large"] else 4.5)
    ]
    assert faint == []
    unseen_focus = page.evaluate(FOCUS)
    assert unseen_focus == []


DEFECTS = """<style>:focus { outline: none }</style><main><h1>One</h1><h3 id=a>Three</h3>
<label for=nobody>Lost</label><input id=a><button></button>
<p style="color: #999">faint</p></main>"""


def test_sweep_finds_what_is_wrong(contexts: dict[str, BrowserContext]) -> None:
    page = contexts[""].new_page()
    page.set_content(DEFECTS)
    found = page.evaluate(SWEEP)
    assert [len(found[what]) for what in ("fields", "buttons", "twice", "lost")] == [1, 1, 1, 1]
    assert (found["lang"], found["headings"]) == ("", [1, 3])
    low = [each for each in page.evaluate(INKS) if contrast(each["ink"], each["ground"]) < 4.5]
    assert [each["text"] for each in low] == ["faint"]
    assert len(page.evaluate(FOCUS)) == 2
    page.close()


# What can be reached by Tab looks different once it is; Tab itself is pressed in a test below.
FOCUS = """() => {
  const looks = (node) => {
    const pane = node.closest(".pane");
    return [node, ...(pane ? [pane] : [])].map((each) => {
      const { outline, boxShadow, borderColor } = getComputedStyle(each);
      return `${outline} ${boxShadow} ${borderColor}`;
    }).join();
  };
  const can = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  const stops = [...document.querySelectorAll(can)]
    .filter((node) => node.checkVisibility() && !node.disabled && !node.closest(".skip"));
  return stops.filter((node) => {
    document.activeElement?.blur();
    const before = looks(node);
    node.focus({ focusVisible: true, preventScroll: true });
    return document.activeElement === node && looks(node) === before;
  }).map((node) => node.outerHTML.slice(0, 120));
}"""


def contrast(one: list[float], other: list[float]) -> float:
    """The contrast ratio of WCAG 2: (lighter + 0.05) / (darker + 0.05) of relative luminances."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: list[float]) -> float:
    parts = [part / 255 for part in colour]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_contrast_is_that_of_wcag() -> None:
    assert contrast([0, 0, 0], [255, 255, 255]) == pytest.approx(21)
    assert contrast([119, 119, 119], [255, 255, 255]) == pytest.approx(4.48, abs=0.005)


TONES = """() => [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
  .flatMap((rule) => (rule.selectorText ?? "").match(/\\.tone-[\\w-]+/g) ?? [])
  .filter((name, place, all) => all.indexOf(name) === place).map((name) => {
    const chip = document.body.appendChild(document.createElement("span"));
    chip.className = `chip ${name.slice(1)}`;
    const { color, backgroundColor } = getComputedStyle(chip);
    chip.remove();
    const parts = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
    return [name, parts(color), parts(backgroundColor)];
  })"""


@pytest.mark.parametrize("scheme", ["light", "dark"], indirect=True)
def test_every_tone_can_be_read(
    contexts: dict[str, BrowserContext], site: Served, scheme: str
) -> None:
    page = contexts[""].new_page()
    page.goto(f"{site.url}/login")
    tones = page.evaluate(TONES)
    page.close()
    assert len(tones) >= 13
    assert [name for name, ink, ground in tones if contrast(ink, ground) < 4.5] == []


def test_training_that_comes_with_assay_is_a_press_of_a_button_away(
    contexts: dict[str, BrowserContext], site: Served, project: Populated, scheme: str
) -> None:
    slug = create_project(site.studio, project.root, f"Bare {scheme}", ProjectSettings()).slug
    page = contexts["root"].new_page()
    page.goto(f"{site.url}/projects/{slug}/settings")
    with page.expect_navigation():
        page.get_by_role("button", name="Use them").click()
    expect(page.get_by_role("button", name="Use them")).to_have_count(0)
    page.goto(f"{site.url}/projects/{slug}/training")
    expect(page.get_by_role("button", name="Begin the training")).to_be_visible()
    page.close()


def test_tab_goes_through_a_page_from_the_top(
    contexts: dict[str, BrowserContext], site: Served, project: Populated
) -> None:
    page = contexts["root"].new_page()
    page.goto(f"{site.url}/projects/{project.slug}/settings")
    names = []
    for _ in range(5):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.textContent.trim()"))
    page.close()
    assert names == ["Skip to the content", "Assay studio", "Work", "Items", "Training"]
