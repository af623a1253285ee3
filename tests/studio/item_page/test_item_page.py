"""The page of an item in short: the other files here go through all of it, and take longer."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from assay.annotation.exchange.imports import import_file
from assay.annotation.studio import KEEPER
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


def test_an_item_is_left_for_later_with_what_was_done(make_item: MakeItem, tmp_path: Path) -> None:
    item = make_item()
    more = tmp_path / "more.jsonl"
    more.write_text('{"id": "more", "source": "It is old.", "response": "It is old."}\n')
    import_file(item.site.studio, KEEPER, item.slug, str(more))
    page = item.open()
    press(page, "u")
    saved(page)
    page.get_by_role("button", name="Later").click()
    page.wait_for_url("**/items/2?*")
    verdict = item.units()["s1"].verdict
    assert verdict is not None
    assert verdict.label == "no-fact"
