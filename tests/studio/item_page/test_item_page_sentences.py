"""Annotating sentences: the tree, labels, evidence, readings, boundaries, and handing it in."""

import pytest
from playwright.sync_api import Page, expect

from tests.studio.item_page.conftest import MakeItem

pytestmark = pytest.mark.browser


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def saved(page: Page) -> None:
    """Waits until the server has everything."""
    expect(page.locator("#saved")).to_have_text("Saved")


def test_answers_lead_to_a_label_that_is_saved(make_item: MakeItem) -> None:
    item = make_item()
    page = item.open()
    press(page, "y", "n", "y", "y")
    expect(page.locator(".label[aria-pressed=true] .title")).to_have_text("Explicitly supported")
    saved(page)
    verdict = item.units()["s1"].verdict
    assert verdict is not None and verdict.label == "explicitly-supported"
    assert verdict.answers is not None and verdict.answers.several_readings is False
