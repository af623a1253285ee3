"""Errors explained by a model: what is shown, what is read, and who is not asked about."""

import asyncio
from dataclasses import replace

import pytest

from assay.core.judgements import Author
from assay.core.labels import Label
from assay.core.taxonomies import FALSEALARM5, FINAL4, RECHECK3
from assay.core.verdicts import Failure, Verdict
from assay.error_analysis.error_items import ErrorItem
from assay.error_analysis.explanations import (
    Statement,
    distributions,
    explain,
    explain_one,
)
from assay.llm.client import CallError, Line, Scripted
from tests.detectors.judges.scripts import asked, echo
from tests.error_analysis.cases import (
    ALARM,
    CARGO,
    PLACE,
    invented,
    missed,
    opinion,
    unexplained,
)
from tests.evaluation.localization.stories import WRECK


def explained(item: ErrorItem, *lines: Line) -> tuple[Statement, Scripted]:
    client = Scripted(lines, model="m")
    return asyncio.run(explain_one(client, item)), client


def test_missed_error_gets_a_category_of_final4_with_a_reason() -> None:
    found, client = explained(missed(), opinion("extrinsic-correct"))
    assert isinstance(found.outcome, Verdict)
    assert found.outcome.label == FINAL4["extrinsic-correct"]
    assert (found.outcome.unit, found.outcome.note) == ("i1", "I find it extrinsic-correct.")
    assert (found.author.name, found.author.kind) == ("m", "detector")
    assert len(found.author.version) == 16
    assert len(found.at) == 10
    assert all(label.meaning in asked(client.requests[0]) for label in FINAL4)


def test_invented_error_gets_a_category_of_falsealarm5() -> None:
    found, client = explained(invented(), opinion("omission"))
    assert found.outcome.label == FALSEALARM5["omission"]
    assert all(label.meaning in asked(client.requests[0]) for label in FALSEALARM5)


@pytest.mark.parametrize("item", [missed(), invented()], ids=["missed", "invented"])
@pytest.mark.parametrize("label", RECHECK3.labels, ids=str)
def test_model_may_find_that_it_is_no_error(item: ErrorItem, label: Label) -> None:
    found, client = explained(item, opinion(label.name))
    assert found.outcome.label == label
    assert label.meaning in asked(client.requests[0])
    assert "for granted" not in asked(client.requests[0])


@pytest.mark.parametrize("item", [missed(), invented()], ids=["missed", "invented"])
def test_model_sees_what_the_other_side_says(item: ErrorItem) -> None:
    beside = ("It was not in Vardia.", "There was no\nsilver.")
    _, client = explained(replace(item, beside=beside), opinion("unsure"))
    assert "- It was not in Vardia.\n- There was no silver." in asked(client.requests[0])
    _, client = explained(item, opinion("unsure"))
    assert "(nothing)" in asked(client.requests[0])


@pytest.mark.parametrize("item", [missed(), invented()], ids=["missed", "invented"])
def test_model_sees_both_texts_and_the_error_between_marks(item: ErrorItem) -> None:
    item = replace(item, said="It is odd.", example=replace(WRECK, question="Where?"))
    client = Scripted(echo)
    asyncio.run(explain_one(client, item))
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
    found, _ = explained(missed(), opinion("omission"), opinion("omission"))
    assert isinstance(found.outcome, Failure)
    assert (found.outcome.reason, found.outcome.raw) == ("off_menu", opinion("omission"))


def test_call_that_fails_is_a_failure_with_its_reason() -> None:
    found, _ = explained(missed(), CallError("refused", "no"))
    assert isinstance(found.outcome, Failure)
    assert found.outcome.reason == "refused"


def test_every_error_that_no_person_decided_is_asked_about() -> None:
    other, third = replace(WRECK, id="2"), replace(WRECK, id="3")
    known, open_one, decided = unexplained(
        [missed(category="extrinsic-wrong"), invented(example=other), missed(CARGO, "", third)]
    )
    ann = Statement(Author("ann", "person"), Verdict("i1", FINAL4["intrinsic-alteration"]))
    decided = replace(decided, answer=ann)
    client = Scripted([opinion("extrinsic-correct"), opinion("overly-literal")])
    ticks: list[None] = []
    found = asyncio.run(explain(client, [known, open_one, decided], lambda: ticks.append(None)))
    # The gold keeps its category where the model only has another one.
    assert [str(each.category) for each in found] == [
        "extrinsic-wrong",
        "overly-literal",
        "intrinsic-alteration",
    ]
    assert [each.decided_by for each in found] == ["gold", "model", "people"]
    assert len(client.requests) == len(ticks) == 2
    again = asyncio.run(explain(client, found))
    assert (again, len(client.requests)) == (found, 2)


@pytest.mark.parametrize("label", RECHECK3.names)
def test_an_error_with_a_category_of_the_gold_may_turn_out_to_be_none(label: str) -> None:
    client = Scripted([opinion(label)])
    (found,) = asyncio.run(explain(client, unexplained([missed(category="extrinsic-correct")])))
    assert (str(found.category), found.decided_by) == (label, "model")
    assert not found.is_missed_addition
    (distribution, _) = distributions([found])
    assert (distribution.decided, distribution.open) == (0, 0)
    assert {each.category.name: each.count for each in distribution.excluded}[label] == 1


def test_a_failure_leaves_the_category_of_the_gold_and_is_counted() -> None:
    client = Scripted([CallError("refused", "no")])
    (found,) = asyncio.run(explain(client, unexplained([missed(category="extrinsic-correct")])))
    assert (str(found.category), found.decided_by) == ("extrinsic-correct", "gold")
    (distribution, _) = distributions([found])
    assert (distribution.decided, distribution.open) == (1, 0)
    assert distribution.failures == {"refused": 1}
