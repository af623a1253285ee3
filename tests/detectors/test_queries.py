"""What is searched for when a sentence is looked up."""

import pytest

from assay.core.examples import Example
from assay.core.texts import Response, Source
from assay.detectors.queries import search_query
from assay.text.units import find_sentences

GOLF = "At Augusta, Jack Nicklaus hit an ace. The crowd cheered Nicklaus, who wore green."


def queries(response: str, source: str = GOLF) -> list[str]:
    example = Example("1", Source(source), Response(response))
    return [search_query(unit, example) for unit in find_sentences(response)]


def test_a_pronoun_is_searched_for_with_the_name_that_it_stands_for() -> None:
    response = "It was a good day for Nicklaus. He has won the Masters six times."
    assert queries(response)[1] == "He has won the Masters six times. Jack Nicklaus"


def test_without_a_name_before_it_the_name_that_the_source_names_most_is_taken() -> None:
    source = "The host thanked Lena Voss. Then Otto Rasch left, and Lena Voss stayed."
    assert queries("She is an engineer.", source) == ["She is an engineer. Lena Voss"]


def test_a_short_name_is_searched_for_in_full() -> None:
    assert queries("Many people like Nicklaus.") == ["Many people like Nicklaus. Jack Nicklaus"]


@pytest.mark.parametrize(
    "sentence", ["Today Jack Nicklaus won again.", "In 1963 the youngest winner was Jack Nicklaus."]
)
def test_a_sentence_with_its_names_in_full_is_searched_for_as_it_is(sentence: str) -> None:
    assert queries(sentence) == [sentence]


def test_no_name_anywhere_leaves_the_sentence() -> None:
    assert queries("He won.", "a man won a race .") == ["He won."]
