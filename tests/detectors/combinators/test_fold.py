"""A detector of units, as a detector of responses."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from assay.core.errors import UnknownNameError
from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.verdicts import Verdict
from assay.detectors.combinators.fold import fold
from assay.detectors.protocol import Detector
from assay.llm.client import Scripted
from tests.detectors.judges.scripts import MILL, RESPONSE, echo, load
from tests.judging import judge_all, judge_one

Make = Callable[..., Example]
Script = Callable[..., Detector]


def test_folded_detector_judges_responses(make_example: Make, scripted: Script) -> None:
    inner = scripted(lambda unit: Verdict(unit.id, GRAY7["fabricated"], 0.5), name="judge")
    judge = fold(inner)
    judgement = judge_one(judge, make_example(response="It sat. It ate."))
    assert [(unit.id, unit.text) for unit in judgement.units] == [("response", "It sat. It ate.")]
    assert judgement.author == judge.author
    assert judge.author.name == "judge worst"
    can = judge.capabilities
    assert (can.unit_kind, can.taxonomy, can.finds_units) == ("response", GRAY7, False)
    assert fold(judge, "any").capabilities.taxonomy == BINARY
    assert judge.stages == (inner,)


def test_unknown_rule_raises_with_the_choices(scripted: Script) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown rule 'median'.* any, mean, worst"):
        fold(scripted(Verdict), "median")  # type: ignore[arg-type]


def test_claims_of_a_judge_are_folded() -> None:
    claims = load("judge-claims", Scripted(echo))
    folded = fold(claims)
    assert folded.prompt_digests == claims.prompt_digests
    assert folded.capabilities.asks_model
    (finding,) = judge_one(folded, MILL).findings
    assert (finding.kind, finding.text) == ("response", RESPONSE)
    assert (finding.label, finding.note) == (BINARY["faithful"], "worst of 3 units")


def test_mean_of_claims_without_scores_is_a_score() -> None:
    claims = load("judge-claims", Scripted(echo))
    folded = fold(claims, "mean")
    assert (claims.capabilities.scores, folded.capabilities.scores) == (False, True)
    (finding,) = judge_one(folded, MILL).findings
    assert (finding.label, finding.score) == (BINARY["faithful"], 1.0)


def test_fold_of_a_response_without_claims_is_a_failure_that_says_so() -> None:
    claims = load("judge-claims", Scripted(['{"claims": []}']))
    (failure,) = judge_one(fold(claims), MILL).failures
    assert (failure.unit, failure.reason) == ("response", "missing")
    assert "finds no claim" in failure.detail


def test_judgements_keep_their_responses_in_whatever_order_they_come(
    make_example: Make, scripted: Script
) -> None:
    examples = [make_example(id=str(n), response=f"It sat {n}.") for n in range(40)]
    inner = scripted(lambda unit: Verdict(unit.id, score=0.5))
    found = judge_all(fold(inner), examples)
    assert [each.units[0].text for each in found] == [each.response.text for each in examples]


def test_examples_are_taken_as_they_are_needed(make_example: Make, scripted: Script) -> None:
    taken: list[int] = []

    def stream() -> Iterator[Example]:
        for number in range(1_000):
            taken.append(number)
            yield make_example(id=str(number))

    async def first() -> Judgement:
        judge = fold(scripted(lambda unit: Verdict(unit.id, score=0.5)))
        return await anext(judge.judge(stream()))

    assert asyncio.run(first()).example == "0"
    assert len(taken) == 1
