"""Words of a sentence that its evidence does not contain, and where they stand."""

from hypothesis import given
from hypothesis import strategies as st

from assay.text.differences import align_with, find_absent

EVIDENCE = ["Goods may be returned within 30 days of delivery.", "Ada Berg owns the shop."]


def absent(sentence: str, *passages: str, language: str = "en") -> list[str]:
    return [
        sentence[start:end] for start, end in find_absent(sentence, passages or EVIDENCE, language)
    ]


def test_words_numbers_and_names_that_no_passage_has_are_found() -> None:
    assert absent("A lamp may be returned within 60 days.") == ["lamp", "60"]
    assert absent("Bo Berg owns the shop.") == ["Bo Berg"]


def test_other_forms_and_spellings_of_a_word_are_there() -> None:
    assert absent("Return goods within thirty days.") == []


def test_each_place_of_an_absent_word_is_found() -> None:
    assert absent("A lamp is a lamp.") == ["lamp", "lamp"]


def test_places_count_from_the_beginning_even_behind_a_list_marker() -> None:
    assert find_absent("1. Goods cost money.", EVIDENCE) == [(9, 13), (14, 19)]


def test_what_is_marked_is_what_the_alignment_misses() -> None:
    sentence = "On 3 May 2020 Bo paid 12 million for 30 goods."
    missing = align_with(sentence, EVIDENCE).missing
    assert missing
    assert all(any(word in place for place in absent(sentence)) for word in missing)


@given(st.text(alphabet="ab 1.,-\n😀éA'’", max_size=40), st.text(alphabet="ab 1A", max_size=20))
def test_ranges_are_in_order_inside_the_sentence_and_apart(sentence: str, passage: str) -> None:
    ends = [0, *(each for found in find_absent(sentence, [passage]) for each in found)]
    assert ends == sorted(ends)
    assert ends[-1] <= len(sentence)
    assert all(start < end for start, end in find_absent(sentence, [passage]))
