"""What keeps a draft from being submitted."""

import pytest
from msgspec.structs import replace

from assay.annotation.items.drafts import draft_of, first_draft, judgement_from, labels_of
from assay.annotation.items.problems import DraftProblem, problems_of
from assay.annotation.settings import ProjectSettings
from assay.core.codec import read_judgement, write_judgement
from assay.core.examples import Annotated
from assay.core.taxonomies import GRAY7
from assay.core.wire import (
    AnswersRecord,
    ExternalRecord,
    InterpretationRecord,
    SenseRecord,
    UnitRecord,
    VerdictRecord,
)
from tests.annotating import EXAMPLES
from tests.annotation.working import answers, quote, span, verdict

TEXT = EXAMPLES[0].response.text
SOURCE = EXAMPLES[0].source.text
PAGE = "https://example.org/cats"
SENTENCE = UnitRecord("s1", "sentence", "It sat.", start=0, end=7)


def lacks(said: VerdictRecord | None) -> list[str]:
    """What a sentence with a verdict lacks: what is missing, or the questions that do not fit."""
    unit = replace(SENTENCE, verdict=said)
    found = problems_of([unit], [unit])["s1"]
    return [_named(each) for each in found]


def _named(problem: DraftProblem) -> str:
    questions = "/".join(problem.questions)
    is_open = problem.missing == "answer"
    return f"{questions} is open" if is_open else problem.missing or questions


def test_a_sentence_needs_a_label() -> None:
    assert lacks(None) == ["label"]
    assert lacks(VerdictRecord(answers=answers("no-fact"))) == ["label"]


@pytest.mark.parametrize("label", ["explicitly-supported", "implicitly-supported", "no-fact"])
def test_answers_that_lead_to_the_label_are_enough(label: str) -> None:
    assert lacks(verdict(label)) == []


@pytest.mark.parametrize("label", [each.name for each in GRAY7 if each.name != "no-fact"])
def test_a_label_without_answers_is_not_finished(label: str) -> None:
    assert "states_fact is open" in lacks(VerdictRecord(label=label))


def test_a_label_that_contradicts_the_answers_is_not_finished() -> None:
    said = replace(verdict("explicitly-supported"), label="no-fact")
    assert lacks(said) == ["states_fact"]


def test_every_question_on_the_way_is_answered() -> None:
    said = verdict("explicitly-supported")
    opened = replace(said, answers=replace(answers("explicitly-supported"), several_readings=None))
    assert lacks(opened) == ["several_readings is open"]


def test_out_dependent_needs_an_address_outside() -> None:
    assert lacks(verdict("out-dependent")) == ["external"]
    assert lacks(verdict("out-dependent", link=PAGE)) == []


@pytest.mark.parametrize("label", ["contradicting", "fabricated"])
def test_unfaithful_needs_evidence_or_that_there_is_none_and_a_reason(label: str) -> None:
    assert lacks(verdict(label)) == ["source", "reason"]
    assert lacks(verdict(label, note="  ", nothing=True)) == ["reason"]
    assert lacks(verdict(label, note="so")) == ["source"]
    assert lacks(verdict(label, note="so", nothing=True)) == []
    assert lacks(replace(verdict(label, note="so"), evidence=[quote(SOURCE, "sat")])) == []


def ambiguous(*senses: tuple[str, str], label: str = "ambiguous") -> VerdictRecord:
    """A verdict with readings, each by its meaning and label."""
    given = AnswersRecord(
        states_fact=True,
        several_readings=True,
        senses=[SenseRecord(meaning, answers(label)) for meaning, label in senses],
    )
    return VerdictRecord(label=label, answers=given)


def test_ambiguous_needs_two_readings_with_different_labels() -> None:
    two = (("the cat", "explicitly-supported"), ("the dog", "fabricated"))
    assert lacks(ambiguous(*two)) == []
    assert lacks(ambiguous(two[0])) == ["several_readings", "meaning"]
    assert lacks(ambiguous(two[0], ("a mat", "explicitly-supported"))) == ["several_readings"]


def test_a_reading_needs_its_meaning_in_words() -> None:
    said = ambiguous(("the cat", "explicitly-supported"), (" ", "fabricated"))
    assert lacks(said) == ["meaning"]


def test_readings_with_one_label_give_the_sentence_that_label() -> None:
    same = (("the cat", "no-fact"), ("the dog", "no-fact"))
    assert lacks(ambiguous(*same, label="no-fact")) == []


def test_the_label_chosen_for_a_reading_follows_from_its_answers() -> None:
    said = ambiguous(("the cat", "explicitly-supported"), ("the dog", "fabricated"))
    chosen = [InterpretationRecord("explicitly-supported"), InterpretationRecord("no-fact")]
    assert lacks(replace(said, interpretations=chosen)) == ["several_readings"]


def test_a_judgement_has_the_readings_with_their_labels() -> None:
    said = ambiguous(("the cat", "explicitly-supported"), ("the dog", "fabricated"))
    unit = replace(SENTENCE, verdict=said)
    made = judgement_from([unit], EXAMPLES[0], ProjectSettings(), "ann", 1, "now")
    assert [(each.meaning, str(each.label)) for each in made.verdicts[0].interpretations] == [
        ("the cat", "explicitly-supported"),
        ("the dog", "fabricated"),
    ]
    assert read_judgement(write_judgement(made)) == made


def test_the_draft_of_a_judgement_leads_to_it_again() -> None:
    spans = [span(TEXT, "slept", "p1", "unwanted.intrinsic", "benign", note="no")]
    first = [replace(each, verdict=verdict("no-fact")) for each in begun("both")]
    units = [*first, *(each.unit for each in spans if each.unit)]
    settings = ProjectSettings(mode="both")
    made = judgement_from(units, EXAMPLES[0], settings, "ann", 1, "now")
    again = draft_of(read_judgement(write_judgement(made)))
    assert judgement_from(again, EXAMPLES[0], settings, "ann", 1, "now") == made


def begun(mode: str) -> list[UnitRecord]:
    """The units with which work begins."""
    return first_draft(Annotated(EXAMPLES[0]), ProjectSettings(mode=mode))  # type: ignore[arg-type]


def marked(*labels: str, **more: str) -> list[str | None]:
    """What a span with some labels lacks."""
    unit = span(TEXT, "slept", "p1", *labels, **more).unit
    assert unit is not None
    return [each.missing for each in problems_of([unit], [unit])["p1"]]


def test_a_span_needs_a_label_and_the_serious_ones_a_reason() -> None:
    assert marked() == ["label"]
    assert marked("benign") == []
    assert marked("questionable") == ["reason"]
    assert marked("unwanted.extrinsic") == ["reason"]
    assert marked("benign", "unwanted") == ["reason"]
    assert marked("unwanted", note="nobody says so") == []


def test_a_link_is_a_reason_too() -> None:
    unit = span(TEXT, "slept", "p1", "unwanted").unit
    assert unit and unit.verdict  # noqa: PT018
    for linked in (
        replace(unit.verdict, evidence=[quote(SOURCE, "sat")]),
        replace(unit.verdict, external=[ExternalRecord(PAGE)]),
    ):
        chosen = replace(unit, verdict=linked)
        assert problems_of([chosen], [chosen])["p1"] == ()


def test_a_nested_span_lies_in_its_parent() -> None:
    outer = span(TEXT, "It slept", "p1", "benign").unit
    inner = span(TEXT, "slept", "p2", "benign", parent="p1").unit
    beside = span(TEXT, "sat", "p3", "benign", parent="p1").unit
    orphan = span(TEXT, "sat", "p4", "benign", parent="p9").unit
    units = [each for each in (outer, inner, beside, orphan) if each]
    found = problems_of(units, units)
    assert {id: [each.missing for each in why] for id, why in found.items()} == {
        "p1": [],
        "p2": [],
        "p3": ["parent"],
        "p4": ["parent"],
    }


def test_a_kind_of_unwanted_stands_for_unwanted() -> None:
    unit = span(TEXT, "slept", "p1", "unwanted", "unwanted.intrinsic", note="no").unit
    assert unit is not None
    assert [str(each) for each in labels_of(unit)] == ["unwanted.intrinsic"]
    made = judgement_from([unit], EXAMPLES[0], ProjectSettings(mode="spans"), "ann", 1, "now")
    assert [str(each.label) for each in made.verdicts] == ["unwanted.intrinsic", "unwanted"]
    assert made.verdicts[0].interpretations == ()
