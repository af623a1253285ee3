"""A studio that is served, projects of a few items in it, and pages of them in a real browser."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

from assay.app.annotation.importing import import_file
from assay.app.annotation.items import next_item, open_item
from assay.app.annotation.members import add_member
from assay.app.annotation.projects import create_project
from assay.app.annotation.settings import ProjectSettings
from assay.app.annotation.studio import Person
from assay.app.annotation.views import ItemView
from assay.core.wire import UnitRecord
from tests.studio.serving import Served, served

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
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
    position: int = 1

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"{self.site.url}/projects/{self.slug}/items/{self.position}"

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

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning") and not any(
            each in message.text for each in self.expected
        ):
            self.complaints.append(message.text)

    def view(self) -> ItemView:
        """The item as the server has it."""
        return open_item(self.site.studio, self.who, self.slug, self.position)

    def units(self) -> dict[str, UnitRecord]:
        """The units as the server has them."""
        work = self.view().work
        assert work is not None
        return {unit.id: unit for unit in work.units}


MakeItem = Callable[..., Item]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A real Chromium; without one the test is skipped."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here: install chromium or google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


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
        judgements: list[dict[str, Any]] | None = None,
        **browser: Any,
    ) -> Item:
        number = next(numbers)
        admin = site.add(f"admin{number}", "administrator")
        who = site.add(f"ann{number}")
        settings = settings or ProjectSettings()
        slug = create_project(site.studio, admin, f"Bridges {number}", settings).slug
        row: dict[str, Any] = {"id": f"item{number}", "source": source, "response": response}
        if judgements is not None:
            row |= {"schema": "urn:assay:example:1", "judgements": judgements}
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
