"""`discourse` heard by others: votes, folds and the response."""

import asyncio

from assay.checking.results import Checked
from assay.core.units import Relation
from assay.core.verdicts import Verdict
from assay.detectors import fold, vote
from assay.detectors.discourse.model import make_discourse
from assay.llm.scripted import Scripted
from tests.detectors.discourse.scripts import GOOD, Model, entry, example, hear, taken_apart

TEXT = "The ferry closed because the quay was wet."
FERRY = example("The ferry was closed as the quay was wet.", TEXT)
TWO = taken_apart(
    ((1, "The ferry closed.", "The ferry closed"), (1, "The quay was wet.", "the quay was wet")),
    ((2, 1, "cause", "because"),),
)
ONE = taken_apart(((1, TEXT, TEXT),))
BAD = entry("fabricated", "fabricated-link")


def test_judges_that_find_different_claims_vote_on_the_sentences() -> None:
    first = make_discourse(Scripted(Model(TWO, [GOOD] * 2, [BAD])))
    second = make_discourse(Scripted(Model(ONE, [GOOD])))
    judgement = asyncio.run(vote(first, first, second).judge(FERRY))
    [sentence] = judgement.outcomes
    assert isinstance(sentence, Verdict)
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
    checked = Checked(hear(model, FERRY))
    assert len(checked.failures) == 1
    assert isinstance(checked.response, Verdict)
    assert checked.coverage == 1
    judge = fold(make_discourse(Scripted(model)))
    assert isinstance(asyncio.run(judge.judge(FERRY)).outcomes[0], Verdict)


def test_relation_is_written_with_its_claims_and_its_cue() -> None:
    checked = Checked(hear(Model(TWO, [GOOD] * 2, [BAD]), FERRY))
    relation = checked.to_dict()["units"][-1]
    assert (relation["name"], relation["cue"]["text"]) == ("cause", "because")
    assert relation["first"]["text"] == "The quay was wet."
    assert isinstance(checked.parts[-1].unit, Relation)
