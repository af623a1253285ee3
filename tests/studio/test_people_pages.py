"""Signing in, invitations and accounts in a real browser."""

import os
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from assay.annotation.people.accounts import create_first, has_accounts
from assay.annotation.studio import open_studio
from assay.studio.application import Serving
from tests.studio.browsing import PASSWORD, Visitor, visiting
from tests.studio.serving import Served, served

pytestmark = pytest.mark.browser


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[Served]:
    """A server for one person, with a key."""
    with served(str(tmp_path / "studio.sqlite"), Serving(key="the-key")) as made:
        yield made


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Served]:
    """A server with the account of an administrator."""
    place = str(tmp_path / "studio.sqlite")
    opened = open_studio(place)
    create_first(opened, "root", PASSWORD)
    opened.close()
    with served(place) as made:
        yield made


def picture(page: Page, name: str) -> None:
    """Keeps a picture for whoever wants to look at the pages."""
    if folder := os.environ.get("ASSAY_SCREENSHOTS"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def sign_in(visitor: Visitor, name: str, password: str = PASSWORD) -> Page:
    page = visitor.page
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()
    return page


def test_printed_address_signs_in_and_leaves_no_key_behind(
    keyed: Served, chromium: Browser
) -> None:
    with visiting(chromium, keyed.url, "local") as visitor:
        page = visitor.page
        page.goto(f"{keyed.url}/login#key=the-key")
        expect(page).to_have_url(f"{keyed.url}/")
        expect(page.get_by_role("link", name="local")).to_be_visible()
        page.go_back()
        assert "the-key" not in page.url
        assert not has_accounts(keyed.studio)
    with visiting(chromium, keyed.url, "another") as visitor:
        visitor.page.goto(f"{keyed.url}/login#key=the-key")
        expect(visitor.page.get_by_text("has been used")).to_be_visible()
        assert "the-key" not in visitor.page.url
        visitor.complaints.clear()  # the refusal


def test_sign_in_goes_where_one_wanted_to_and_never_elsewhere(
    team: Served, chromium: Browser
) -> None:
    with visiting(chromium, team.url, "root") as visitor:
        page = visitor.go("/people")
        expect(page).to_have_url(f"{team.url}/login?next=/people")
        picture(page, "login")
        sign_in(visitor, "root", "wrong horse battery")
        expect(page.get_by_text("the name or the password is wrong")).to_be_visible()
        visitor.complaints.clear()  # the refusal
        sign_in(visitor, "root")
        expect(page).to_have_url(f"{team.url}/people")
    for place in (
        "//evil.example/",
        "https://evil.example/",
        "javascript:alert(1)",
        "/\\evil.example",
    ):
        with visiting(chromium, team.url, "root") as visitor:
            visitor.page.goto(f"{team.url}/login?next={place}")
            sign_in(visitor, "root")
            visitor.page.get_by_role("button", name="Sign out").wait_for()
            assert visitor.page.url.startswith(f"{team.url}/")
            visitor.complaints.clear()  # a page that is not there


def test_times_are_the_reader_s_own(team: Served, chromium: Browser) -> None:
    options = {"timezone_id": "Asia/Tokyo", "locale": "de-DE"}
    with visiting(chromium, team.url, "root", **options) as visitor:
        visitor.go("/people")
        page = sign_in(visitor, "root")
        since = page.get_by_role("row", name="root").locator("time")
        said = datetime.fromisoformat(since.get_attribute("datetime") or "")
        expect(since).to_have_text(f"{said + timedelta(hours=9):%d.%m.%Y, %H:%M}")
        expect(since).to_have_attribute("title", f"{said:%Y-%m-%d %H:%M} UTC")


def test_invitation_from_the_link_to_the_end_of_the_account(
    team: Served, chromium: Browser
) -> None:
    with (
        visiting(chromium, team.url, "root") as root,
        visiting(chromium, team.url, "bob") as bob,
    ):
        page = root.go("/people")
        sign_in(root, "root")
        page.get_by_label("Note").fill("<img src=x onerror=alert(1)> Bob")
        page.get_by_role("button", name="Make a link").click()
        address = page.get_by_label("Send this address")
        expect(address).to_be_visible()
        link = address.input_value()
        page.reload()
        expect(page.get_by_text("<img src=x onerror=alert(1)> Bob")).to_be_visible()
        picture(page, "people")

        bob.page.goto(link)
        bob.page.get_by_label("Name").fill("bob")
        bob.page.get_by_label("Password", exact=True).fill(PASSWORD)
        bob.page.get_by_label("Password, once more").fill("something else")
        bob.page.get_by_role("button", name="Make my account").click()
        assert bob.page.url == link  # the two differ, and nothing was sent
        bob.page.get_by_label("Password, once more").fill(PASSWORD)
        picture(bob.page, "invitation")
        bob.page.get_by_role("button", name="Make my account").click()
        expect(bob.page).to_have_url(f"{team.url}/")

        bob.go("/account")
        picture(bob.page, "account")
        bob.page.get_by_label("Current password").fill(PASSWORD)
        bob.page.get_by_label("New password", exact=True).fill("another horse battery")
        bob.page.get_by_label("New password, once more").fill("another horse battery")
        bob.page.get_by_role("button", name="Change password").click()
        expect(bob.page.get_by_text("Your password has been changed")).to_be_visible()

        page.reload()
        row = page.get_by_role("row", name="bob").first
        with page.expect_navigation():  # what the server has is shown anew
            row.get_by_role("combobox").select_option("adjudicator")
        expect(row.get_by_role("combobox")).to_have_value("adjudicator")
        row.get_by_role("button", name="Deactivate").click()
        expect(row.get_by_text("deactivated")).to_be_visible()
        bob.page.goto(f"{team.url}/account")
        expect(bob.page).to_have_url(f"{team.url}/login?next=/account")

        own = page.get_by_role("row", name="root").first
        own.get_by_role("button", name="Deactivate").click()
        expect(page.get_by_text("is the only administrator who can sign in")).to_be_visible()
        root.complaints.clear()  # the refusal
