"""What others make of `discourse`: votes, folds, the response, and the document."""

from hypothesis import given
from hypothesis import strategies as st

from assay.core.codec import read_judgement, verify, write_judgement
from assay.core.results import Result
from assay.detectors.combinators.fold import fold
from assay.detectors.combinators.vote import vote
from assay.llm.client import Scripted
from tests.detectors.discourse.cases import CASES, Case
from tests.detectors.discourse.scripts import (
    GOOD,
    Model,
    entry,
    example,
    hangs_under_its_sentence,
    hear,
    open_discourse,
    taken_apart,
    verdict,
)
from tests.judging import judge_one

TEXT = "The ferry closed because the quay was wet."
FERRY = example("The ferry was closed as the quay was wet.", TEXT)
TWO = taken_apart(
    ((1, "The ferry closed.", "The ferry closed"), (1, "The quay was wet.", "the quay was wet")),
    ((2, 1, "cause", "because"),),
)
ONE = taken_apart(((1, TEXT, TEXT),))
BAD = entry("fabricated", "fabricated-link")


def test_judges_that_find_different_claims_vote_on_the_sentences() -> None:
    first = open_discourse(Scripted(Model(TWO, [GOOD] * 2, [BAD])))
    second = open_discourse(Scripted(Model(ONE, [GOOD])))
    [finding] = judge_one(vote(first, first, second), FERRY).findings
    sentence = verdict(finding)
    assert (str(sentence.label), str(sentence.error)) == ("fabricated", "fabricated-link")
    assert sentence.note.startswith("2 of 3 agree.")


def test_response_is_judged_by_its_sentences_and_not_by_a_part_that_could_not_be_used() -> None:
    twice = taken_apart(
        (
            (1, "The ferry closed.", "The ferry closed"),
            (1, "The quay was wet.", "the quay was wet"),
        ),
        ((2, 1, "cause", "because"), (2, 1, "cause", "because")),
    )
    model = Model(twice, [GOOD] * 2, [GOOD])
    result = Result(FERRY, hear(model, FERRY))
    assert len(result.failures) == 1
    assert result.response.verdict
    assert result.coverage == 1
    [folded] = judge_one(fold(open_discourse(Scripted(model))), FERRY).findings
    assert folded.verdict


def test_part_that_names_no_sentence_does_not_count_for_the_response() -> None:
    stray = taken_apart(((1, TEXT, TEXT), (7, "The ferry closed.", "The ferry closed")))
    result = Result(FERRY, hear(Model(stray, [GOOD]), FERRY))
    assert [(each.id, each.unit.parent) for each in result.judgement.parts] == [
        ("s1.c1", "s1"),
        ("s1.c2", "s1"),
    ]
    assert result.response.verdict
    assert result.coverage == 1


def test_relation_is_written_with_the_ids_of_its_claims_and_its_cue() -> None:
    judgement = read_judgement(write_judgement(hear(Model(TWO, [GOOD] * 2, [BAD]), FERRY)))
    relation = judgement.by_id["s1.r1"]
    assert relation.link is not None
    assert relation.link.cue is not None
    assert (relation.link.name, relation.link.cue.text) == ("cause", "because")
    assert judgement.by_id[relation.link.first].text == "The quay was wet."


def model_for(case: Case, bad: set[int]) -> Model:
    """One that takes the case apart, and finds some of its parts fabricated."""
    count = len(case.claims)
    said = [BAD if n in bad else GOOD for n in range(count + len(case.links))]
    return Model(taken_apart(case.claims, case.links), said[:count], said[count:])


@given(st.sampled_from(CASES), st.sets(st.integers(0, 5)))
def test_parts_hang_under_their_own_sentences_after_writing_and_reading(
    case: Case, bad: set[int]
) -> None:
    subject = example(case.source, case.response)
    judgement = hear(model_for(case, bad), subject)
    again = read_judgement(write_judgement(judgement))
    assert again == judgement
    assert verify(again, subject) == judgement
    assert {each.id for each in again.counted} == {
        each.id for each in again.findings if each.kind == "sentence"
    }
    assert all(hangs_under_its_sentence(each.unit, again) for each in again.parts)
