"""Edits of true sentences: what each does, where it does not apply, and which target it gives."""

from collections.abc import Sequence
from random import Random

import pytest

from training import edits
from training.edits import BREAKING, KEEPING, Edit, broken, kept
from training.items import CONTRADICTED, ENTAILED, NEUTRAL, Sentence

pytestmark = pytest.mark.soak

SOURCE = (
    "The ferry left Bergen with 40 passengers.",
    "Ann Carter sold 75 tickets in Oslo.",
    "The harbour was closed on Sunday.",
)
PLAIN = "Snow covered everything."


def outcomes(edit: Edit, sentence: str, source: Sequence[str] = SOURCE) -> set[Sentence | None]:
    return {edit(sentence, source, Random(seed)) for seed in range(60)}


@pytest.mark.parametrize(
    ("edit", "sentence", "edited", "target"),
    [
        (edits.opposite, "Sales rose.", "Sales fell.", CONTRADICTED),
        (edits.opposite, "Fell it did.", "Rose it did.", CONTRADICTED),
        (edits.near, "It took two weeks.", "It took two months.", CONTRADICTED),
        (edits.stronger, "It may rain.", "It will rain.", NEUTRAL),
        (edits.synonym, "The film ended.", "The movie ended.", ENTAILED),
        (edits.synonym, "He died.", "He passed away.", ENTAILED),
        (edits.negate, "He is here.", "He is not here.", CONTRADICTED),
        (edits.negate, "He isn't here.", "He is here.", CONTRADICTED),
        (edits.negate, "He cannot stay.", "He can stay.", CONTRADICTED),
        (edits.number, "It cost 75 euros.", "It cost 40 euros.", CONTRADICTED),
        (edits.other_name, "It left Molde.", "It left Bergen.", CONTRADICTED),
        (
            edits.crossed,
            "We saw Ann Carter beat Tom Reed.",
            "We saw Tom Reed beat Ann Carter.",
            CONTRADICTED,
        ),
        (edits.crossed, "It rose from 40 up to 75.", "It rose from 75 up to 40.", CONTRADICTED),
        (
            edits.as_fact,
            "According to the mayor, the old bridge will have to close.",
            "The old bridge will have to close.",
            NEUTRAL,
        ),
        (
            edits.as_fact,
            "The old bridge will have to close, Carter said.",
            "The old bridge will have to close.",
            NEUTRAL,
        ),
        (
            edits.caused,
            "It snowed.",
            "It snowed because the harbour was closed on Sunday.",
            NEUTRAL,
        ),
        (
            edits.joined,
            "It snowed.",
            "It snowed, while the harbour was closed on Sunday.",
            ENTAILED,
        ),
        (
            edits.shortened,
            "The harbour of the old town was closed on Sunday, which few had expected.",
            "The harbour of the old town was closed on Sunday.",
            ENTAILED,
        ),
    ],
)
def test_edit_does_what_its_name_says(edit: Edit, sentence: str, edited: str, target: int) -> None:
    found = outcomes(edit, sentence)
    assert Sentence(edited, target) in found
    assert {each.target for each in found if each} == {target}


@pytest.mark.parametrize(
    "edit",
    [edits.opposite, edits.near, edits.stronger, edits.synonym, edits.negate, edits.number,
     edits.other_name, edits.crossed, edits.as_fact, edits.shortened],
)  # fmt: skip
def test_edit_gives_nothing_where_it_does_not_apply(edit: Edit) -> None:
    assert outcomes(edit, PLAIN) == {None}


def test_statements_are_joined_with_short_ones_of_the_source_only() -> None:
    for edit in (edits.caused, edits.joined):
        assert outcomes(edit, PLAIN, ["Brief.", "It was " + "very " * 30 + "cold."]) == {None}
        assert outcomes(edit, SOURCE[0], SOURCE[:1]) == {None}
        assert outcomes(edit, PLAIN * 8) == {None}


def test_names_keep_their_capital_in_a_joined_sentence() -> None:
    found = outcomes(edits.joined, "It snowed.", ["Ann Carter sold 75 tickets in Oslo."])
    assert all(each and "Ann Carter sold" in each.text for each in found)


def test_listed_names_do_not_change_places() -> None:
    assert outcomes(edits.crossed, "They met Ann Carter and Tom Reed.") == {None}


def test_figure_of_several_digits_keeps_its_first() -> None:
    texts = {each.text for each in outcomes(edits.number, "It cost 1,234.", []) if each}
    assert len(texts) > 5
    assert all(text.startswith("It cost 1,") and text != "It cost 1,234." for text in texts)


def test_opposites_work_both_ways_but_a_hedge_only_falls() -> None:
    assert outcomes(edits.opposite, "Sales fell.") == {Sentence("Sales rose.", CONTRADICTED)}
    assert outcomes(edits.stronger, "It is proved.") == {None}


def test_broken_sentences_differ_and_are_not_entailed() -> None:
    for seed in range(200):
        made = broken(SOURCE[seed % 3], SOURCE, Random(seed))
        assert made is not None
        assert made.text != SOURCE[seed % 3]
        assert made.target in (NEUTRAL, CONTRADICTED)


def test_kept_sentences_differ_and_are_entailed() -> None:
    made = [kept("Officials said the ferry began late.", SOURCE, Random(s)) for s in range(50)]
    assert {each.target for each in made if each} == {ENTAILED}
    texts = {each.text for each in made if each}
    assert "Authorities said the ferry began late." in texts
    assert "Officials said the ferry started late." in texts
    assert "Officials said the ferry began late." not in texts


def test_nothing_is_made_of_a_sentence_that_no_edit_fits() -> None:
    assert broken(PLAIN, [], Random(1)) is None
    assert kept(PLAIN, [], Random(1)) is None


def test_same_seed_gives_the_same_edit() -> None:
    for make in (broken, kept):
        first = [make(text, SOURCE, Random(seed)) for seed in range(30) for text in SOURCE]
        again = [make(text, SOURCE, Random(seed)) for seed in range(30) for text in SOURCE]
        assert first == again
        assert len(set(first)) > 5


def test_all_edits_are_drawn_from() -> None:
    assert [edit.__name__ for edit, _ in BREAKING] == [
        "number", "other_name", "opposite", "near", "stronger", "negate", "crossed", "as_fact",
        "caused",
    ]  # fmt: skip
    assert [edit.__name__ for edit, _ in KEEPING] == ["synonym", "joined", "shortened"]
