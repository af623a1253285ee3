"""Marking spans: nested, overlapping, with several labels, notes and links."""

import pytest
from playwright.sync_api import expect

from assay.annotation.settings import ProjectSettings
from tests.studio.item_page.conftest import MakeItem, painted, pick, press, saved

pytestmark = [pytest.mark.browser, pytest.mark.soak]
SPANS = ProjectSettings(mode="spans")


def test_nested_marks_have_lines_at_depths_of_their_own(make_item: MakeItem) -> None:
    item = make_item(settings=SPANS)
    page = item.open()
    pick(page, "response", "designed by Edith Lang, who lived")
    press(page, "4")
    pick(page, "response", "Edith Lang")
    press(page, "3")
    pick(page, "response", "lived in Geneva")  # overlaps the first
    press(page, "3")
    assert painted(page, "label-questionable-0") == ["designed by Edith Lang, who lived"]
    assert painted(page, "label-unwanted-extrinsic-1") == ["Edith Lang", "lived in Geneva"]
    expect(page.locator("#marks-list .level-1")).to_have_text("UeEdith Lang!")
    saved(page)
    units = item.units()
    assert [(unit.id, unit.parent) for unit in units.values()] == [
        ("p1", ""),
        ("p2", "p1"),
        ("p3", ""),
    ]


def test_mark_around_others_becomes_their_parent(make_item: MakeItem) -> None:
    item = make_item(settings=SPANS)
    page = item.open()
    pick(page, "response", "Edith Lang")
    press(page, "3")
    pick(page, "response", "designed by Edith Lang, who lived")
    press(page, "4")
    saved(page)
    assert item.units()["p1"].parent == "p2"
    press(page, "Delete")
    saved(page)
    assert item.units()["p1"].parent == ""


def test_several_labels_are_kept_and_the_worst_is_the_label(make_item: MakeItem) -> None:
    item = make_item(settings=SPANS)
    page = item.open()
    pick(page, "response", "Geneva")
    press(page, "5", "1", "2")  # benign; unwanted, which intrinsic then stands for
    saved(page)
    verdict = item.units()["p1"].verdict
    assert verdict is not None
    assert verdict.label == "unwanted.intrinsic"
    assert [each.label for each in verdict.interpretations] == ["benign", "unwanted.intrinsic"]
    press(page, "5")
    saved(page)
    verdict = item.units()["p1"].verdict
    assert verdict is not None
    assert verdict.interpretations == []


def test_mark_gets_a_note_and_links_to_the_source(make_item: MakeItem) -> None:
    item = make_item(settings=SPANS)
    page = item.open()
    pick(page, "response", "Geneva")
    press(page, "2")
    expect(page.locator("#problems")).to_contain_text(
        "Needed: a reason (w), a passage (e) or a link (o)."
    )
    pick(page, "source", "had studied in Zurich")
    press(page, "e", "w")
    page.keyboard.type("Another city")
    press(page, "Escape")
    saved(page)
    verdict = item.units()["p1"].verdict
    assert verdict is not None
    assert verdict.note == "Another city"
    assert [span.text for span in verdict.evidence] == ["had studied in Zurich"]
    expect(page.locator("#problems li")).to_have_count(0)
    press(page, "Control+Enter")
    page.wait_for_url(f"**/projects/{item.slug}")


def test_mark_is_moved_extended_and_removed(make_item: MakeItem) -> None:
    item = make_item(settings=SPANS)
    page = item.open()
    pick(page, "response", "opened")
    press(page, "4")
    pick(page, "response", "opened in 1931")
    press(page, "=")
    saved(page)
    assert item.units()["p1"].text == "opened in 1931"
    pick(page, "response", "designed")
    press(page, "+")
    saved(page)
    assert [span.text for span in item.units()["p1"].spans] == ["opened in 1931", "designed"]
    press(page, "Delete")
    saved(page)
    assert item.units() == {}
    press(page, "Control+z")
    saved(page)
    assert list(item.units()) == ["p1"]


def test_click_chooses_the_innermost_mark(make_item: MakeItem) -> None:
    item = make_item(settings=SPANS)
    page = item.open()
    for words, key in (("designed by Edith Lang", "4"), ("Edith Lang", "3"), ("Orient", "5")):
        pick(page, "response", words)
        press(page, key)
    box = page.locator("#response .words p").bounding_box()
    assert box is not None
    place = page.evaluate(
        """() => { const node = document.querySelector("#response .words p").firstChild;
          const range = new Range(); const at = node.data.indexOf("Lang") + 1;
          range.setStart(node, at); range.setEnd(node, at + 1);
          return range.getClientRects()[0].toJSON(); }"""
    )
    page.mouse.click(place["left"] + 2, place["top"] + place["height"] / 2)
    assert painted(page, "current") == ["Edith Lang"]
    press(page, "k")
    assert painted(page, "current") == ["designed by Edith Lang"]


def test_project_with_both_changes_between_them(make_item: MakeItem) -> None:
    item = make_item(settings=ProjectSettings(mode="both"))
    page = item.open()
    press(page, "7", "t")
    expect(page.locator("#marks")).to_be_visible()
    pick(page, "response", "Geneva")
    press(page, "2", "t")
    expect(page.locator("#strip")).to_be_visible()
    saved(page)
    labels = {unit.id: unit.verdict.label for unit in item.units().values() if unit.verdict}
    assert labels == {"s1": "explicitly-supported", "p1": "unwanted.intrinsic"}


def test_marking_nothing_is_asked_about_before_it_is_submitted(make_item: MakeItem) -> None:
    item = make_item(settings=SPANS)
    page = item.open()
    press(page, "Control+Enter")
    dialog = page.locator("#nothing-marked")
    expect(dialog).to_contain_text("consistent")
    press(page, "Control+Enter", "Escape")  # one too many does no harm
    expect(dialog).to_be_hidden()
    work = item.view().work
    assert work is not None
    assert work.state == "open"
    press(page, "Control+Enter")
    dialog.get_by_role("button", name="Submit").click()
    page.wait_for_url(f"**/projects/{item.slug}")
    work = item.view().work
    assert work is not None
    assert work.state == "submitted"
