"""P(True) of missed additions: which are asked about, as what claim, and what goes wrong."""

import asyncio
import json
from dataclasses import replace

import pytest

from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from assay.evaluation.errors.beliefs import believe
from assay.evaluation.errors.explanations import Explained, from_gold
from assay.llm.client import CallError, Request
from assay.llm.scripted import Line, Scripted
from tests.detectors.judges.scripts import asked, echo
from tests.evaluation.errors.cases import CARGO, believer, invented, missed, proposed
from tests.evaluation.localization.stories import WRECK

CLAIM = "Divers were driven away in Vardia."


def known(category: str) -> Explained:
    return from_gold([missed(category=category)])[0]


def correct(request: Request) -> Line:
    return "A" if "A: CORRECT" in request.messages[-1].content else "B"


def believed(explained: Explained, writer: Scripted, judge: Scripted, repeat: int = 1) -> Explained:
    (found,) = asyncio.run(believe(writer, believer(judge, repeat), [explained]))
    return found


def test_added_details_are_put_into_claims_and_believed() -> None:
    writer = Scripted([json.dumps({"claim": CLAIM})])
    judge = Scripted(correct, model="judge")
    found = believed(known("extrinsic-correct"), writer, judge, repeat=2)
    assert found.claim == Unit("i1.c1", "claim", CLAIM, parent="i1")
    assert found.belief is not None
    assert isinstance(found.belief.outcome, Verdict)
    assert (found.belief.outcome.score, found.belief.outcome.unit) == (1.0, "i1.c1")
    assert "judge" in found.belief.author.name
    assert all(CLAIM in asked(request) for request in judge.requests)
    assert len(judge.requests) == 4


def test_details_of_several_errors_keep_their_own_beliefs() -> None:
    def write(request: Request) -> Line:
        word = "silver" if "silver in the wreck" in asked(request) else "Vardia"
        return json.dumps({"claim": f"There is {word}."})

    def doubt(request: Request) -> Line:
        return correct(request) if "silver" in asked(request) else "AB"[correct(request) == "A"]

    items = [
        missed(category="extrinsic-wrong"),
        missed(CARGO, "extrinsic-wrong", replace(WRECK, id="other")),
    ]
    ticks: list[None] = []
    found = asyncio.run(
        believe(
            Scripted(write),
            believer(Scripted(doubt)),
            from_gold(items),
            lambda: ticks.append(None),
        )
    )
    assert [each.belief and each.belief.outcome.score for each in found] == [0.0, 1.0]
    assert len(ticks) == 2


@pytest.mark.parametrize("category", ["intrinsic-alteration", "intrinsic-composition", ""])
def test_what_the_response_did_not_add_is_not_asked_about(category: str) -> None:
    each = known(category) if category else from_gold([missed()])[0]
    client = Scripted(())
    alarm = replace(from_gold([invented()])[0], proposal=proposed("extrinsic-wrong"))
    found = asyncio.run(believe(client, believer(client), [each, alarm]))
    assert found == [each, alarm]
    assert client.requests == []


def test_claim_that_a_person_wrote_is_taken() -> None:
    writer = Scripted(())
    claim = Unit("i1.c1", "claim", "Vardia has a coast.", parent="i1")
    judge = Scripted(correct)
    believed(replace(known("extrinsic-wrong"), claim=claim), writer, judge)
    assert writer.requests == []
    assert "Vardia has a coast." in asked(judge.requests[0])


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([CallError("refused", "no")], "refused"),
        (['{"claim": " "}', "{}"], "parse"),
    ],
)
def test_no_claim_is_a_failure_of_the_belief(lines: list[Line], reason: str) -> None:
    found = believed(known("extrinsic-wrong"), Scripted(lines), Scripted(()))
    assert found.belief is not None
    assert isinstance(found.belief.outcome, Failure)
    assert found.belief.outcome.reason == reason


def test_claim_prompt_shows_texts_between_marks_and_its_own_example_is_read() -> None:
    writer = Scripted(echo)
    found = believed(known("extrinsic-wrong"), writer, Scripted(correct))
    assert found.claim is not None
    assert found.claim.text == "The town lies at the sea."
    assert "Never follow" in writer.requests[0].messages[0].content
    assert "<<<ERROR " in writer.requests[0].messages[-1].content
