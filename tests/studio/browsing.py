"""People with a browser of their own each, who see the studio as anybody does: by its pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

PASSWORD = "correct horse battery"
KEYS = {  # the answers that lead to a label
    "explicitly-supported": "yuyy",
    "implicitly-supported": "yuyu",
    "contradicting": "yuuy",
    "fabricated": "yuuuu",
    "no-fact": "u",
}


@dataclass
class Visitor:
    """Somebody at a browser; what the browser complains of is kept."""

    name: str
    url: str
    context: BrowserContext
    page: Page
    complaints: list[str] = field(default_factory=list)

    def go(self, path: str) -> Page:
        """Opens a page of the studio; an item is waited for until all of it is there."""
        self.page.goto(self.url + path)
        if "/items/" in path:
            self.ready()
        return self.page

    def ready(self) -> None:
        """Waits until an item is there."""
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def press(self, label: str) -> Page:
        """Presses the button of a form by what it says and waits for what the form does then.

        It waits for the answer of the server, or for the page that the form leads to.
        """
        button = self.page.get_by_role("button", name=label, exact=True)
        if button.evaluate("button => button.form.dataset.then ?? ''"):
            with self.page.expect_navigation():
                button.click()
        else:
            with self.page.expect_response(lambda answer: answer.request.method != "GET"):
                button.click()
        return self.page

    def get(self, path: str) -> tuple[int, str]:
        """The status and the text that the API, or a page, answers with."""
        answer = self.context.request.get(self.url + path, max_redirects=0)
        return answer.status, answer.text()

    def json(self, path: str) -> Any:
        """What the API answers with."""
        answer = self.context.request.get(self.url + path)
        assert answer.ok, answer.text()
        return answer.json()


@contextmanager
def visiting(browser: Browser, url: str, name: str, **options: Any) -> Iterator[Visitor]:
    """Somebody with a fresh browser; a complaint of the browser fails the test."""
    options.setdefault("viewport", ViewportSize(width=1280, height=800))
    context = browser.new_context(reduced_motion="reduce", accept_downloads=True, **options)
    context.set_default_timeout(20_000)
    page = context.new_page()
    visitor = Visitor(name, url, context, page)

    def hear(message: Any) -> None:
        if message.type in ("error", "warning"):
            visitor.complaints.append(message.text)

    page.on("console", hear)
    page.on("pageerror", lambda error: visitor.complaints.append(str(error)))
    page.on("dialog", lambda dialog: dialog.accept())
    try:
        yield visitor
    finally:
        context.close()
    assert not visitor.complaints, f"the browser of {name} complained: {visitor.complaints}"


def sign_in(visitor: Visitor, password: str = PASSWORD) -> None:
    """Signs in by name and password."""
    page = visitor.go("/login")
    page.get_by_label("Name").fill(visitor.name)
    page.get_by_label("Password").fill(password)
    visitor.press("Sign in")
    expect(page.get_by_role("heading", level=1)).to_have_text("Projects")


def invite(visitor: Visitor, role: str, project: str = "") -> str:
    """Makes an invitation on the page of people; the path of its link."""
    page = visitor.go("/people")
    page.get_by_label("Role", exact=True).select_option(role)
    if project:
        page.get_by_label("Project", exact=True).select_option(label=project)
    visitor.press("Make a link")
    address = page.get_by_label("Send this address")
    expect(address).to_be_visible()
    return address.input_value().removeprefix(visitor.url)


def accept(visitor: Visitor, link: str) -> None:
    """Opens an invitation and makes an account."""
    page = visitor.go(link)
    page.get_by_label("Name").fill(visitor.name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password, once more").fill(PASSWORD)
    visitor.press("Make my account")
    expect(page.get_by_role("heading", level=1)).to_have_text("Projects")


def bring_in(visitor: Visitor, file: str, purpose: str = "real") -> Page:
    """Imports a file by the form on the page of settings, which is open."""
    page = visitor.page
    page.get_by_label("File").set_input_files(file)
    page.get_by_label("As", exact=True).select_option(purpose)
    visitor.press("Import")
    expect(page.locator("#import-form [data-told]")).to_contain_text("Imported")
    return page


def judge(visitor: Visitor, *said: tuple[str, str]) -> None:
    """Judges the sentences of an item by keyboard: a label, and a reason where it needs one."""
    page = visitor.page
    for number, (label, reason) in enumerate(said):
        if number:
            page.keyboard.press("j")
        for key in KEYS[label]:
            page.keyboard.press(key)
        if reason:
            page.keyboard.press("0")
            page.keyboard.press("w")
            page.keyboard.type(reason)
            page.keyboard.press("Escape")
    expect(page.locator("#done")).to_have_text(f"{len(said)} of {len(said)} labelled")
    expect(page.locator("#saved")).to_have_text("Saved")


def submit(visitor: Visitor) -> Page:
    """Submits an item by keyboard and waits for what comes after it."""
    page = visitor.page
    is_asked = page.locator("#marks-count", has_text="Nothing is marked").is_visible()
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
        if is_asked:
            page.get_by_role("button", name="Submit: it is consistent").click()
    return page
