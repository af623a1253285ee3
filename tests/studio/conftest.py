"""Studios, people, projects and browsers that are signed in; a real server for real browsers."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.annotating import client, make_person, make_project, quick_hashes, studio, studio_at
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
__all__ = ["client", "make_person", "make_project", "quick_hashes", "studio", "studio_at"]


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a studio of its own in a file."""
    place = tmp_path_factory.mktemp("served") / "studio.sqlite"
    with served(str(place)) as made:
        yield made


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A real Chromium; without one the test is skipped.

    It is open for one module at a time: while it is, nothing else can run an event loop here.
    """
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here: install chromium or google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()
