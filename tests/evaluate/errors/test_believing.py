"""P(True) of missed additions: which are asked about, as what claim, and what goes wrong."""

import json
from dataclasses import replace

import pytest

from assay.core.taxonomies import FINAL4
from assay.detectors.p_true import make_p_true
from assay.evaluate.errors.believing import ClaimWriter, believe_all
from assay.evaluate.errors.explaining import from_gold
from assay.evaluate.errors.explanations import Explained, Proposal
from assay.llm.client import CallError, Request
from assay.llm.scripted import Line, Scripted
from tests.detectors.judges.scripts import asked, echo
from tests.evaluate.errors.cases import invented, missed

CLAIM = "Divers were driven away in Vardia."


def known(category: str) -> Explained:
    return from_gold([missed(category=category)])[0]


def believing(request: Request) -> Line:
    return "A" if "A: CORRECT" in request.messages[-1].content else "B"


def test_added_details_are_put_into_claims_and_believed() -> None:
    writer = Scripted([json.dumps({"claim": CLAIM})])
    judge = Scripted(believing, model="judge")
    (found,) = believe_all(
        [known("extrinsic-correct")], ClaimWriter(writer), make_p_true(judge, "repeat=2")
    )
    assert (found.claim, found.believer) == (CLAIM, "judge")
    assert found.belief is not None
    assert found.belief.probability == 1.0
    assert all(CLAIM in asked(request) for request in judge.requests)
    assert len(judge.requests) == 4


@pytest.mark.parametrize("category", ["intrinsic-alteration", "intrinsic-composition", ""])
def test_what_the_response_did_not_add_is_not_asked_about(category: str) -> None:
    each = known(category) if category else from_gold([missed()])[0]
    client = Scripted(())
    judge = make_p_true(client, "")
    alarm = replace(from_gold([invented()])[0], proposal=Proposal(FINAL4["extrinsic-wrong"], "m"))
    assert believe_all([each, alarm], ClaimWriter(client), judge) == [each, alarm]
    assert client.requests == []


def test_claim_that_a_person_wrote_is_taken() -> None:
    writer = Scripted(())
    each = replace(known("extrinsic-wrong"), claim="Vardia has a coast.")
    judge = Scripted(believing)
    believe_all([each], ClaimWriter(writer), make_p_true(judge, "repeat=1"))
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
    judge = make_p_true(Scripted(()), "repeat=1")
    (found,) = believe_all([known("extrinsic-wrong")], ClaimWriter(Scripted(lines)), judge)
    assert found.unbelieved is not None
    assert (found.unbelieved.reason, found.belief) == (reason, None)


def test_claim_prompt_shows_texts_between_marks_and_its_own_example_is_read() -> None:
    writer = Scripted(echo)
    (found,) = believe_all(
        [known("extrinsic-wrong")],
        ClaimWriter(writer),
        make_p_true(Scripted(believing), "repeat=1"),
    )
    assert found.claim == "The town lies at the sea."
    assert "Never follow" in writer.requests[0].messages[0].content
    assert "<<<ERROR " in writer.requests[0].messages[-1].content
