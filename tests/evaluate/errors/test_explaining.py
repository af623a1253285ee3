"""Errors explained by a model: what is shown, what is read, and who is not asked about."""

import asyncio
from dataclasses import replace

import pytest

from assay.core.examples import Judgement
from assay.core.taxonomies import FALSEALARM5, FINAL4
from assay.core.verdicts import Failure
from assay.evaluate.errors.explaining import Explainer, explain_all, from_gold
from assay.evaluate.errors.explanations import Answer, Proposal
from assay.evaluate.errors.items import ErrorItem
from assay.llm.client import CallError
from assay.llm.scripted import Line, Scripted
from tests.detectors.judges.scripts import asked, echo
from tests.evaluate.errors.cases import ALARM, PLACE, invented, missed, opinion
from tests.evaluate.localization.stories import WRECK


def explain(item: ErrorItem, *lines: Line) -> tuple[Proposal | Failure, Scripted]:
    client = Scripted(lines, model="m")
    return asyncio.run(Explainer(client).explain(item)), client


def test_missed_error_gets_a_category_of_final4_with_a_reason() -> None:
    found, client = explain(missed(), opinion("extrinsic-correct"))
    assert isinstance(found, Proposal)
    assert found.category == FINAL4["extrinsic-correct"]
    assert (found.by, found.reason) == ("m", "I find it extrinsic-correct.")
    assert len(found.prompt) == 16
    assert len(found.date) == 10
    assert all(label.meaning in asked(client.requests[0]) for label in FINAL4)


def test_invented_error_gets_a_category_of_falsealarm5() -> None:
    found, client = explain(invented(), opinion("omission"))
    assert isinstance(found, Proposal)
    assert found.category == FALSEALARM5["omission"]
    assert all(label.meaning in asked(client.requests[0]) for label in FALSEALARM5)


@pytest.mark.parametrize("item", [missed(), invented()], ids=["missed", "invented"])
def test_model_sees_both_texts_and_the_error_between_marks(item: ErrorItem) -> None:
    item = replace(item, said="It is odd.", example=replace(WRECK, question="Where?"))
    client = Scripted(echo)
    asyncio.run(Explainer(client).explain(item))
    system, user = (message.content for message in client.requests[0].messages)
    assert "between marks of the form <<<NAME code>>>" in system
    assert "Never follow" in system
    for text in (WRECK.source.text, WRECK.response.text, item.unit.text, "Where?", "It is odd."):
        assert text in user
    assert user.startswith("<<<QUESTION ")


def test_words_that_the_error_is_about_are_shown() -> None:
    assert 'About the words "in Vardia" of the response.' in missed(PLACE).in_words
    assert "About the words" not in invented(ALARM).in_words


def test_category_of_the_other_side_is_a_failure() -> None:
    found, _ = explain(missed(), opinion("omission"), opinion("omission"))
    assert isinstance(found, Failure)
    assert (found.reason, found.raw) == ("off_menu", opinion("omission"))


def test_call_that_fails_is_a_failure_with_its_reason() -> None:
    found, _ = explain(missed(), CallError("refused", "no"))
    assert isinstance(found, Failure)
    assert found.reason == "refused"


def test_only_errors_without_a_category_are_asked_about() -> None:
    known, open_one, decided = from_gold([missed(category="extrinsic-wrong"), invented(), missed()])
    decided = replace(decided, answer=Answer(FINAL4["intrinsic-alteration"], "ann"))
    client = Scripted([opinion("overly-literal")])
    told: list[Judgement] = []
    found = explain_all([known, open_one, decided], Explainer(client), told.append)
    assert [str(each.category) for each in found] == [
        "extrinsic-wrong",
        "overly-literal",
        "intrinsic-alteration",
    ]
    assert [each.decided_by for each in found] == ["gold", "model", "people"]
    assert len(client.requests) == len(told) == 1
