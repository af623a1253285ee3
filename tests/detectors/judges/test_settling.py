"""Label, readings, answers and quotes of a reply in gray7, held against the decision tree."""

from itertools import product
from math import log
from typing import Any

import pytest

from assay.core.consistency import contradictions
from assay.core.decision import Answers, Interpretation, Sense, decide
from assay.core.taxonomies import GRAY7
from assay.core.verdicts import Verdict
from assay.detectors.judges.settling import ANSWERS, SHORT_LABELS, read_answers, settle
from assay.llm.client import Reply, Token, Usage
from tests.detectors.judges.scripts import Heard, entries, hear, opinion

TOWN = {"meaning": "the town burned", "label": "fabricated"}
MILL = {"meaning": "the mill burned", "label": "Explicitly Supported"}
PATHS = {
    "no-fact": "no skip skip skip skip",
    "explicitly-supported": "yes yes yes no skip",
    "implicitly-supported": "yes yes no no skip",
    "contradicting": "yes no skip yes skip",
    "out-dependent": "yes no no no yes",
    "fabricated": "yes no no no no",
}


def answers(path: str) -> dict[str, str]:
    return dict(zip(ANSWERS, path.split(), strict=True))


def judged(label: str, **more: Any) -> Heard:
    return hear("judge-gray7", lambda _: opinion(label, **more))


def verdict(label: str, **more: Any) -> Verdict:
    return judged(label, **more).verdict()


@pytest.mark.parametrize(("label", "path"), PATHS.items())
def test_answers_of_the_tree_are_stored_with_the_label(label: str, path: str) -> None:
    heard = judged(label, interpretations=[], **answers(path))
    assert len(heard.requests) == 3  # one for each sentence: nothing was asked again
    stored = heard.verdict().answers
    assert stored is not None
    assert decide(stored).label == heard.verdict().label == GRAY7[label]
    assert stored.several_readings is False
    assert heard.verdict().note == f"I find it {label}."


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("explicit", "explicitly-supported"),
        ("Explicit Support", "explicitly-supported"),
        ("implicit", "implicitly-supported"),
        ("contradicted", "contradicting"),
        ("contradiction: the source says 1978", "contradicting"),
        ("out dependent", "out-dependent"),
        ("NoFact", "no-fact"),
    ],
)
def test_what_models_write_for_a_label_is_read(said: str, label: str) -> None:
    heard = judged(said)
    assert len(heard.requests) == 3
    assert heard.verdict().label == GRAY7[label]


@pytest.mark.parametrize("said", ["supported", "entailed", "not explicit", "explicit or implicit"])
def test_word_that_could_mean_two_labels_is_none(said: str) -> None:
    heard = judged(said)
    assert heard.labels == ["failed: off_menu"] * 3
    assert "contradicted" not in heard.requests[-1].messages[-1].content  # only labels are named


def test_words_of_an_explanation_do_not_count_as_labels() -> None:
    assert (
        verdict("fabricated (nothing contradicts it, and nothing is explicit)").label
        == (GRAY7["fabricated"])
    )


def test_readings_with_short_labels_are_read() -> None:
    readings = [{"meaning": "a", "label": "explicit"}, {"meaning": "b", "label": "contradicted"}]
    found = verdict("ambiguous", interpretations=readings)
    assert [each.label.name for each in found.interpretations] == [
        "explicitly-supported",
        "contradicting",
    ]


def test_no_question_of_the_tree_has_the_name_of_a_label() -> None:
    words = {word for label in GRAY7 for word in label.name.split("-")}
    assert not {*ANSWERS} & {*words, *SHORT_LABELS}


def test_model_that_answers_nothing_is_understood_and_not_asked_again() -> None:
    heard = judged("implicitly-supported")
    assert heard.verdict().answers is None
    assert len(heard.requests) == 3


def test_open_answer_about_outside_knowledge_stays_open() -> None:
    stored = verdict("fabricated", **answers("yes no no no skip")).answers
    assert stored == Answers(True, None, False, False, False, None)


def test_answers_that_contradict_the_label_are_asked_for_again_with_what_contradicts() -> None:
    torn = opinion("fabricated", **answers("yes yes no no skip"))
    good = opinion("implicitly-supported", **answers("yes yes no no skip"))
    heard = hear("judge-gray7", lambda request: good if len(request.messages) > 2 else torn)
    assert heard.labels == ["implicitly-supported"] * 3
    told = next(each for each in heard.requests if len(each.messages) > 2).messages[-1].content
    assert told.startswith(
        "Your reply needs a correction: fabricated means that the source does not entail it, but "
        "the answer is that the source entails it. Reply with JSON only, in this form: "
    )


def test_label_of_a_reply_that_goes_on_contradicting_itself_stays_and_its_answers_go() -> None:
    heard = judged("contradicting", **answers("yes no no no no"))
    assert heard.labels == ["contradicting"] * 3
    assert len(heard.requests) == 6
    assert heard.verdict().answers is None
    assert heard.verdict().note == (
        "I find it contradicting. Its answers to the tree's questions are left out: contradicting "
        "means that the source contradicts it, but the answer is that the source does not "
        "contradict it."
    )


def test_out_dependent_without_a_yes_about_the_world_is_asked_again() -> None:
    heard = judged("out-dependent", **answers("yes no no no skip"))
    assert len(heard.requests) == 6
    assert heard.verdict().answers == Answers(True, entailed=False, contradicted=False)


@pytest.mark.parametrize(
    ("said", "truth"),
    [("yes", True), ("No.", False), ("Yes, it does", True), (True, True), ("FALSE", False)],
)
def test_yes_and_no_are_understood_in_other_forms(said: object, truth: bool) -> None:
    assert read_answers({"states_fact": said}) == Answers(states_fact=truth)


@pytest.mark.parametrize("said", ["skip", "", None, 3, [], "perhaps", "\u00b7" * 100_000])
def test_anything_else_leaves_the_question_open(said: object) -> None:
    assert read_answers({"states_fact": said}) is None


def test_world_counts_only_where_the_tree_comes_to_it() -> None:
    for path in ("no no no no no", "yes yes yes no no", "yes no no yes yes"):
        read = read_answers(answers(path))
        assert read is not None
        assert read.entailed_with_knowledge is None


def test_ambiguous_keeps_each_interpretation_with_its_label_and_answers() -> None:
    found = verdict("ambiguous", interpretations=[TOWN, MILL])
    assert [(str(each.label), each.meaning) for each in found.interpretations] == [
        ("fabricated", "the town burned"),
        ("explicitly-supported", "the mill burned"),
    ]
    assert found.note == "I find it ambiguous."
    assert found.answers == Answers(
        True,
        True,
        senses=(
            Sense("the town burned", Answers(True, entailed=False, contradicted=False)),
            Sense("the mill burned", Answers(True, entailed=True, explicit=True)),
        ),
    )
    assert decide(found.answers).interpretations == found.interpretations


def test_readings_with_the_same_label_are_that_label() -> None:
    found = verdict("ambiguous", interpretations=[TOWN, {**TOWN, "meaning": "a village burned"}])
    assert found.label == GRAY7["fabricated"]
    assert len(found.interpretations) == 2
    assert found.note == (
        "I find it ambiguous. The model calls it ambiguous, but the readings that it names make it "
        "fabricated."
    )


def test_readings_with_different_labels_are_ambiguous_whatever_the_label() -> None:
    found = verdict("fabricated", interpretations=[TOWN, MILL], **answers("yes no no no no"))
    assert found.label == GRAY7["ambiguous"]
    assert len(found.interpretations) == 2
    assert "The model calls it fabricated, but the readings" in found.note


def test_label_that_the_model_does_not_state_has_no_confidence() -> None:
    text = opinion("fabricated", interpretations=[TOWN, MILL])
    reply = Reply(text, Usage(1, 1), tokens=(Token(text, log(0.5)),))
    heard = hear("judge-gray7", lambda _: reply)
    assert heard.verdict().label == GRAY7["ambiguous"]
    assert heard.verdict().confidence is None


@pytest.mark.parametrize("readings", [[], None, [TOWN]])
def test_ambiguous_without_two_readings_is_asked_again_and_then_says_so(readings: object) -> None:
    heard = judged("ambiguous", interpretations=readings)
    assert heard.labels == ["ambiguous"] * 3
    assert "at least two readings with different labels" in heard.requests[-1].messages[-1].content
    assert heard.verdict().answers is None
    assert "names no two readings with different labels" in heard.verdict().note


def test_ambiguous_of_a_prompt_that_asks_for_no_readings_is_not_asked_again() -> None:
    heard = judged("ambiguous")
    assert len(heard.requests) == 3
    assert "names no two readings with different labels" in heard.verdict().note


def test_reading_beside_another_label_is_asked_again_and_then_kept_and_told() -> None:
    heard = judged("contradicting", interpretations=[TOWN])
    assert len(heard.requests) == 6
    assert heard.verdict().label == GRAY7["contradicting"]
    assert [each.meaning for each in heard.verdict().interpretations] == ["the town burned"]
    assert "its readings make it fabricated, not contradicting" in heard.verdict().note


def test_reading_with_the_label_of_the_sentence_is_kept() -> None:
    heard = judged("fabricated", interpretations=[TOWN])
    assert len(heard.requests) == 3
    assert len(heard.verdict().interpretations) == 1
    assert heard.verdict().note == "I find it fabricated."


@pytest.mark.parametrize(
    "reading", ["a joke", {"meaning": "a"}, {"meaning": "a", "label": "ambiguous"}, 3]
)
def test_reading_without_a_label_is_left_out_and_told(reading: object) -> None:
    found = verdict("no-fact", interpretations=[reading])
    assert found.label == GRAY7["no-fact"]
    assert found.note == ("I find it no-fact. 1 reading has no label of the menu and is left out.")


def test_what_is_settled_never_contradicts_itself() -> None:
    single = [label for label in GRAY7 if label.name != "ambiguous"]
    choices = [None, (), *([each] for each in single), *product(single, repeat=2)]
    flat = [None, *(read_answers(answers(path)) for path in PATHS.values())]
    for stated, labels, given in product(GRAY7, choices, flat):
        readings = None if labels is None else tuple(Interpretation(each) for each in labels)
        settled = settle(stated, readings, given)
        if settled.answers is not None:
            assert contradictions(settled.answers, settled.label) == []
            assert decide(settled.answers).label == settled.label
        if settled.label != stated:
            assert settled.remark


def test_quote_that_is_not_found_is_noted_and_the_label_and_answers_stay() -> None:
    found = verdict("explicitly-supported", evidence=["in 1988"], **answers("yes yes yes no skip"))
    assert found.label == GRAY7["explicitly-supported"]
    assert found.answers == Answers(True, entailed=True, explicit=True, contradicted=False)
    assert found.evidence == ()
    assert found.note == "I find it explicitly-supported. 1 quote is not in the source."


def test_quote_that_is_not_found_leaves_the_confidence() -> None:
    text = opinion("explicitly-supported", evidence=["in 1988"])
    reply = Reply(text, Usage(1, 1), tokens=(Token(text, log(0.5)),))
    assert hear("judge-gray7", lambda _: reply).verdict().confidence == pytest.approx(0.5)


@pytest.mark.parametrize("label", GRAY7.names)
@pytest.mark.parametrize("quotes", [[], ["in 1988"], ["in 1988", "burned down in 1987"]])
def test_no_label_depends_on_quotes(label: str, quotes: list[str]) -> None:
    assert verdict(label, evidence=quotes).label == GRAY7[label]


DEFINITIONS = "judge-gray7:definitions"
TWO_WAYS = [TOWN, MILL]


@pytest.mark.parametrize(
    ("label", "more"),
    [
        ("ambiguous", {}),
        ("ambiguous", {"interpretations": []}),
        ("ambiguous", {"interpretations": [TOWN, TOWN]}),
        ("ambiguous", {"interpretations": TWO_WAYS}),
        ("fabricated", {"interpretations": TWO_WAYS}),
        ("contradicting", {"interpretations": [TOWN]}),
        ("contradicting", answers("yes yes yes no skip")),
    ],
)
def test_with_definitions_only_the_label_is_as_stated_after_one_call(
    label: str, more: dict[str, Any]
) -> None:
    heard = hear(DEFINITIONS, lambda _: opinion(label, **more))
    assert heard.labels == [label] * 3
    assert len(heard.requests) == 3
    assert len(heard.verdict().interpretations) == len(more.get("interpretations", []))


def test_all_sentences_at_once_have_labels_as_stated_after_one_call() -> None:
    reply = entries(*["ambiguous"] * 3, interpretations=[TOWN])
    heard = hear("judge-gray7:batch,definitions", lambda _: reply)
    assert heard.labels == ["ambiguous"] * 3
    assert len(heard.requests) == 1
