"""From parts to the sentence: links to wrong claims, readings, errors, and the tree's answers."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.consistency import contradictions
from assay.core.decision import NOT_CONSULTED, Answers, Interpretation, Sense
from assay.core.judgements import Finding
from assay.core.taxonomies import ERROR5, GRAY7
from assay.core.units import Link, Unit
from assay.core.verdicts import Verdict
from assay.detectors.discourse.folding import MOST_READINGS, fold_sentence
from assay.detectors.discourse.parts import Parts
from assay.report.pages.badges import note_of
from tests.detectors.discourse.scripts import (
    GOOD,
    Claim,
    Model,
    entry,
    example,
    hear,
    of_kind,
    taken_apart,
    verdict,
)
from tests.detectors.discourse.scripts import (
    Link as LinkRow,
)

SOURCE = "The dam broke. The road was closed. The school stayed open."
RESPONSE = "The dam burst in May. Therefore, the road was closed. The school stayed open."
CLAIMS: tuple[Claim, ...] = (
    (1, "The dam burst in May.", "The dam burst in May"),
    (2, "The road was closed.", "the road was closed"),
    (3, "The school stayed open.", "The school stayed open"),
)
DAM: LinkRow = (1, 2, "cause", "Therefore")
LINK = entry("fabricated", "fabricated-link")


def told(*said: dict[str, Any], link: dict[str, Any] = LINK) -> list[Verdict]:
    """The verdicts on the sentences, whose claims the model finds so, and on the relation."""
    judgement = hear(
        Model(taken_apart(CLAIMS, (DAM,)), list(said), [link]), example(SOURCE, RESPONSE)
    )
    findings = (*of_kind(judgement, "sentence"), *of_kind(judgement, "relation"))
    return [verdict(each) for each in findings]


@pytest.mark.parametrize("link", [LINK, entry("contradicting"), entry("out-dependent")])
def test_link_to_a_wrong_claim_of_another_sentence_does_not_count(link: dict[str, Any]) -> None:
    first, second, _, relation = told(entry("contradicting"), GOOD, GOOD, link=link)
    assert [str(each.label) for each in (first, second)] == [
        "contradicting",
        "explicitly-supported",
    ]
    assert (second.error, relation.error) == (None, None)
    assert str(relation.label) == link["label"]
    why = "“The dam burst in May.” in another sentence is contradicting."
    assert why in relation.note
    assert why in second.note


def test_wrong_link_between_right_claims_of_two_sentences_counts_for_the_later() -> None:
    first, second, _, relation = told(GOOD, GOOD, GOOD)
    assert str(first.label) == "explicitly-supported"
    assert (str(second.label), str(second.error)) == ("fabricated", "fabricated-link")
    assert str(relation.error) == "fabricated-link"


def test_link_to_a_wrong_claim_that_has_no_verdict_leaves_its_sentence_alone() -> None:
    split = taken_apart(CLAIMS, (DAM,))
    off_menu = entry("splendid")
    model = Model(split, [entry("fabricated"), GOOD, GOOD], [off_menu, GOOD])
    judgement = hear(model, example(SOURCE, RESPONSE))
    assert of_kind(judgement, "relation")[0].failure
    assert str(of_kind(judgement, "sentence")[1].label) == "explicitly-supported"


def test_wrong_link_between_right_claims_gives_the_error_beside_a_plainly_wrong_claim() -> None:
    text = "The road was closed because the dam broke, and the school burnt."
    claims: tuple[Claim, ...] = (
        (1, "The road was closed.", "The road was closed"),
        (1, "The dam broke.", "the dam broke"),
        (1, "The school burnt.", "the school burnt"),
    )
    model = Model(
        taken_apart(claims, ((2, 1, "cause", "because"),)),
        [GOOD, GOOD, entry("contradicting")],
        [LINK],
    )
    sentence = verdict(hear(model, example(SOURCE, text)).findings[0])
    assert (str(sentence.label), str(sentence.error)) == ("contradicting", "fabricated-link")
    assert "Also contradicting: “The school burnt.”" in sentence.note


TEXT = "The dam broke and the road was closed."
TWO: tuple[Claim, ...] = (
    (1, "The dam broke.", "The dam broke"),
    (1, "The road was closed.", "the road was closed"),
)


def either(*labels: str, **more: Any) -> dict[str, Any]:
    """An ambiguous claim with a reading for each label."""
    readings = [{"meaning": f"reading {n}", "label": each} for n, each in enumerate(labels, 1)]
    return entry("ambiguous", interpretations=readings, **more)


def both(*said: dict[str, Any]) -> Verdict:
    """The verdict on a sentence of two claims."""
    return verdict(hear(Model(taken_apart(TWO), list(said)), example(SOURCE, TEXT)).findings[0])


@pytest.mark.parametrize(
    ("other", "label", "readings"),
    [
        ("explicitly-supported", "ambiguous", ["implicitly-supported", "fabricated"]),
        ("out-dependent", "ambiguous", ["out-dependent", "fabricated"]),
        ("fabricated", "fabricated", ["fabricated", "fabricated"]),
        ("contradicting", "contradicting", ["contradicting", "contradicting"]),
        ("no-fact", "ambiguous", ["implicitly-supported", "fabricated"]),
    ],
)
def test_each_reading_is_folded_over_all_parts(other: str, label: str, readings: list[str]) -> None:
    sentence = both(either("implicitly-supported", "fabricated"), entry(other))
    assert str(sentence.label) == label
    assert [str(each.label) for each in sentence.interpretations] == readings
    assert [each.meaning for each in sentence.interpretations] == ["reading 1", "reading 2"]


def test_readings_that_are_all_alike_give_their_label() -> None:
    sentence = both(GOOD, either("fabricated", "fabricated"))
    assert str(sentence.label) == "fabricated"


def test_readings_of_two_claims_are_combined() -> None:
    sentence = both(
        either("explicitly-supported", "fabricated"), either("out-dependent", "contradicting")
    )
    assert [(str(each.label), each.meaning) for each in sentence.interpretations] == [
        ("out-dependent", "reading 1; reading 1"),
        ("contradicting", "reading 1; reading 2"),
        ("fabricated", "reading 2; reading 1"),
        ("contradicting", "reading 2; reading 2"),
    ]
    assert str(sentence.label) == "ambiguous"


def test_many_readings_are_one_for_each_label() -> None:
    many = either(*["explicitly-supported", "fabricated"] * 3)
    found = [str(each.label) for each in both(many, many).interpretations]
    assert sorted(found) == ["explicitly-supported", "fabricated"]
    assert MOST_READINGS < 36


@pytest.mark.parametrize("label", ["out-dependent", "ambiguous"])
def test_error_of_a_claim_that_is_not_plainly_wrong_is_kept(label: str) -> None:
    readings = ("explicitly-supported", "fabricated")
    said = (
        either(*readings, error="semantic-reframing")
        if label == "ambiguous"
        else entry(label, "semantic-reframing")
    )
    judgement = hear(Model(taken_apart(TWO), [GOOD, said]), example(SOURCE, TEXT))
    for finding in (judgement.findings[0], of_kind(judgement, "claim")[1]):
        found = verdict(finding)
        assert (str(found.label), str(found.error)) == (label, "semantic-reframing")


def test_error_beside_a_plainly_wrong_claim_is_told_but_is_not_that_of_the_sentence() -> None:
    sentence = both(entry("fabricated"), entry("out-dependent", "semantic-reframing"))
    assert (str(sentence.label), sentence.error) == ("fabricated", None)
    assert "Also out-dependent (semantic-reframing): “The road was closed.”" in sentence.note


def test_claim_without_a_fact_has_no_error() -> None:
    sentence = both(GOOD, entry("no-fact", "hedging-removal"))
    assert (str(sentence.label), sentence.error) == ("explicitly-supported", None)


def test_out_dependent_without_a_look_up_records_no_answer_about_outside_knowledge() -> None:
    sentence = both(GOOD, entry("out-dependent"))
    assert str(sentence.label) == "out-dependent"
    assert sentence.answers is not None
    assert (sentence.answers.entailed, sentence.answers.contradicted) == (False, False)
    assert sentence.answers.entailed_with_knowledge is None
    assert note_of(sentence).endswith(NOT_CONSULTED)


KNOWN = Answers(states_fact=True, entailed=False, contradicted=False, entailed_with_knowledge=True)
labels = st.sampled_from(list(GRAY7))
single = labels.filter(lambda label: label.name != "ambiguous")
errors = st.none() | st.sampled_from(list(ERROR5))


@st.composite
def verdicts(draw: st.DrawFn, unit: str) -> Verdict:
    label, error, is_known = draw(labels), draw(errors), draw(st.booleans())
    count = 4 if label.name == "ambiguous" else 0
    readings = draw(st.lists(single, max_size=count))
    answers = KNOWN if label.name == "out-dependent" and is_known else None
    if readings and is_known:
        senses = tuple(Sense("", KNOWN) for each in readings if each.name == "out-dependent")
        answers = Answers(states_fact=True, several_readings=True, senses=senses)
    shown = tuple(Interpretation(each, f"{unit} {n}") for n, each in enumerate(readings))
    return Verdict(unit, label, answers=answers, interpretations=shown, error=error)


@st.composite
def sentences(draw: st.DrawFn) -> Parts:
    """A sentence of some claims, and relations from each to the next."""
    ids = [f"s1.c{n}" for n in range(1, draw(st.integers(1, 4)) + 1)]
    claims = {id: Unit(id, "claim", f"Claim {id}.", parent="s1") for id in ids}
    found = [Finding(unit, draw(verdicts(id))) for id, unit in claims.items()]
    for n, (first, second) in enumerate(pairwise(ids), 1):
        link = Link("cause", first, second)
        unit = Unit(f"s1.r{n}", "relation", f"cause {n}", parent="s1", link=link)
        said = draw(verdicts(unit.id).filter(lambda each: not each.interpretations))
        found.append(Finding(unit, said))
    return Parts(Unit("s1", "sentence", "A sentence."), tuple(found), claims)


@given(sentences())
def test_answers_of_a_folded_verdict_never_contradict_its_label(parts: Parts) -> None:
    folded = fold_sentence(parts, "model")
    assert isinstance(folded, Verdict)
    assert folded.label is not None
    if folded.answers is None:
        assert folded.label.name == "ambiguous"
        return
    found = contradictions(folded.answers, folded.label)
    if folded.label.name == "out-dependent" and folded.answers.entailed_with_knowledge is None:
        # Nobody looked it up: that alone is open, and it is for the reader to see.
        assert [each.questions for each in found] == [("entailed_with_knowledge",)]
    else:
        assert found == []


@given(sentences())
def test_label_is_that_of_all_readings_or_they_differ(parts: Parts) -> None:
    folded = fold_sentence(parts, "model")
    found = (
        {each.label for each in folded.interpretations} if isinstance(folded, Verdict) else set()
    )
    if found:
        assert (folded.label in found) if len(found) == 1 else str(folded.label) == "ambiguous"


@given(sentences())
def test_sentence_is_never_more_faithful_than_its_least_faithful_part(parts: Parts) -> None:
    folded = fold_sentence(parts, "model")
    assert folded.label is not None
    fixed = [
        each.verdict.label
        for each in parts.findings
        if each.verdict
        and each.verdict.label
        and each.verdict.label.name != "no-fact"
        and len(each.verdict.interpretations) < 2
    ]
    if folded.label.name != "ambiguous":
        assert all(folded.label.rank <= each.rank for each in fixed)
    assert isinstance(folded, Verdict)
    assert not (folded.label.coarse == "faithful" and folded.error)
