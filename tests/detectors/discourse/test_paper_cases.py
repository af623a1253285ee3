"""The paper's own cases: right facts with a wrong link are unfaithful, and the link is named."""

from typing import Any

import pytest

from tests.detectors.discourse.cases import CASES, Case
from tests.detectors.discourse.scripts import (
    GOOD,
    Model,
    entry,
    example,
    hear,
    of_kind,
    taken_apart,
    verdict,
)

# How the part at fault is told to a reader.
NAMED = {
    "the causal link to notability": "The cause relation “because” is fabricated (the cause: The"
    " case matches the usual picture of the disease; the effect: The case is notable).",
    "but as a fabricated contrast": "The contrast relation “but” is fabricated (one thing: Casey"
    " leaves with the money; the other: Casey is confused).",
    "the reason attached to the wrong decision": "The cause relation “due to” is contradicting (the"
    " cause: She was a danger to herself; the effect: She would go to a prison for men).",
    "mostly dropped": "The claim “The decay of the sensor is corrected by hand.” is fabricated.",
    "the realization moved in time": "The temporal relation “Then” is contradicting (the earlier:"
    " She denies having given it; the later: The family realises that her memory is going).",
}
WRONG = [case for case in CASES if case.fault]
RIGHT = [case for case in CASES if not case.fault]


def model(case: Case) -> Model:
    """One that finds everything supported but the part at fault."""
    bad = entry(
        case.label, case.error, evidence=[case.quote], reason="The source links it otherwise."
    )

    def answers(kind: str, count: int) -> list[dict[str, Any]]:
        return [bad if (kind, n) == case.fault else GOOD for n in range(1, count + 1)]

    return Model(
        taken_apart(case.claims, case.links),
        answers("claim", len(case.claims)),
        answers("relation", len(case.links)),
    )


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.name)
def test_right_facts_with_a_discourse_error_are_unfaithful(case: Case) -> None:
    judgement = hear(model(case), example(case.source, case.response))
    sentence = verdict(of_kind(judgement, "sentence")[-1])
    assert (str(sentence.label), str(sentence.error)) == (case.label, case.error)
    assert [span.text for span in sentence.evidence] == [case.quote]
    assert sentence.attributes.backend == "model"


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.name)
def test_the_part_at_fault_is_named_and_the_facts_stay_supported(case: Case) -> None:
    judgement = hear(model(case), example(case.source, case.response))
    assert case.fault is not None
    kind, number = case.fault
    fault = of_kind(judgement, kind)[number - 1]
    sentence = verdict(of_kind(judgement, "sentence")[-1])
    assert sentence.note.startswith(NAMED[case.name])
    others = [each for each in of_kind(judgement, "claim") if each is not fault]
    assert {str(verdict(each).label) for each in others} <= {"explicitly-supported"}


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case.name)
def test_faithful_counterparts_stay_faithful(case: Case) -> None:
    judgement = hear(model(case), example(case.source, case.response))
    assert {str(verdict(each).label) for each in judgement.findings} == {"explicitly-supported"}
    assert all(verdict(each).error is None for each in judgement.findings)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_spans_of_all_units_are_exact_and_cues_are_where_they_stand(case: Case) -> None:
    judgement = hear(model(case), example(case.source, case.response))
    for unit in judgement.units:
        assert unit.spans
        assert all(span.verify(case.response) for span in unit.spans)
    links = [each.unit.link for each in of_kind(judgement, "relation")]
    cues = [link.cue.text if link and link.cue else "" for link in links]
    assert cues == [cue for *_, cue in case.links]


def test_relation_across_sentences_stands_with_the_later_one() -> None:
    case = next(each for each in CASES if each.name == "the realization moved in time")
    judgement = hear(model(case), example(case.source, case.response))
    ids = [each.id for each in judgement.findings]
    assert ids == ["s1", "s1.c1", "s1.c2", "s1.r1", "s2", "s2.c1", "s2.r1"]
    link = judgement.by_id["s2.r1"].link
    assert link is not None
    assert (link.first, link.second) == ("s1.c2", "s2.c1")
