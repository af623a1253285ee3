"""What is searched for when a sentence is looked up."""

import pytest

from assay.core.examples import Example
from assay.core.texts import Response, Source
from assay.detectors.combinators.queries import search_query
from assay.text.sentences import find_sentences

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


WOODS = "Rory McIlroy met Tiger Woods. Then Jack Nicklaus came. They cheered Nicklaus."


def test_a_name_that_opens_a_sentence_is_a_name() -> None:
    response = "Woods spoke first. He has won the Masters. Nicklaus’s hat fell. The hat was red."
    found = queries(response, WOODS)
    assert found[0] == "Woods spoke first. Tiger Woods"
    assert found[1] == "He has won the Masters. Tiger Woods"
    assert found[2] == "Nicklaus’s hat fell. Jack Nicklaus"
    assert queries("Today people came.", WOODS) == ["Today people came. Rory McIlroy"]


@pytest.mark.parametrize(
    "sentence",
    [
        "It rained in Oslo in 1963.",
        "It has often snowed there.",
        "It is known that Oslo is cold.",
        "It took two days to leave Oslo.",
        "In May it was cold in Oslo.",
        "It's likely that Oslo grows.",
    ],
)
def test_an_it_that_stands_for_nothing_brings_no_name(sentence: str) -> None:
    assert queries(f"Jack Nicklaus won the Masters. {sentence}")[1] == sentence


def test_an_it_that_stands_for_something_brings_its_name() -> None:
    found = queries("The Masters was held. It was sold to a firm. It rained when they left.")
    assert found[1] == "It was sold to a firm. Masters"
    assert found[2] == "It rained when they left. Masters"


def test_a_person_is_nothing_with_an_article() -> None:
    response = "Jack Nicklaus won the Masters. He smiled. It ended."
    assert queries(response)[1:] == ["He smiled. Jack Nicklaus", "It ended. Masters"]
    assert queries("She smiled.", "The Town Hall, the Town Hall: Lena Voss spoke.") == [
        "She smiled. Lena Voss"
    ]
