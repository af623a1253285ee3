"""One answer and what a rule says of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.app.answers import AnswerCheck, CheckedAnswer, _cut
from assay.core.errors import InputError, ServiceError
from assay.core.examples import Example
from assay.core.texts import Response, Source

CHECK = AnswerCheck.by("unfaithful", {"detector": "embedded"})


def checked(response: str, source: object = "Ada was born in 1815.") -> CheckedAnswer:
    return CHECK.check(CHECK.read({"source": source, "response": response}))


def test_three_outcomes_are_kept_apart() -> None:
    said = [checked(each) for each in ("Ada was born in 1815.", "Ada was born in 1852.", "")]
    assert [each.passed for each in said] == [True, False, None]
    assert [each.score is None for each in said] == [False, False, True]


def test_answer_that_states_no_fact_passes_without_a_score() -> None:
    said = checked("Hello!")
    assert (said.passed, said.score, said.unjudged) == (True, None, "")


def test_partly_judged_answer_has_no_score() -> None:
    said = checked("Ada was born in 1815.\n\nDie Fähre fährt seit 1986 jeden Abend über das Meer.")
    assert (said.passed, said.score) == (None, None)
    assert said.unjudged.startswith("language: ")


def test_service_that_failed_is_the_reason_for_no_verdict() -> None:
    example = Example("1", Source("a"), Response("b"))
    said = CheckedAnswer(example, None, error=ServiceError("the key is wrong"))
    assert (said.passed, said.score, said.unjudged) == (None, None, "the key is wrong")


def test_many_answers_keep_their_order_with_those_that_cannot_be_read() -> None:
    texts = ["Ada was born in 1852.", "", "Ada was born in 1815."]
    rows = [CHECK.read({"source": "Ada was born in 1815.", "response": each}) for each in texts]
    assert [each.passed for each in CHECK.check_all(rows)] == [False, None, True]


def test_missing_field_raises_and_an_empty_one_does_not() -> None:
    with pytest.raises(InputError, match="no source"):
        CHECK.read({"response": "Ada."})
    assert checked("Ada.", source=[]).unjudged.endswith("the source is empty (field 'source')")


def test_language_that_does_not_exist_raises_at_once() -> None:
    with pytest.raises(InputError):
        AnswerCheck.by("unfaithful", {}, language="english please")


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        ("One. Two. Three.", "Two.", "One. Three."),
        ("One. Two.", "Two.", "One."),
        ("- One.\n- Two.\n- Three.", "Two.", "- One.\n- Three."),
        ("1. One.\n2. Two.", "One.", "2. Two."),
        ("One.\n\nTwo.\n\nThree.", "Two.", "One.\n\n\nThree."),
        ("One.", "One.", ""),
    ],
)
def test_sentence_is_cut_with_the_line_that_held_it(text: str, gone: str, left: str) -> None:
    start = text.index(gone)
    assert _cut(text, [(start, start + len(gone))]) == left


@given(st.text(alphabet="ab. \n-1", max_size=40), st.data())
def test_what_is_left_was_there_before(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    left = _cut(text, [(start, end)])
    assert "".join(left.split()) == "" or len(left) <= len(text)
    remaining = iter(text[:start] + text[end:])
    assert all(any(each == other for other in remaining) for each in left)


def test_long_line_is_cut_in_time() -> None:
    assert _cut("- " * 100_000 + "x", [(200_000, 200_001)]) == ""
