"""Pages of a check in a browser, in tabs that stay."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from assay.core.judgements import Author, Manifest
from assay.core.results import Result
from assay.report.pages.page import PageWriter
from tests.report.tabs import Tabs

Write = Callable[..., Path]


Open = Callable[..., Page]


MANIFEST = Manifest(Author("some-detector", version="1.2"), version="0.1.0", taxonomy="gray7")


# Shows what the page shows when it is loaded at some address.
RESTORE = """async (hash) => {
  clearTimeout(typing);
  clearTimeout(storing);
  document.querySelectorAll("dialog").forEach((each) => each.close());
  document.querySelector("#shown-id")?.remove();
  history.replaceState(null, "", location.pathname + hash);
  restore();
  document.activeElement?.blur();
  scrollTo(0, 0);
}"""


@pytest.fixture(scope="module")
def tabs(browser: Browser) -> Iterator[Tabs]:
    tabs = Tabs(browser, settle, 700)
    yield tabs
    tabs.close()


def settle(page: Page, hash: str) -> None:
    page.evaluate(RESTORE, hash)
    page.wait_for_selector("#shown-id, #missing")


@pytest.fixture(scope="module")
def two(sample: Result, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page of two examples."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    with PageWriter(str(path), MANIFEST) as page:
        page.add(sample)
        page.add(sample)
    return path.as_uri()


@pytest.fixture
def open_page(tabs: Tabs, two: str, write: Write) -> Iterator[Open]:
    """Opens a page of some examples, or else of two; see `Tabs`."""

    def open_it(*examples: Result, **options: Any) -> Page:
        return tabs.open(write(*examples).as_uri() if examples else two, **options)

    with tabs.of_one_test():
        yield open_it
