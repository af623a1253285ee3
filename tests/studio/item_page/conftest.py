"""A studio that is served, projects of a few items in it, and pages of them in a real browser."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Route,
    ViewportSize,
    expect,
)

from assay.annotation.exchange.imports import import_file
from assay.annotation.items.item_view import ItemView, open_item
from assay.annotation.items.work_queue import next_item
from assay.annotation.people.members import add_member
from assay.annotation.projects import create_project
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Purpose
from assay.core.wire import UnitRecord
from tests.studio.serving import Served, served

SOURCE = (
    "The Orient Bridge opened in May 1931 after four years of work. It cost two million pounds.\n"
    "Its chief engineer, Edith Lang, had studied in Zurich. She retired in 1950.\n\n"
    "The bridge carries about 40,000 cars a day. A toll was charged until 1961 🚗.\n"
)
RESPONSE = (
    "The Orient Bridge opened in 1931. It was designed by Edith Lang, who lived in Geneva. "
    "I hope this helps!"
)


@dataclass
class Item:
    """A project with one item that is shown to one person, and what the browser complains of."""

    site: Served
    who: Person
    slug: str
    context: BrowserContext
    complaints: list[str]
    expected: list[str] = field(default_factory=list)
    purpose: Purpose = "real"

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"{self.site.url}/projects/{self.slug}/items/1?purpose={self.purpose}"

    def open(self, **viewport: int) -> Page:
        """A tab with the page, once everything is there."""
        page = self.context.new_page()
        if viewport:
            page.set_viewport_size(ViewportSize(width=viewport["width"], height=viewport["height"]))
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.url)
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    def intercept(self, pattern: str, answer: Callable[[Route], Any]) -> None:
        """Answers requests of all pages that are opened from now on.

        A page that is open already is no place to begin: Chromium has its scripts go on past the
        interception for a moment, since a key that is pressed comes before such news.
        """
        assert not self.context.pages
        self.context.route(pattern, answer)

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning") and not any(
            each in message.text for each in self.expected
        ):
            self.complaints.append(message.text)

    def view(self) -> ItemView:
        """The item as the server has it."""
        return open_item(self.site.studio, self.who, self.slug, 1, self.purpose)

    def units(self) -> dict[str, UnitRecord]:
        """The units as the server has them."""
        work = self.view().work
        assert work is not None
        return {unit.id: unit for unit in work.units}


MakeItem = Callable[..., Item]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all pages; every test has a project of its own."""
    with served(str(tmp_path_factory.mktemp("item_page") / "studio.sqlite")) as made:
        yield made


@pytest.fixture(scope="session")
def numbers() -> Iterator[int]:
    """Numbers that no other test has."""
    return count(1)


@pytest.fixture
def make_item(
    chromium: Browser, site: Served, numbers: Iterator[int], tmp_path: Path
) -> Iterator[MakeItem]:
    """Makes an item and signs its annotator in; a complaint of the browser fails the test."""
    made: list[Item] = []

    def make(
        source: str = SOURCE,
        response: str = RESPONSE,
        settings: ProjectSettings | None = None,
        **browser: Any,
    ) -> Item:
        number = next(numbers)
        admin = site.add(f"admin{number}", "administrator")
        who = site.add(f"ann{number}")
        settings = settings or ProjectSettings()
        slug = create_project(site.studio, admin, f"Bridges {number}", settings).slug
        row = {"id": f"item{number}", "source": source, "response": response}
        file = tmp_path / f"item{number}.jsonl"
        file.write_text(json.dumps(row) + "\n", encoding="utf-8")
        import_file(site.studio, admin, slug, str(file))
        add_member(site.studio, admin, slug, who.name)
        assert next_item(site.studio, who, slug).position == 1
        options = {"viewport": ViewportSize(width=1440, height=900), "reduced_motion": "reduce"}
        context = chromium.new_context(**{**options, **browser})
        context.add_cookies([site.cookie(who)])  # type: ignore[list-item]
        item = Item(site, who, slug, context, [])
        made.append(item)
        return item

    yield make
    for item in made:
        item.context.close()
    assert [each for item in made for each in item.complaints] == []


def press(page: Page, *keys: str) -> None:
    """Presses keys, one after the other."""
    for key in keys:
        page.keyboard.press(key)


def saved(page: Page) -> None:
    """Waits until the server has everything.

    Words of before cannot deceive it: the key or click that changes something takes them away.
    """
    expect(page.locator("#saved")).to_have_text("Saved")


def pick(page: Page, side: str, words: str) -> None:
    """Selects words of a text with the mouse, from the first letter to the last."""
    boxes = page.evaluate(
        """([side, words]) => {
          const all = [...document.querySelectorAll(`#${side} .words p`)];
          const found = all.map((p) => p.firstChild).find((node) => node.data.includes(words));
          const range = new Range();
          const start = found.data.indexOf(words);
          const box = (from, to) => {
            range.setStart(found, from); range.setEnd(found, to);
            return range.getClientRects()[0].toJSON();
          };
          const last = start + words.length;
          return [box(start, start + 1), box(last - 1, last)];
        }""",
        [side, words],
    )
    first, last = boxes
    is_leftward = last["left"] < first["left"] and last["top"] == first["top"]
    start = first["right"] - 1 if is_leftward else first["left"] + 1
    end = last["left"] + 0.5 if is_leftward else last["right"] - 0.5
    page.mouse.move(start, first["top"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(end, last["top"] + last["height"] / 2, steps=4)
    page.mouse.up()


def painted(page: Page, name: str) -> list[str]:
    """The texts that are painted under a name."""
    found: list[str] = page.evaluate(
        """(name) => [...(CSS.highlights.get(name) ?? [])].map((each) => {
          const range = new Range();
          range.setStart(each.startContainer, each.startOffset);
          range.setEnd(each.endContainer, each.endOffset);
          return range.toString();
        })""",
        name,
    )
    return found
