"""Discussion, adjudication, training: what others said, and making it one's own."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from assay.annotation.exchange.imports import import_file
from assay.annotation.exchange.new_items import ImportOptions
from assay.annotation.items.drafts import UnitEdit
from assay.annotation.items.item_view import open_item
from assay.annotation.items.work import change, submit
from assay.annotation.items.work_queue import next_item
from assay.annotation.people.members import add_member
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person
from assay.annotation.team.training import begin_training
from assay.core.codec import write_example
from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Judgement
from assay.core.rendering import read_source
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Span
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.core.wire import AnswersRecord, SpanRecord, UnitRecord, VerdictRecord
from tests.studio.item_page.conftest import Item, MakeItem, painted, press, saved

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FACT = AnswersRecord(states_fact=True, several_readings=False, entailed=True, explicit=True)
NONE = AnswersRecord(states_fact=False)
WRONG = AnswersRecord(True, False, False, None, True)


def verdicts(second: VerdictRecord) -> list[VerdictRecord]:
    return [
        VerdictRecord("explicitly-supported", answers=FACT),
        second,
        VerdictRecord("no-fact", answers=NONE),
    ]


def annotate(item: Item, who: Person, given: Iterable[VerdictRecord]) -> None:
    """Somebody annotates all sentences and submits."""
    studio = item.site.studio
    view = open_item(studio, who, item.slug, 1)
    assert view.work is not None
    edits = [
        UnitEdit(u.id, UnitRecord(u.id, u.kind, u.text, u.start, u.end, verdict=verdict))
        for u, verdict in zip(view.work.units, given, strict=True)
    ]
    saved = change(studio, who, view.work.id, view.work.version, "edit", edits)
    submit(studio, who, view.work.id, saved.version)


def disputed(item: Item) -> Person:
    """Two people annotate the item and differ about the second sentence."""
    studio = item.site.studio
    other = item.site.add(f"bob-{item.slug}")
    admin = item.site.add(f"boss-{item.slug}", "administrator")
    add_member(studio, admin, item.slug, other.name)
    assert next_item(studio, other, item.slug).position == 1
    against = VerdictRecord(
        "contradicting",
        answers=WRONG,
        note="Zurich, not Geneva",
        evidence=[quote(item, "had studied in Zurich")],
    )
    annotate(item, item.who, verdicts(VerdictRecord("explicitly-supported", answers=FACT)))
    annotate(item, other, verdicts(against))
    return other


def quote(item: Item, words: str) -> SpanRecord:
    start = item.view().example.source.text.index(words)
    return SpanRecord(start, start + len(words), words)


def test_nothing_of_others_is_seen_while_it_is_blind(make_item: MakeItem) -> None:
    item = make_item(settings=ProjectSettings(k=2, discussion=True))
    page = item.open()
    expect(page.locator("#others")).to_be_hidden()
    expect(page.locator("#comments")).to_be_hidden()


def test_discussion_shows_both_sides_takes_over_and_comments(make_item: MakeItem) -> None:
    item = make_item(settings=ProjectSettings(k=2, discussion=True))
    other = disputed(item)
    page = item.open()
    expect(page.locator("#stage")).to_have_text("Discussion")
    option = page.locator("#strip [aria-selected=true]")  # where they differ
    expect(option).to_have_attribute("aria-label", re.compile("Sentence 2.*people differ"))
    expect(page.locator("#strip .differ")).to_have_count(1)
    expect(page.locator("#others-told")).to_contain_text("They differ on 1 of 3 sentences")
    opinion = page.locator(f"[data-author='{other.name}']")
    expect(opinion).to_contain_text("Contradicting")
    expect(opinion).to_contain_text("Zurich, not Geneva")
    opinion.get_by_role("button", name="had studied in Zurich").click()
    assert painted(page, "picked") == ["had studied in Zurich"]
    box = page.locator("#comments summary")
    expect(box).to_contain_text("No remarks yet")
    expect(box).to_be_in_viewport()
    box.click()
    page.locator("#comment").fill("You are right: it says Zurich.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#comments-list")).to_contain_text("You are right: it says Zurich.")
    expect(box).to_contain_text("1 remark")
    opinion.get_by_role("button", name="Take this one").click()
    expect(page.locator("#labels .label[aria-pressed=true] .title")).to_have_text("Contradicting")
    expect(page.locator("#note")).to_have_value("Zurich, not Geneva")
    saved(page)
    press(page, "Control+z")
    expect(page.locator("#labels .label[aria-pressed=true] .title")).to_have_text(
        "Explicitly supported"
    )


def test_judgement_is_held_in_the_discussion(make_item: MakeItem) -> None:
    item = make_item(settings=ProjectSettings(k=2, discussion=True))
    disputed(item)
    page = item.open()
    page.get_by_role("button", name="Keep my judgement").click()
    page.wait_for_url(f"**/projects/{item.slug}")  # nothing else is to be done
    work = item.view().work
    assert work is not None
    assert work.state != "open"


def test_adjudicator_sees_everybody_and_takes_the_item(make_item: MakeItem) -> None:
    item = make_item(settings=ProjectSettings(k=2))
    other = disputed(item)
    judge = item.site.add(f"judge-{item.slug}", "adjudicator")
    admin = item.site.add(f"chief-{item.slug}", "administrator")
    add_member(item.site.studio, admin, item.slug, judge.name)
    item.context.clear_cookies()
    item.context.add_cookies([item.site.cookie(judge)])  # type: ignore[list-item]
    page = item.open()
    expect(page.locator("#submit")).to_be_hidden()
    page.get_by_role("button", name="Adjudicate this item").click()
    expect(page.locator("#submit")).to_be_visible()
    page.wait_for_selector("html[data-ready]", state="attached")
    expect(page.locator("#strip [aria-selected=true] .differ")).to_have_count(1)
    expect(page.locator("#others-said .opinion")).to_have_count(2)
    page.locator(f"[data-author='{other.name}']").get_by_role("button", name="Take").click()
    saved(page)
    view = open_item(item.site.studio, judge, item.slug, 1)
    assert view.work is not None
    found = {unit.id: unit.verdict.label for unit in view.work.units if unit.verdict}
    assert found["s2"] == "contradicting"


def test_done_item_shows_whoever_only_looks_what_was_said(make_item: MakeItem) -> None:
    item = make_item(settings=ProjectSettings(k=1))
    annotate(item, item.who, verdicts(VerdictRecord("explicitly-supported", answers=FACT)))
    admin = item.site.add(f"chief-{item.slug}", "administrator")
    item.context.clear_cookies()
    item.context.add_cookies([item.site.cookie(admin)])  # type: ignore[list-item]
    page = item.open()
    expect(page.locator("#done")).to_have_text("Done")
    expect(page.locator("#strip [role=option]").first).to_contain_text("E")
    expect(page.locator("#others-said")).to_contain_text("Explicitly supported")
    expect(page.locator("#sentence")).to_be_hidden()
    expect(page.locator("#read-only")).to_have_text("This item is done.")


def test_training_shows_what_was_expected_once_it_is_submitted(
    make_item: MakeItem, tmp_path: Path
) -> None:
    item = make_item()
    studio = item.site.studio
    example = Example("t", read_source("The shop opens at nine."), Response("It opens at ten."))
    unit = Unit.at("sentence", Span.cut(example.response.text, 0, 16, "response"), "s1")
    note = "The source says nine."
    said = Verdict("s1", GRAY7["contradicting"], note=note)
    gold = Judgement("t", Author("gold", "person"), (unit,), (said,))
    file = tmp_path / "training.jsonl"
    file.write_bytes(write_example(Annotated(example, (gold,))))
    admin = item.site.add(f"teacher-{item.slug}", "administrator")
    import_file(studio, admin, item.slug, str(file), ImportOptions(purpose="training"))
    begin_training(studio, item.who, item.slug)
    item.purpose = "training"
    page = item.open()
    expect(page.locator("#feedback")).to_be_hidden()
    press(page, "y", "u", "y", "y", "Control+Enter")
    expect(page.locator("#feedback-told")).to_have_text("0 of 1 right")
    expect(page.locator("#feedback-list")).to_contain_text("Expected: C Contradicting")
    expect(page.locator("#feedback-list")).to_contain_text(note)
    expect(page.locator("#onward")).to_contain_text("On to the quiz")
    press(page, "Control+Enter")
    page.wait_for_url(f"**/projects/{item.slug}/training")


def test_submitted_work_is_read_only_and_taken_up_again(make_item: MakeItem) -> None:
    item = make_item(settings=ProjectSettings(k=2))
    annotate(item, item.who, verdicts(VerdictRecord("explicitly-supported", answers=FACT)))
    page = item.open()
    expect(page.locator("#read-only")).to_be_hidden()  # it can be taken up again
    press(page, "1")
    expect(page.locator("#labels .label[aria-pressed=true] .title")).to_have_text(
        "Explicitly supported"
    )
    page.get_by_role("button", name="Take it up again").click()
    expect(page.locator("#submit")).to_be_visible()
