"""The page of an item in short: the other files here go through all of it, and take longer."""

import pytest
from playwright.sync_api import expect

from tests.studio.item_page.conftest import MakeItem, press, saved

pytestmark = pytest.mark.browser


def test_answers_lead_to_a_label_that_is_saved(make_item: MakeItem) -> None:
    item = make_item()
    page = item.open()
    press(page, "y", "u", "y", "y")
    chosen = page.locator("#labels .label[aria-pressed=true] .title")
    expect(chosen).to_have_text(["Explicitly supported"])
    saved(page)
    verdict = item.units()["s1"].verdict
    assert verdict is not None
    assert verdict.label == "explicitly-supported"
    assert verdict.answers is not None
    assert verdict.answers.several_readings is False
