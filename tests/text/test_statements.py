"""What a sentence states, and what of it is missing from some passages."""

import pytest

from assay.text.statements import align, states_nothing


@pytest.mark.parametrize(
    "sentence",
    [
        "Sure, here is a summary of the article:",
        "Here's the information you asked for.",
        "Let me know if you have questions!",
        "Is the ferry still in service?",
        "## Key points",
        "**Summary**",
        "Thank you.",
        "Yes.",
        "None.",
        "Never.",
        "It is.",
        "It does not.",
        "?!",
        "See https://example.org/ships for more.",
        "For more information, please visit our website: www.example.org.",
        "You can read more at https://example.org/a and https://example.org/b.",
        "```python\nx = 1\n```",
        "```python",
    ],
)
def test_talk_headings_and_questions_state_nothing(sentence: str) -> None:
    assert states_nothing(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Sure, the ferry carried 312 people.",
        "Here is the answer: it sank.",
        "No ferry sails to Vass.",
        "No one was there.",
        "Did it carry 312 people?",
        "**The ferry sank.**",
        "See https://example.org for the sunken ferries.",
        "See the website for more.",
        "```The ferry sank.",
        "```\nThe ferry sank.",
        "```沉船",
    ],
)
def test_a_sentence_with_content_or_a_figure_states_something(sentence: str) -> None:
    assert not states_nothing(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The ferry " + ":" * 100_000 + "x",
        "The ferry " + "?" * 100_000 + "x",
        "# The ferry" + " " * 100_000 + "\nx",
        "Here is " + "answer " * 15_000 + ": the ferry",
        "No " * 30_000 + "to",
    ],
)
def test_hostile_sentences_are_read_in_linear_time(sentence: str) -> None:
    assert not states_nothing(sentence)  # takes minutes if quadratic


def test_alignment_names_what_is_missing() -> None:
    found = align("Ada sold 12 ferries in Vass.", {"sold"}, {"12", "vass"})
    assert found.missing_words == ("Ada", "ferries", "Vass")
    assert (found.figures, found.missing_figures) == (1, ())
    assert found.coverage == pytest.approx(2 / 5)  # sold and 12, of Ada, sold, 12, ferries, Vass


def test_a_figure_written_differently_is_not_missing() -> None:
    assert align("It sold five.", {"sold"}, {"5"}).missing == ()


@pytest.mark.parametrize(
    "note",
    [
        "(Word count: 99) Let me know if you'd like any adjustments!",
        "(Word count: 99)",
        "**Word count:** 112 words",
        "I hope this summary is useful to you.",
        "I hope the overview helps!",
    ],
)
def test_remarks_about_the_response_itself_state_nothing(note: str) -> None:
    assert states_nothing(note)


@pytest.mark.parametrize(
    "fact",
    ["The essay's word count is 400.", "I hope the ferry is safe, Dr Lane told the council."],
)
def test_what_only_looks_like_a_remark_states_something(fact: str) -> None:
    assert not states_nothing(fact)
