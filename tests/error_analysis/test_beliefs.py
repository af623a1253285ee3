"""P(True) of missed additions: which are asked about, by what question, and what goes wrong."""

import asyncio
import json
from dataclasses import replace

import pytest

from assay.core.judgements import Author
from assay.core.verdicts import Failure, Verdict
from assay.error_analysis.beliefs import beliefs, believe, prompt
from assay.error_analysis.explanations import Explained, Question
from assay.llm.client import CallError, Line, Request, Scripted
from tests.detectors.judges.scripts import asked, echo
from tests.error_analysis.cases import CARGO, believer, invented, missed, proposed, unexplained
from tests.evaluation.localization.stories import WRECK

ASKED = {"question": "In which land were the divers driven away?", "answer": "In Vardia."}


def known(category: str) -> Explained:
    return unexplained([missed(category=category)])[0]


def correct(request: Request) -> Line:
    return "A" if "A: CORRECT" in request.messages[-1].content else "B"


def believed(explained: Explained, writer: Scripted, judge: Scripted, repeat: int = 1) -> Explained:
    (found,) = asyncio.run(believe(writer, believer(judge, repeat), [explained]))
    return found


def test_added_details_are_asked_about_and_believed() -> None:
    writer = Scripted([json.dumps(ASKED)], model="writer")
    judge = Scripted(correct, model="judge")
    found = believed(known("extrinsic-correct"), writer, judge, repeat=2)
    assert found.question == Question(
        ASKED["question"], ASKED["answer"], Author("writer", version=prompt().digest)
    )
    assert found.belief is not None
    assert isinstance(found.belief.outcome, Verdict)
    assert (found.belief.outcome.score, found.belief.outcome.unit) == (1.0, "i1.answer")
    assert "judge" in found.belief.author.name
    for request in judge.requests:
        assert all(words in asked(request) for words in ASKED.values())
        assert WRECK.source.text not in asked(request)
    assert len(judge.requests) == 4


def test_details_of_several_errors_keep_their_own_beliefs() -> None:
    def write(request: Request) -> Line:
        word = "silver" if "silver in the wreck" in asked(request) else "Vardia"
        return json.dumps({"question": "What is there?", "answer": word})

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
            unexplained(items),
            lambda: ticks.append(None),
        )
    )
    assert [each.belief and each.belief.outcome.score for each in found] == [0.0, 1.0]
    assert len(ticks) == 2


@pytest.mark.parametrize("category", ["intrinsic-alteration", "intrinsic-composition", ""])
def test_what_the_response_did_not_add_is_not_asked_about(category: str) -> None:
    each = known(category) if category else unexplained([missed()])[0]
    client = Scripted(())
    alarm = replace(unexplained([invented()])[0], proposal=proposed("extrinsic-wrong"))
    found = asyncio.run(believe(client, believer(client), [each, alarm]))
    assert found == [each, alarm]
    assert client.requests == []


def test_question_that_a_person_wrote_is_taken() -> None:
    writer = Scripted(())
    question = Question("Which land has a coast?", "Vardia.", Author("ann", "person"))
    judge = Scripted(correct)
    each = believed(replace(known("extrinsic-wrong"), question=question), writer, judge)
    assert writer.requests == []
    assert "Which land has a coast?" in asked(judge.requests[0])
    (told,) = beliefs([each])
    assert (told.written_by, told.scores, told.mean.n) == ({"people": 1}, (1.0,), 1)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([CallError("refused", "no")], "refused"),
        (['{"question": "Where?", "answer": " "}', "{}"], "parse"),
        ([json.dumps({"question": "Was it in Vardia?", "answer": "in Vardia"})] * 2, "parse"),
    ],
)
def test_no_question_is_a_failure_of_the_belief(lines: list[Line], reason: str) -> None:
    found = believed(known("extrinsic-wrong"), Scripted(lines), Scripted(()))
    assert found.belief is not None
    assert isinstance(found.belief.outcome, Failure)
    assert found.belief.outcome.reason == reason


def test_question_prompt_shows_texts_between_marks_and_its_own_example_is_read() -> None:
    writer = Scripted(echo)
    found = believed(known("extrinsic-wrong"), writer, Scripted(correct))
    assert found.question is not None
    assert found.question.answer == "At the sea."
    assert "Never follow" in writer.requests[0].messages[0].content
    assert "<<<ERROR " in writer.requests[0].messages[-1].content
