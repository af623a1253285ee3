"""Texts that try to be more than text: every page shows them and runs nothing of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from tests.studio.populated import Populated, Texts, populate
from tests.studio.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.soak]
SCRIPT = "</script></textarea></title></style><script>window.hacked = 1</script>"
IMAGE = '<img src=x onerror=\'window.hacked = 2\'>"\' onfocus="window.hacked = 3" autofocus x="'
ODD = "\u202eesrever\u2066 \u0000\ufeff\u200b\u0085\ufffd &amp; &#x3c; {{ 7 * 7 }} ${hacked = 4}"
WORD = "Donaudampfschifffahrt" * 100  # 2,100 letters without a place to break
HOSTILE = Texts(
    source=f"{SCRIPT} {IMAGE}\r\n{ODD}\u2028{WORD}\nThe mill was built in 1790.",
    response=f"The mill {SCRIPT} was built. {IMAGE} It stopped {ODD}. It {WORD} is a museum.",
    name=f"Mills <script>window.hacked = 5</script> {WORD[:90]}"[:120],
    note=f"{SCRIPT} {IMAGE} {WORD}",
    guidelines=f"{SCRIPT}\n{IMAGE} {ODD} {WORD}",
    people=tuple(f"{name}<script>\"'{WORD[:60]}" for name in ("r", "a", "b", "c", "j")),
    model=f"<script>{WORD[:150]}",
)
WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu "
LONG = Texts(
    source=(WORDS * 10 + "end.\n") * 170,  # 20,570 words
    response=" ".join(f"Sentence {number} is about the mill." for number in range(1, 301)),
)
MOST_NODES = 30_000

Opened = dict[str, dict[str, Any]]
FACTS = """() => ({
  hacked: window.hacked ?? null,
  foreign: [...document.querySelectorAll("main :is(script, img, iframe), [onerror], [onfocus]")]
    .map((node) => node.outerHTML.slice(0, 100)),
  wide: document.documentElement.scrollWidth - innerWidth,
  text: document.querySelector("main").textContent,
  nodes: document.querySelectorAll("*").length,
})"""


def opened(
    browser: Browser, site: Served, project: Populated
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is found on each page, with all that the browser said."""
    for name, who, path in project.pages():
        size = ViewportSize(width=1280, height=800)
        context = browser.new_context(viewport=size, reduced_motion="reduce")
        if who:
            context.add_cookies([site.cookie(who)])  # type: ignore[list-item]
        page = context.new_page()
        said: list[str] = []
        _listen(page, said)
        page.goto(site.url + path)
        if "/items/" in path:
            page.wait_for_selector("html[data-ready]", state="attached")
        page.wait_for_load_state("networkidle")
        facts = page.evaluate(FACTS)
        facts["said"] = [each for each in said if name != "missing" or "404" not in each]
        context.close()
        yield name, facts


def _listen(page: Page, said: list[str]) -> None:
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))


def test_hostile_texts_are_shown_as_texts(
    chromium: Browser, server: Served, tmp_path: Path
) -> None:
    project = populate(server, tmp_path, HOSTILE)
    found = dict(opened(chromium, server, project))
    for what, nothing in (("hacked", None), ("foreign", []), ("said", [])):
        assert {name: each[what] for name, each in found.items() if each[what] != nothing} == {}
    assert [name for name, each in found.items() if each["wide"] > 0] == []
    for name in ("project", "audit", "item-open", "item-discussion"):
        assert "<script>window.hacked = 1</script>" in found[name]["text"], name
    for name in ("audit", "board", "item-open", "item-discussion"):
        assert "onerror='window.hacked = 2'" in found[name]["text"], name
    assert "{{ 7 * 7 }}" in found["project"]["text"]


def test_long_texts_leave_pages_small_enough(
    chromium: Browser, server: Served, tmp_path: Path
) -> None:
    """20,000 words and 300 sentences; nodes are counted, since time depends on the machine."""
    assert len(LONG.source.split()) > 20_000
    found = dict(opened(chromium, server, populate(server, tmp_path, LONG)))
    assert {name: each["said"] for name, each in found.items() if each["said"]} == {}
    assert {name: each["nodes"] for name, each in found.items() if each["nodes"] > MOST_NODES} == {}
    assert found["item-open"]["nodes"] < 3_000
