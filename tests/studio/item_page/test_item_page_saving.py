"""Nothing is lost: reloads, lost connections, two tabs, a session that ends."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from assay.annotation.items.drafts import UnitEdit
from assay.annotation.items.work import change
from assay.annotation.settings import ProjectSettings
from assay.core.wire import UnitRecord, VerdictRecord
from tests.studio.item_page.conftest import Item, MakeItem, pick, press, saved

pytestmark = [pytest.mark.browser, pytest.mark.slow]
CHANGES = "**/api/work/*/changes"


def label_of(item: Item, unit: str) -> Any:
    verdict = item.units()[unit].verdict
    return verdict.label if verdict else None


def waiting(page: Page) -> int:
    """How many changes the browser keeps."""
    count: int = page.evaluate(
        """() => Object.keys(localStorage).filter((key) => key.startsWith("assay.work."))
          .reduce((sum, key) => sum + JSON.parse(localStorage[key]).entries.length, 0)"""
    )
    return count


def record(item: Item) -> list[dict[str, Any]]:
    """The bodies of all saves of pages that are opened from now on."""
    bodies: list[dict[str, Any]] = []

    def take(route: Route) -> None:
        bodies.append(route.request.post_data_json or {})
        route.continue_()

    item.intercept(CHANGES, take)
    return bodies


def elsewhere(item: Item, edit: Callable[[UnitRecord], UnitRecord], unit: str) -> None:
    """Changes a unit as another machine of the same person does."""
    work = item.view().work
    assert work is not None
    edits = [UnitEdit(unit, edit(item.units()[unit]))]
    change(item.site.studio, item.who, work.id, work.version, "edit", edits)


def labelled(label: str) -> Callable[[UnitRecord], UnitRecord]:
    def edit(unit: UnitRecord) -> UnitRecord:
        return UnitRecord(
            unit.id, unit.kind, unit.text, unit.start, unit.end, verdict=VerdictRecord(label)
        )

    return edit


def test_reload_shows_what_was_done(make_item: MakeItem) -> None:
    item = make_item()
    page = item.open()
    press(page, "y", "u", "y", "y", "w")
    page.keyboard.type("Stated in the first sentence")
    page.reload()  # within the time of typing: nothing has been sent yet
    page.wait_for_selector("html[data-ready]", state="attached")
    page.locator("#strip [role=option]").first.click()
    expect(page.locator("#note")).to_have_value("Stated in the first sentence")
    saved(page)
    verdict = item.units()["s1"].verdict
    assert verdict is not None
    assert verdict.note == "Stated in the first sentence"


def test_typing_is_one_change_and_answers_are_one_each(make_item: MakeItem) -> None:
    item = make_item()
    bodies = record(item)
    page = item.open()
    press(page, "y", "u", "w")
    page.keyboard.type("A reason of several words")
    press(page, "Escape")
    saved(page)
    assert len(bodies) == 3
    assert [body["base"] for body in bodies] == [0, 1, 2]
    assert len({body["id"] for body in bodies}) == 3
    assert bodies[-1]["changes"][0]["unit"]["verdict"]["note"] == "A reason of several words"


def test_lost_connection_keeps_all_changes_and_sends_them_later(make_item: MakeItem) -> None:
    item = make_item()
    item.expected.append("ERR_INTERNET_DISCONNECTED")
    page = item.open()
    item.context.set_offline(True)
    press(page, "1", "j", "2", "j", "4")
    expect(page.locator("#saved")).to_have_text("Offline: 3 changes kept here")
    assert waiting(page) == 3
    assert label_of(item, "s1") is None
    item.context.set_offline(False)
    saved(page)
    assert [label_of(item, unit) for unit in ("s1", "s2", "s3")] == [
        "contradicting",
        "fabricated",
        "no-fact",
    ]
    assert waiting(page) == 0


def test_changes_of_a_tab_that_was_lost_are_saved_by_the_next(make_item: MakeItem) -> None:
    item = make_item()
    item.expected.append("Failed to load resource")
    item.intercept("**/api/work/**", lambda route: route.abort())
    page = item.open()
    press(page, "1", "j", "2")
    expect(page.locator("#saved")).to_contain_text("2 changes kept here")
    page.close()
    item.context.unroute_all()
    again = item.open()
    saved(again)
    assert (label_of(item, "s1"), label_of(item, "s2")) == ("contradicting", "fabricated")


def test_answer_that_got_lost_is_no_conflict(make_item: MakeItem) -> None:
    item = make_item()
    item.expected.append("Failed to load resource")
    lost: list[int] = []

    def lose_the_answer(route: Route) -> None:
        if not lost:
            lost.append(1)
            route.fetch()  # it arrives, but the page never learns
            route.abort()
        else:
            route.continue_()

    item.intercept(CHANGES, lose_the_answer)
    page = item.open()
    press(page, "1")
    expect(page.locator("#saved")).to_contain_text("Offline")
    saved(page)
    work = item.view().work
    assert work is not None
    assert work.version == 1


def test_other_tab_shows_what_was_saved(make_item: MakeItem) -> None:
    item = make_item()
    first, second = item.open(), item.open()
    press(first, "1")
    saved(first)
    expect(second.locator("#strip [role=option]").first).to_have_text("1C!")
    second.bring_to_front()
    press(second, "k", "j", "2")
    expect(first.locator("#strip [role=option]").nth(1)).to_have_text("2F!")


def test_undo_of_one_tab_survives_the_work_of_another(make_item: MakeItem) -> None:
    item = make_item()
    item.expected.append("409")  # where the second tab is quicker than the word from the first
    first, second = item.open(), item.open()
    press(first, "1")
    saved(first)
    second.bring_to_front()
    press(second, "j", "2")
    saved(second)
    expect(first.locator("#strip [role=option]").nth(1)).to_contain_text("F")
    first.bring_to_front()
    press(first, "Control+z")
    saved(first)
    assert (label_of(item, "s1"), label_of(item, "s2")) == (None, "fabricated")


def test_changes_of_different_sentences_are_put_together(make_item: MakeItem) -> None:
    item = make_item()
    item.expected.append("409")
    page = item.open()
    elsewhere(item, labelled("fabricated"), "s2")
    press(page, "1")
    expect(page.locator("#notices .notice")).to_contain_text("Changes made elsewhere were added")
    saved(page)
    assert (label_of(item, "s1"), label_of(item, "s2")) == ("contradicting", "fabricated")
    expect(page.locator("#strip [role=option]").nth(1)).to_contain_text("2F")


@pytest.mark.parametrize(("choice", "label"), [("mine", "contradicting"), ("theirs", "fabricated")])
def test_same_sentence_changed_twice_is_for_the_person_to_settle(
    make_item: MakeItem, choice: str, label: str
) -> None:
    item = make_item()
    item.expected.append("409")
    page = item.open()
    elsewhere(item, labelled("fabricated"), "s1")
    press(page, "1")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Contradicting")
    expect(dialog).to_contain_text("Fabricated")
    assert label_of(item, "s1") == "fabricated"  # nothing was overwritten
    press(page, "Escape")
    expect(dialog).to_be_visible()
    dialog.locator(f"input[value={choice}]").check()
    dialog.get_by_role("button", name="Keep what I chose").click()
    saved(page)
    assert label_of(item, "s1") == label
    expect(page.locator("#strip [role=option]").first).to_contain_text(label[0].upper())


def test_session_that_ended_keeps_everything_and_goes_on(make_item: MakeItem) -> None:
    item = make_item()
    item.expected += ["401", "403"]  # the token of the page is that of the session before
    page = item.open()
    item.context.clear_cookies()
    press(page, "1", "j", "2")
    expect(page.locator("#signed-out")).to_be_visible()
    expect(page.locator("#saved")).to_have_text("Signed out: 2 changes kept here")
    item.context.add_cookies([item.site.cookie(item.who)])  # type: ignore[list-item]
    page.evaluate("dispatchEvent(new Event('focus'))")  # back from the tab where they signed in
    saved(page)
    expect(page.locator("#signed-out")).to_be_hidden()
    assert (label_of(item, "s1"), label_of(item, "s2")) == ("contradicting", "fabricated")


def test_change_that_the_server_refuses_is_taken_back_with_a_reason(make_item: MakeItem) -> None:
    item = make_item()
    item.expected.append("422")
    seen: list[Route] = []

    def refuse_the_second(route: Route) -> None:
        seen.append(route)
        if len(seen) == 2:
            body = {"error": {"code": "input", "message": "that is too long", "field": "note"}}
            route.fulfill(status=422, json=body)
        else:
            route.continue_()

    item.intercept(CHANGES, refuse_the_second)
    page = item.open()
    press(page, "2")
    saved(page)
    press(page, "1")
    expect(page.locator("#notices .notice.bad")).to_contain_text("taken back: that is too long")
    expect(page.locator("#labels .label[aria-pressed=true] .title")).to_have_text("Fabricated")


def test_active_time_is_sent(make_item: MakeItem) -> None:
    item = make_item()
    page = item.open()
    page.clock.install()
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    with page.expect_request("**/seconds") as sent:
        press(page, "j")
        page.clock.fast_forward(31_000)
    assert (sent.value.post_data_json or {})["seconds"] >= 30


def test_marks_made_in_two_places_are_both_kept(make_item: MakeItem) -> None:
    item = make_item(settings=ProjectSettings(mode="spans"))
    item.expected.append("409")
    page = item.open()
    work = item.view().work
    assert work is not None
    theirs = UnitRecord("p1", "span", "The Orient", 0, 10, verdict=VerdictRecord("benign"))
    change(item.site.studio, item.who, work.id, work.version, "edit", [UnitEdit("p1", theirs)])
    pick(page, "response", "Geneva")
    press(page, "2")
    saved(page)
    expect(page.locator("#marks-list li")).to_have_count(2)
    assert {unit.text for unit in item.units().values()} == {"The Orient", "Geneva"}
