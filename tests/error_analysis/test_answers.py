"""Errors handed to people: written as judgements, decided, and read back."""

from dataclasses import replace

import pytest

from assay.core.codec import read_example, write_example
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.labels import Label
from assay.core.taxonomies import FALSEALARM5, FINAL4, RECHECK3
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Failure, Verdict
from assay.decisions.forms import NOBODY, FormLine
from assay.error_analysis.answers import annotate, with_answers
from assay.error_analysis.error_items import numbered
from assay.error_analysis.explanations import Explained, FalseWords, Question, Statement
from tests.error_analysis.cases import (
    ALARM,
    MODEL,
    PLACE,
    invented,
    missed,
    proposed,
    unexplained,
)
from tests.evaluation.localization.stories import JUDGE, WRECK, unit

ANN = Author("ann", "person")
PROPOSAL = proposed("extrinsic-wrong")
QUESTION = Question("Where did it happen?", "In Vardia.", MODEL)


def written(*explained: Explained) -> Annotated:
    """The example as it is read from the file that people get."""
    (annotated,) = annotate(explained, JUDGE)
    return read_example(write_example(annotated))


def by(annotated: Annotated, author: Author) -> Judgement:
    return next(each for each in annotated.judgements if each.author == author)


def answered(
    annotated: Annotated, label: Label | None, author: Author = ANN, unit: str = "i1"
) -> Annotated:
    """The file with a decision of a person about one error."""
    units = next(each.units for each in annotated.judgements)
    verdict = Verdict(unit, label, score=None if label else 0.5, note="See line 2.")
    return annotated.with_judgements(Judgement(annotated.id, author, units, (verdict,)))


def read_back(annotated: Annotated, *explained: Explained) -> Explained:
    again = read_example(write_example(annotated))
    return with_answers([FormLine(again, "a.jsonl line 3")], list(explained))[0]


def open_error() -> Explained:
    return unexplained([missed()])[0]


def test_file_has_all_that_a_person_needs_and_a_form_for_the_answer() -> None:
    items = numbered([missed(category="extrinsic-correct"), invented(said="It is odd.")])
    known, alarm = unexplained(items)
    annotated = written(known, replace(alarm, proposal=proposed("omission", unit="i2")))
    assert annotated.example == WRECK
    (gold,) = by(annotated, GOLD).findings
    assert (gold.unit, gold.verdict and gold.verdict.error) == (
        replace(PLACE, id="i1"),
        FINAL4["extrinsic-correct"],
    )
    (said,) = by(annotated, JUDGE).findings
    assert (said.unit, said.note) == (replace(ALARM, id="i2"), "It is odd.")
    (proposal,) = by(annotated, MODEL).findings
    assert (str(proposal.label), proposal.note) == ("omission", "Because.")
    assert by(annotated, MODEL).at == "2025-01-01"
    form = by(annotated, NOBODY)  # people may find that the gold itself is wrong
    waiting = Attributes(decision="open")
    assert form.verdicts == (
        Verdict("i1", FINAL4["extrinsic-correct"], attributes=waiting),
        Verdict("i2", FALSEALARM5["omission"], attributes=waiting),
    )
    # The missed addition may get a question, which nobody has written yet.
    ids = [unit.id for unit in form.units]
    assert ids == ["i1", "i1.question", "i1.answer", "i1.words1", "i2"]
    assert form.by_id["i1.question"].text == ""


def test_form_names_an_error_of_which_nothing_is_proposed() -> None:
    form = by(written(open_error()), NOBODY)
    assert (form.units, form.outcomes) == ((replace(PLACE, id="i1"),), ())


def test_form_that_nobody_filled_in_answers_nothing() -> None:
    each = replace(open_error(), proposal=PROPOSAL)
    assert read_back(written(each), open_error()).decided_by == "model"


def test_person_confirms_a_proposal_in_the_form() -> None:
    annotated = written(replace(open_error(), proposal=PROPOSAL))
    form = by(annotated, NOBODY)
    (verdict,) = form.verdicts
    decided = replace(verdict, attributes=Attributes(decision="accepted"))
    others = [each for each in annotated.judgements if each.author != NOBODY]
    filled = replace(form, author=ANN, outcomes=(decided,))
    found = read_back(replace(annotated, judgements=(*others, filled)), open_error())
    assert (str(found.category), found.decided_by) == ("extrinsic-wrong", "people")


def test_answer_of_a_person_overrides_the_model() -> None:
    each = replace(open_error(), proposal=PROPOSAL)
    found = read_back(answered(written(each), FINAL4["intrinsic-alteration"]), open_error())
    assert found.category == FINAL4["intrinsic-alteration"]
    assert (found.decided_by, found.proposal) == ("people", PROPOSAL)
    assert found.answer is not None
    assert (found.answer.author, found.answer.outcome.note) == (ANN, "See line 2.")
    assert read_back(written(found), open_error()) == found


def test_what_a_model_proposed_before_is_kept_without_asking() -> None:
    belief = Statement(Author("p-true m"), Verdict("i1.answer", score=0.8))
    each = replace(open_error(), proposal=PROPOSAL, question=QUESTION, belief=belief)
    annotated = written(each)
    assert by(annotated, belief.author).verdicts == (belief.outcome,)
    found = read_back(annotated, open_error())
    assert (found.proposal, found.question, found.decided_by) == (PROPOSAL, QUESTION, "model")
    assert found.belief is None  # it is asked for anew
    assert read_back(written(found), open_error()) == found


def with_form(annotated: Annotated, author: Author, **texts: str) -> Annotated:
    """The file with the form's question or answer in other words."""
    form = by(annotated, NOBODY)
    units = tuple(
        replace(unit, text=texts.get(unit.id.rpartition(".")[2], unit.text)) for unit in form.units
    )
    others = [each for each in annotated.judgements if each.author != NOBODY]
    filled = replace(form, author=author, units=units)
    return replace(annotated, judgements=(*others, filled))


def true_addition() -> Explained:
    return unexplained([missed(category="extrinsic-correct")])[0]


def test_false_words_that_a_person_chose_are_kept() -> None:
    found = read_back(with_form(written(true_addition()), ANN, words1="in Nordia"), true_addition())
    assert found.false_words == FalseWords(("in Nordia",), ANN)
    assert read_back(written(found), true_addition()).false_words == found.false_words


@pytest.mark.parametrize(
    ("author", "words", "message"),
    [
        (NOBODY, "in Nordia", "i1.words1: it has no author"),
        (ANN, "In  Vardia", "i1.words1: 'In Vardia' is what stands there already"),
    ],
)
def test_false_words_that_cannot_be_used_are_named(
    author: Author, words: str, message: str
) -> None:
    with pytest.raises(InputError, match=f"^a.jsonl line 3: example 'wreck', {message}"):
        read_back(with_form(written(true_addition()), author, words1=words), true_addition())


def test_every_place_of_an_error_needs_false_words() -> None:
    each = unexplained([missed(unit("Two details.", "in Vardia", "silver"), "extrinsic-correct")])[
        0
    ]
    with pytest.raises(InputError, match=r"i1.words2 is empty; each place needs false words"):
        read_back(with_form(written(each), ANN, words1="in Nordia"), each)


def addition() -> Explained:
    return replace(open_error(), proposal=PROPOSAL, question=QUESTION)


def test_question_that_a_person_changes_is_theirs() -> None:
    found = read_back(with_form(written(addition()), ANN, question="Which land?"), open_error())
    assert found.question == Question("Which land?", "In Vardia.", ANN)
    assert read_back(written(found), open_error()) == found


def test_question_that_a_person_leaves_as_it_is_stays_the_model_s() -> None:
    found = read_back(with_form(written(addition()), ANN), open_error())
    assert found.question == QUESTION


@pytest.mark.parametrize(
    ("author", "texts", "message"),
    [
        (NOBODY, {"question": "Which land?"}, "i1.question: it has no author"),
        (ANN, {"question": "Which land?"}, "i1.answer is empty"),
        (ANN, {"answer": "Vardia."}, "i1.question is empty"),
    ],
)
def test_question_that_cannot_be_used_is_named_with_its_line(
    author: Author, texts: dict[str, str], message: str
) -> None:
    each = replace(open_error(), proposal=PROPOSAL)
    with pytest.raises(InputError, match=message) as raised:
        read_back(with_form(written(each), author, **texts), open_error())
    assert str(raised.value).startswith("a.jsonl line 3: example 'wreck'")


def test_what_failed_is_written_and_asked_again() -> None:
    lost = Statement(MODEL, Failure("i1", "parse", "?", "raw"))
    annotated = written(replace(open_error(), proposal=lost))
    assert by(annotated, MODEL).failures == (lost.outcome,)
    assert read_back(annotated, open_error()) == open_error()


def test_only_the_data_says_what_is_gold() -> None:
    before = unexplained([missed(category="extrinsic-correct")])[0]
    assert before.item.key == open_error().item.key
    assert read_back(written(before), open_error()).category is None


@pytest.mark.parametrize("label", RECHECK3.labels, ids=str)
def test_person_may_find_that_it_is_no_error_of_the_detector(label: Label) -> None:
    for each in (open_error(), unexplained([invented()])[0]):
        found = read_back(answered(written(each), label), each)
        assert (found.category, found.decided_by) == (label, "people")


def test_answer_to_the_other_side_is_on_its_menu() -> None:
    each = unexplained([invented()])[0]
    found = read_back(answered(written(each), FALSEALARM5["omission"]), each)
    assert str(found.category) == "omission"


@pytest.mark.parametrize(
    ("author", "label", "message"),
    [
        (NOBODY, FINAL4["extrinsic-wrong"], "the answer has no author"),
        (ANN, FALSEALARM5["omission"], "a missed error is one of .*extrinsic-wrong.*final4"),
        (ANN, None, "the answer is no label"),
    ],
)
def test_answer_that_cannot_be_used_is_named(
    author: Author, label: Label | None, message: str
) -> None:
    given = answered(written(open_error()), label, author)
    with pytest.raises(InputError, match=message) as raised:
        read_back(given, open_error())
    assert str(raised.value).startswith("a.jsonl line 3: example 'wreck', error i1: ")
    assert (raised.value.field, "\n" in str(raised.value)) == ("answers", False)


def test_error_that_is_answered_twice_raises() -> None:
    once = answered(written(open_error()), FINAL4["extrinsic-wrong"])
    twice = answered(once, FINAL4["extrinsic-wrong"], Author("bo", "person"))
    with pytest.raises(InputError, match="is answered twice"):
        read_back(twice, open_error())


def test_all_answers_that_cannot_be_used_are_named_together() -> None:
    unsigned = answered(written(open_error()), FINAL4["extrinsic-wrong"], NOBODY)
    given = answered(unsigned, FALSEALARM5["omission"])
    with pytest.raises(InputError) as raised:
        read_back(given, open_error())
    first, second = str(raised.value).splitlines()
    assert first == (
        "a.jsonl line 3: example 'wreck', error i1: the answer has no author; write a name there"
    )
    assert second.startswith("a.jsonl line 3: example 'wreck', error i1: the answer is omission")


def test_error_that_is_not_found_now_raises() -> None:
    given = written(open_error())
    for other in (missed(ALARM), missed(example=replace(WRECK, id="other"))):
        with pytest.raises(InputError, match="is none of the errors that are found now"):
            read_back(given, unexplained([other])[0])


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        (replace(WRECK, source=Source("Changed.")), "source"),
        (replace(WRECK, response=Response(WRECK.response.text + " Yes.")), "response"),
    ],
)
def test_answers_about_another_text_raise(changed: object, name: str) -> None:
    each = unexplained([missed(example=changed)])[0]  # type: ignore[arg-type]
    with pytest.raises(InputError, match=f"the {name} of example 'wreck' is another text"):
        read_back(written(open_error()), each)


def test_half_a_character_is_written_and_read() -> None:
    item = missed(Unit("i1", "inconsistency", "It says \ud83d."))
    assert read_back(written(*unexplained([item])), *unexplained([item])).item == item
