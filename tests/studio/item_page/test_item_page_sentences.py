"""Annotating sentences: the tree, labels, evidence, readings, boundaries, and handing it in."""

import pytest
from playwright.sync_api import Page, expect

from assay.core.wire import VerdictRecord
from tests.studio.item_page.conftest import Item, MakeItem, painted, pick, press, saved

pytestmark = [pytest.mark.browser, pytest.mark.soak]


def verdict_of(item: Item, unit: str) -> VerdictRecord:
    found = item.units()[unit].verdict
    assert found is not None
    return found


def chosen(page: Page) -> list[str]:
    return page.locator("#labels .label[aria-pressed=true] .title").all_inner_texts()


def test_each_question_comes_after_the_answer_before_it(make_item: MakeItem) -> None:
    page = make_item().open()
    questions = page.locator("#questions li")
    expect(questions).to_have_count(1)
    questions.nth(0).get_by_role("button", name="Yes").click()
    expect(questions).to_have_count(2)
    press(page, "u", "u")
    expect(questions.last).to_have_attribute("data-question", "contradicted")
    press(page, "Backspace")
    expect(questions.last).to_have_attribute("data-question", "entailed")


def test_question_unfolds_to_its_definition_and_an_example(make_item: MakeItem) -> None:
    page = make_item().open()
    question = page.locator("#questions details").first
    expect(question.locator(".example")).to_be_hidden()
    question.locator("summary").click()
    expect(question.locator(".example")).to_contain_text("states no fact")
    press(page, "y")  # it stays open when the next question comes
    expect(page.locator("#questions details").first.locator(".example")).to_be_visible()


def test_label_that_contradicts_the_answers_says_why(make_item: MakeItem) -> None:
    item = make_item()
    page = item.open()
    press(page, "y", "u", "y", "y", "2")  # explicitly supported by the answers; fabricated chosen
    assert chosen(page) == ["Fabricated"]
    expect(page.locator("#follows")).to_contain_text("Explicitly supported")
    expect(page.locator("#problems")).to_contain_text(
        "Fabricated means that the source does not entail it, but the answer is that the "
        "source entails it."
    )
    expect(page.locator("#questions li.wrong")).to_have_count(1)
    press(page, "7")
    expect(page.locator("#problems li")).to_have_count(0)


def test_label_chosen_directly_can_answer_the_questions(make_item: MakeItem) -> None:
    item = make_item()
    page = item.open()
    press(page, "6")
    expect(page.locator("#problems")).to_have_text(  # one calm line, nothing in red
        "4 answers are still open: press i to fill them in."
    )
    expect(page.locator("#problems .calm")).to_have_count(1)
    expect(page.locator("#questions .wrong")).to_have_count(0)
    press(page, "i")
    expect(page.locator("#problems li")).to_have_count(0)
    saved(page)
    answers = verdict_of(item, "s1").answers
    assert answers is not None
    assert (answers.states_fact, answers.entailed, answers.explicit) == (True, True, False)


def test_fabricated_leaves_the_question_that_somebody_has_to_look_up(make_item: MakeItem) -> None:
    page = make_item().open(width=1280, height=800)
    press(page, "2", "i")
    question = page.locator("#questions .asked")
    expect(question).to_have_attribute("data-question", "entailed_with_knowledge")
    expect(question).to_be_in_viewport(ratio=0.99)
    expect(page.locator("#follows")).to_have_text(
        "Fabricated is chosen. The last question stays open: somebody has to look it up."
    )
    expect(page.locator("#problems")).to_have_text(
        "1 answer is still open. Needed: a passage (e) or the tick that there is none (0), "
        "a reason (w)."
    )
    body, asked = page.locator(".side .body").bounding_box(), question.bounding_box()
    assert body is not None and asked is not None  # noqa: PT018
    assert asked["y"] + asked["height"] <= body["y"] + body["height"] + 1  # nothing covers it
    press(page, "u")
    expect(page.locator("#follows")).to_have_text("Fabricated follows from your answers.")


def test_v_goes_to_what_a_reading_means(make_item: MakeItem) -> None:
    page = make_item().open()
    press(page, "y", "y", "v")
    page.keyboard.type("The official opening")
    press(page, "Escape", "v")
    page.keyboard.type("The opening to traffic")
    fields = page.locator(".reading textarea")
    expect(fields.nth(0)).to_have_value("The official opening")
    expect(fields.nth(1)).to_have_value("The opening to traffic")


def test_unfinished_work_is_not_submitted_and_the_list_jumps(make_item: MakeItem) -> None:
    item = make_item()
    item.expected.append("422")
    page = item.open()
    press(page, "y", "u", "y", "y", "Control+Enter")
    dialog = page.locator("#unfinished")
    expect(dialog.locator("#unfinished-title")).to_have_text(
        "Not submitted yet: 2 things to finish"
    )
    dialog.get_by_role("button", name="Sentence 3").click()
    assert painted(page, "current") == ["I hope this helps!"]
    work = item.view().work
    assert work is not None
    assert work.state == "open"


def test_whole_item_by_keyboard_alone(make_item: MakeItem) -> None:
    item = make_item()
    page = item.open()
    press(page, "y", "u", "y", "y", "j")  # s1: explicitly supported
    press(page, "y", "u", "u", "y", "x")  # s2: contradicting; over to the source
    press(page, "Control+Home", "ArrowDown", "ArrowDown", "Home", "Shift+End", "e")
    press(page, "w")
    page.keyboard.type("She studied in Zurich; nothing is said of Geneva.")
    press(page, "Escape", "j", "u")  # s3: no fact
    expect(page.locator("#done")).to_have_text("3 of 3 labelled")
    saved(page)
    verdict = verdict_of(item, "s2")
    assert verdict.label == "contradicting"
    assert next(span.text for span in verdict.evidence).startswith("Its chief engineer")
    press(page, "Control+Enter")
    page.wait_for_url(f"**/projects/{item.slug}")
    work = item.view().work
    assert work is not None
    assert work.state == "submitted"


def test_evidence_is_attached_by_the_mouse_shown_and_removed(make_item: MakeItem) -> None:
    item = make_item()
    page = item.open()
    pick(page, "source", "Edith Lang, had studied in Zurich")
    page.get_by_role("button", name="Attach").click()
    expect(page.locator("#evidence q")).to_have_text("Edith Lang, had studied in Zurich")
    assert painted(page, "evidence") == ["Edith Lang, had studied in Zurich"]
    saved(page)
    (span,) = verdict_of(item, "s1").evidence
    assert item.view().example.source.text[span.start : span.end] == span.text
    page.get_by_role("button", name="Remove evidence 1").click()
    expect(page.locator("#evidence li")).to_have_count(0)
    press(page, "0")
    saved(page)
    attributes = verdict_of(item, "s1").attributes
    assert attributes is not None
    assert attributes.nothing_found


def test_readings_with_their_own_labels_make_it_ambiguous(make_item: MakeItem) -> None:
    item = make_item()
    page = item.open()
    press(page, "y", "y")  # a fact, with several readings
    cards = page.locator(".reading")
    expect(cards).to_have_count(2)
    cards.nth(0).locator("textarea").fill("The official opening")
    cards.nth(0).locator("textarea").blur()
    press(page, "y", "y", "y")  # the first reading: explicitly supported
    cards.nth(1).locator("textarea").fill("The opening to traffic")
    cards.nth(1).locator("textarea").blur()
    press(page, "y", "u", "y")  # the second: contradicting
    assert chosen(page) == ["Ambiguous"]
    saved(page)
    verdict = verdict_of(item, "s1")
    assert [(each.label, each.meaning) for each in verdict.interpretations] == [
        ("explicitly-supported", "The official opening"),
        ("contradicting", "The opening to traffic"),
    ]


@pytest.mark.parametrize("wait", [0, 700])
def test_click_after_typing_a_meaning_answers_the_reading(make_item: MakeItem, wait: int) -> None:
    page = make_item().open()  # a complaint of the browser (endless recursion) fails the test
    press(page, "y", "y")
    card = page.locator(".reading").nth(1)
    card.locator("textarea").click()
    page.keyboard.type("The opening to traffic")
    page.wait_for_timeout(wait)
    card.get_by_role("button", name="Yes").click(delay=150)
    expect(card.locator("[aria-pressed=true]")).to_have_count(1)
    press(page, "Tab", "Tab", "Tab")
    expect(card.locator("textarea")).to_have_value("The opening to traffic")


def test_click_after_typing_a_reason_is_not_lost(make_item: MakeItem) -> None:
    page = make_item().open()
    press(page, "2", "i", "w")
    page.keyboard.type("Nothing is said of it.")
    answer = page.locator("#questions li").last.get_by_role("button", name="No")
    answer.click(delay=700)  # what was typed is saved while the button is held
    expect(page.locator("#questions li").last.locator("[aria-pressed=true]")).to_have_count(1)
    expect(page.locator("#note")).to_have_value("Nothing is said of it.")


def test_n_steps_through_passages_while_a_question_is_open(make_item: MakeItem) -> None:
    page = make_item().open()
    expect(page.locator("#related-told")).to_contain_text("found")
    press(page, "n")
    expect(page.locator("#related-told")).to_contain_text(" of ")
    expect(page.locator("#questions [aria-pressed=true]")).to_have_count(0)
    press(page, "u")
    assert chosen(page) == ["No fact"]


def test_split_and_merge_keep_the_verdict_and_can_be_undone(make_item: MakeItem) -> None:
    item = make_item()
    page = item.open()
    press(page, "j", "1")
    press(page, *["Control+ArrowRight"] * 5, "s")  # inside the second sentence
    expect(page.locator("#strip [role=option]")).to_have_count(4)
    saved(page)
    units = item.units()
    halves = [unit for unit in units.values() if unit.verdict]
    assert sorted(unit.id for unit in halves) == ["s2", "s4"]
    assert {unit.verdict.label for unit in halves if unit.verdict} == {"contradicting"}
    assert " ".join(unit.text for unit in sorted(halves, key=lambda u: u.start or 0)) == (
        "It was designed by Edith Lang, who lived in Geneva."
    )
    press(page, "m")
    saved(page)
    assert item.units()["s2"].text == "It was designed by Edith Lang, who lived in Geneva."
    press(page, "Control+z", "Control+z")
    expect(page.locator("#strip [role=option]")).to_have_count(3)
    saved(page)
    work = item.view().work
    assert work is not None
    assert len(work.units) == 3


def test_undo_and_redo_go_through_every_edit(make_item: MakeItem) -> None:
    item = make_item()
    page = item.open()
    press(page, "y", "u", "w")
    page.keyboard.type("Because")
    press(page, "Control+z")
    expect(page.locator("#note")).to_have_value("")
    press(page, "Control+z")
    expect(page.locator("#questions li")).to_have_count(2)
    press(page, "Control+Shift+z", "Control+Shift+z")
    expect(page.locator("#note")).to_have_value("Because")
    saved(page)
    assert verdict_of(item, "s1").note == "Because"


def test_merge_with_an_unlabelled_sentence_keeps_the_label(make_item: MakeItem) -> None:
    item = make_item()
    page = item.open()
    press(page, "2", "m")
    saved(page)
    assert verdict_of(item, "s1").label == "fabricated"
    assert item.units()["s1"].text.endswith("Geneva.")
