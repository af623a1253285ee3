"""Other looks of an item: nothing that matters is gone, and where it came from is remembered."""

from dataclasses import replace
from random import Random

import pytest

from training import looks, made
from training.items import CONTRADICTED, ENTAILED, Item, Sentence
from training.prepare import LOOKS, in_other_looks

pytestmark = pytest.mark.soak

TEXT = (
    "The ferry leaves at nine. It takes 45 minutes to the island. Dogs travel free.\n\n"
    "In winter there is one crossing a day, and none on Sundays."
)
PASSAGES = "passage 1: The gate opens at nine.\n\npassage 2: The gate shuts at five."
ITEM = Item(
    "written-answers",
    TEXT,
    (Sentence("The ferry leaves at nine.", ENTAILED), Sentence("Dogs pay.", CONTRADICTED)),
    "When does it leave?",
)


def letters(text: str) -> str:
    return "".join(text.lower().split())


@pytest.mark.parametrize("look", [looks.lowered, looks.wrapped, looks.padded, looks.unwrapped])
def test_look_changes_case_and_white_space_only(look: looks.Look) -> None:
    shown = [look(TEXT, Random(seed)) for seed in range(12)]
    assert any(text != TEXT for text in shown)
    assert all(letters(text) == letters(TEXT) for text in shown)


def test_wrapped_text_keeps_its_paragraphs() -> None:
    shown = looks.wrapped(TEXT, Random(1))
    assert shown.count("\n\n") == 1
    assert max(map(len, shown.split("\n"))) <= 96


def test_list_has_one_entry_for_each_sentence() -> None:
    text = TEXT.split("\n\n")[0]
    shown = looks.as_list(text, Random(2)).split("\n")
    assert len(shown) == 3
    assert all(part in line for part, line in zip(text.split(". "), shown, strict=True))
    assert looks.as_list(TEXT, Random(2)) == TEXT


def test_markdown_leaves_every_word() -> None:
    for seed in range(10):
        shown = looks.marked_down(TEXT, Random(seed))
        assert shown != TEXT
        assert letters(shown.replace("**", "")).endswith(letters(TEXT))


def test_passages_change_places_with_their_numbers() -> None:
    shown = {looks.reordered(PASSAGES, Random(seed)) for seed in range(10)}
    first, second = PASSAGES.split("\n\n")
    assert shown == {PASSAGES, f"{second}\n\n{first}"}
    assert looks.reordered(TEXT, Random(1)) == TEXT


def test_distracted_source_is_still_there() -> None:
    others = ["Bees swarm in May.", "Rome fell.", "Tea is drunk hot."]
    for seed in range(10):
        shown = looks.distracted(TEXT, others, Random(seed))
        assert TEXT in shown
        assert any(other in shown for other in others)


def test_restated_sentence_is_asked_and_names_keep_their_capital() -> None:
    for seed in range(30):
        shown = looks.restated("Berlin lies on the Spree in the east.", Random(seed))
        assert "Berlin lies on the Spree in the east" in shown
        told = ("Explain", "Please", "True or false")
        assert "?" in shown or shown.startswith(told) or shown.endswith("Please explain.")
        lower = looks.restated("The river flows to the north.", Random(seed))
        assert "he river flows to the north" in lower
    assert looks.restated("Is this a question?", Random(1)) == ""
    assert looks.restated("- an entry", Random(1)) == ""


def test_question_goes_or_becomes_another() -> None:
    found = {looks.asked(ITEM, Random(seed)).question for seed in range(40)}
    assert "" in found
    assert ITEM.question not in found
    assert any("ferry leaves at nine" in question for question in found)


def test_varied_item_keeps_sentences_and_remembers_its_source() -> None:
    for seed in range(60):
        item = looks.varied(ITEM, ["Bees swarm in May."], Random(seed), "looks-written")
        assert item.sentences == ITEM.sentences
        assert item.origin == TEXT
        assert (item.source, item.question) != (TEXT, ITEM.question)
        again = looks.varied(item, [], Random(seed), "looks-written")
        assert again.origin == TEXT


def test_only_named_groups_are_shown_in_other_looks() -> None:
    items = [ITEM, replace(ITEM, group="ragtruth-qa"), replace(ITEM, group="fever")]
    found = list(looks.looks_of(items, [], {"ragtruth": 1.0, "written": 0.0}, Random(1)))
    assert [item.group for item in found] == ["looks-ragtruth"]
    assert LOOKS["ragtruth"] == 1.0
    assert list(in_other_looks(items)) == list(in_other_looks(items))


def test_copied_item_remembers_the_source_before_sentences_were_taken_out() -> None:
    source = " ".join(f"The harbour of bay {n} has had boats since the war." for n in range(9))
    made_items = [made.copied(source, Random(seed)) for seed in range(20)]
    assert all(item is not None and item.origin == source for item in made_items)
    assert any(item is not None and item.source != source for item in made_items)
