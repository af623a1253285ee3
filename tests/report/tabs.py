"""Tabs of a browser that the tests of a file share: a page is loaded once for many of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize

Settle = Callable[[Page, str], object]


class Tabs:
    """Opens pages with the network off, in tabs that stay.

    `settle` brings a page that is loaded already back to what it shows at some address, and waits
    until it is shown.
    """

    def __init__(self, browser: Browser, settle: Settle, height: int) -> None:
        self._browser = browser
        self._settle = settle
        self._height = height
        self._tabs: list[Page] = []
        self._loaded: dict[Page, str] = {}
        self._used = 0
        self._own: list[Page] = []
        self.complaints: list[str] = []
        self.requests: list[str] = []

    @contextmanager
    def of_one_test(self) -> Iterator["Tabs"]:
        """For one test; a complaint of the browser fails it."""
        self._used = 0
        self.complaints.clear()
        self.requests.clear()
        yield self
        for page in self._own:
            page.close()
        self._own.clear()
        assert self.complaints == []

    def open(
        self,
        address: str,
        hash: str = "",
        *,
        width: int = 1440,
        scheme: Any = "light",
        is_changed: bool = False,
        **options: Any,
    ) -> Page:
        """The page at an address; it is loaded anew after a test by which it `is_changed` for good.

        A test that opens several has each in a tab of its own. With other options of the browser
        it has a new one.
        """
        if options:
            page = self._new(width, **options)
            self._own.append(page)
            page.goto(address + hash)
            return page
        if self._used == len(self._tabs):
            self._tabs.append(self._new(width))
        page = self._tabs[self._used]
        self._used += 1
        page.set_viewport_size(ViewportSize(width=width, height=self._height))
        page.emulate_media(color_scheme=scheme, media="screen", reduced_motion="reduce")
        page.mouse.move(0, 0)
        if self._loaded.get(page) != address or is_changed:
            page.goto("about:blank")
            page.goto(address + hash)
            self._loaded[page] = address
        if is_changed:
            del self._loaded[page]
        self._settle(page, hash)
        return page

    def _new(self, width: int, **options: Any) -> Page:
        viewport = ViewportSize(width=width, height=self._height)
        page = self._browser.new_page(viewport=viewport, reduced_motion="reduce", **options)
        page.context.set_offline(True)
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        return page

    def close(self) -> None:
        """Closes all tabs."""
        for page in self._tabs:
            page.close()
