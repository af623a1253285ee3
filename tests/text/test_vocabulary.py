"""Whether a fact comes from a text: invented names and figures are noticed."""

import pytest

from assay.text.differences import Vocabulary

TEXT = "On 3 May 2020 the Holm ferry carried 1,200 people, as Captain Lund said."


@pytest.mark.parametrize(
    "fact",
    [
        "The ferry carried 1200 people.",
        "Lund is a captain.",
        "The crossing was in May 2020.",
        "The Ferry is called Holm.",
        "Captain Lund said that people were carried.",
    ],
)
def test_fact_in_other_words_comes_from_the_text(fact: str) -> None:
    assert Vocabulary([TEXT]).lacks(fact) == ""


@pytest.mark.parametrize(
    ("fact", "strange"),
    [
        ("The ferry carried 1,300 people.", "'1,300'"),
        ("Captain Berg said so.", "'Captain Berg'"),
        ("The ferry sank slowly.", "'sank', 'slowly'"),
        ("It was so.", "any content word of it"),
    ],
)
def test_fact_with_something_new_is_strange(fact: str, strange: str) -> None:
    assert Vocabulary([TEXT]).lacks(fact) == strange


def test_common_nouns_of_german_are_no_names() -> None:
    vocabulary = Vocabulary(["Die Fähre fuhr nach Holm."], "de")
    assert vocabulary.lacks("Die Fähre fuhr.") == ""
    assert vocabulary.lacks_figures("Das Schiff fuhr nach Holm.") == ""
