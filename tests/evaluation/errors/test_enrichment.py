"""Errors proposed for the gold, decided by people, and taken into the gold."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from assay.core.codec import read_example, write_example
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.labels import Label
from assay.core.spans import Span
from assay.core.taxonomies import BINARY, FAITHBENCH, FALSEALARM5, FINAL4, RAGTRUTH4
from assay.core.texts import Response, Source
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Attributes, Failure, Verdict
from assay.evaluation.errors.answers import NOBODY
from assay.evaluation.errors.applying import Enriched, apply_tasks
from assay.evaluation.errors.enrichment import (
    Decision,
    Proposed,
    propose_errors,
    read_decisions,
    require_localizer,
)
from assay.evaluation.gold import gold_labels
from assay.evaluation.localization.gold import gold_inconsistencies
from assay.evaluation.localization.offline_matcher import OfflineMatcher
from assay.text.units import response_unit
from tests.evaluation.errors.cases import CARGO, PLACE, gold_of
from tests.evaluation.localization.stories import JUDGE, WRECK, failed, judged, predictions, said

PLAIN = Annotated(WRECK)
ANN = Author("ann", "person")


def proposed(corpus: Sequence[Annotated], *judgements: Judgement) -> Proposed:
    given = predictions(
        *judgements,
        detector="localize-recall",
        unit_kind="response",
        model="m",
        prompt_digests={"p": "abc"},
    )
    return asyncio.run(propose_errors("d", corpus, given, OfflineMatcher()))


def task_of(annotated: Annotated, *found: Unit) -> Annotated:
    (task,) = proposed([annotated], judged(annotated, found)).tasks
    return read_example(write_example(task))


def decided(
    task: Annotated, state: str, author: Author = ANN, comment: str = "", **changes: Any
) -> Annotated:
    """The task with its form filled in."""
    proposal, form = task.judgements
    verdicts = tuple(
        replace(each, note=comment, attributes=Attributes(decision=state)) for each in form.verdicts
    )
    filled = replace(form, author=author, outcomes=verdicts, **changes)
    return replace(task, judgements=(proposal, filled))


def accepted(annotated: Annotated, *found: Unit, **more: Any) -> Annotated:
    return decided(task_of(annotated, *found), "accepted", **more)


def applied(annotated: Annotated, *found: Unit) -> Annotated:
    (only,) = apply_tasks([annotated], [accepted(annotated, *found)]).annotated
    return only


def read(task: Annotated, annotated: Annotated = PLAIN) -> list[Decision]:
    return read_decisions([read_example(write_example(task))], [annotated])


# Proposals.


def test_only_what_the_gold_does_not_have_is_proposed() -> None:
    annotated, other = gold_of((PLACE, "")), Annotated(replace(WRECK, id="other"))
    found = proposed([annotated, other], judged(annotated, [PLACE, CARGO]), failed(other))
    (task,) = found.tasks
    assert task.example == WRECK
    proposal, form = task.judgements
    assert (proposal.author, form.author) == (JUDGE, NOBODY)
    (finding,) = proposal.findings
    assert finding.unit == replace(CARGO, id="i2")
    assert finding.verdict is not None
    assert str(finding.verdict.error) == "extrinsic-wrong"
    for part in ("by m", "prompt p abc", "in run:localize-recall", "matched by offline"):
        assert part in finding.note
    (asked,) = form.verdicts
    assert (asked.attributes.decision, asked.coarse) == ("open", "not-sure")
    assert (found.examples, found.proposals, found.known) == (2, 1, 1)
    assert found.failures == {"parse": 1}


def test_parts_that_nobody_looked_at_are_counted() -> None:
    lost = Unit("c1", "claim", "A wreck."), Failure("c1", "parse")
    found = proposed([PLAIN], judged(WRECK, [PLACE], lost))
    assert (found.proposals, found.unchecked, found.is_complete) == (1, 1, False)


def test_responses_without_gold_get_proposals_too() -> None:
    assert proposed([PLAIN], judged(WRECK, [PLACE, CARGO])).proposals == 2


def test_only_what_describes_errors_can_propose() -> None:
    whole = said(WRECK, [response_unit(WRECK)], [Verdict(RESPONSE, BINARY["unfaithful"])])
    given = predictions(whole, detector="judge-simple", unit_kind="response")
    with pytest.raises(InputError, match="run:judge-simple does not say what is wrong"):
        asyncio.run(propose_errors("d", [PLAIN], given, OfflineMatcher()))
    require_localizer("localize-recall:b")
    for name in ("embedded", "judge-claims", "nobody"):
        with pytest.raises(InputError, match=f"{name} does not say what is wrong"):
            require_localizer(name)


def test_findings_in_equal_words_are_proposals_of_their_own() -> None:
    assert [each.unit.id for each in read(task_of(PLAIN, CARGO, CARGO))] == ["i1", "i2"]


# Decisions.


def test_tasks_that_nobody_decided_are_open() -> None:
    decisions = read(task_of(PLAIN, PLACE, CARGO))
    assert [(each.state, each.unit.text) for each in decisions] == [
        ("open", PLACE.text),
        ("open", CARGO.text),
    ]


def test_people_may_fix_what_they_accept() -> None:
    task = accepted(PLAIN, PLACE, comment="Yes.")
    proposal, form = task.judgements
    fixed = Unit("i1", "inconsistency", "Vardia is added.")
    verdict = replace(form.verdicts[0], error=FINAL4["extrinsic-correct"])
    form = replace(form, units=(fixed,), outcomes=(verdict,))
    (decision,) = read(replace(task, judgements=(proposal, form)))
    assert (decision.unit, str(decision.category)) == (fixed, "extrinsic-correct")
    assert (decision.state, decision.by, decision.comment) == ("accepted", "ann", "Yes.")


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (decided(task_of(PLAIN, PLACE), "yes"), "one of open, accepted, rejected, unsure, not"),
        (accepted(PLAIN, PLACE, author=NOBODY), "it is accepted, but its author has no name"),
        (
            accepted(PLAIN, PLACE, units=(Unit("i1", "inconsistency", " "),)),
            "the description is empty",
        ),
    ],
)
def test_task_that_cannot_be_used_is_one_clear_line(task: Annotated, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        read(task)
    assert "example 'wreck', proposal i1: " in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": "who"}, "the data has no example 'who'"),
        (
            {"response": Response(WRECK.response.text + " Yes.")},
            "the response of example 'wreck' is another text",
        ),
        ({"source": Source("Changed.")}, "the source of example 'wreck' is another text"),
    ],
)
def test_task_about_another_text_is_refused(changes: dict[str, Any], message: str) -> None:
    task = task_of(PLAIN, PLACE)
    judgements = tuple(
        replace(each, example=changes.get("id", each.example)) for each in task.judgements
    )
    other = Annotated(replace(WRECK, **changes), judgements)
    with pytest.raises(InputError, match=message):
        read(other)


def test_proposal_in_the_wrong_words_or_category_is_refused() -> None:
    task = accepted(PLAIN, PLACE)
    proposal, form = task.judgements
    misplaced = Unit("i1", "inconsistency", "x", (Span("response", 0, 3, "xyz"),))
    wrong = replace(form.verdicts[0], error=FALSEALARM5["omission"])
    for changed, message in (
        (replace(form, units=(misplaced,)), "reads 'Gua', not 'xyz'"),
        (replace(form, outcomes=(wrong,)), "the category is one of .*, not 'omission'"),
    ):
        with pytest.raises(InputError, match=message):
            read(replace(task, judgements=(proposal, changed)))


def test_proposal_that_is_decided_twice_raises() -> None:
    task = accepted(PLAIN, PLACE)
    second = replace(task.judgements[1], author=Author("bo", "person"))
    with pytest.raises(InputError, match="the proposal i1 is decided twice"):
        read(task.with_judgements(second))


def test_decision_about_nothing_that_was_proposed_raises() -> None:
    task = accepted(PLAIN, PLACE)
    proposal, form = task.judgements
    other = replace(
        form,
        units=(replace(PLACE, id="i9"),),
        outcomes=(replace(form.verdicts[0], unit="i9"),),
    )
    with pytest.raises(InputError, match="proposal i9: nothing was proposed"):
        read(replace(task, judgements=(proposal, other)))


# The gold afterwards.


def test_tasks_that_are_applied_again_change_nothing() -> None:
    annotated = gold_of((PLACE, ""))
    task = accepted(annotated, CARGO, CARGO)
    once = apply_tasks([annotated], [task])
    assert (once.errors_before, once.added, once.known) == (1, 1, 1)
    again = apply_tasks(once.annotated, [task])
    assert again.annotated == once.annotated
    assert (again.errors_before, again.added, again.known) == (2, 0, 2)


def test_accepted_proposals_of_dropped_examples_are_not_counted_as_added() -> None:
    task = task_of(PLAIN, PLACE, CARGO)
    proposal, form = task.judgements
    one, other = form.verdicts
    verdicts = (
        replace(one, attributes=Attributes(decision="unsure")),
        replace(other, attributes=Attributes(decision="accepted")),
    )
    filled = replace(form, author=ANN, outcomes=verdicts)
    task = replace(task, judgements=(proposal, filled))
    found = apply_tasks([PLAIN], [task], drop_unsure=True)
    assert (found.annotated, found.dropped, found.added, found.known) == ((), 1, 0, 0)


def test_accepted_proposals_become_gold_with_who_proposed_and_accepted_them() -> None:
    found = applied(gold_of((PLACE, "extrinsic-wrong")), CARGO)
    gold = gold_inconsistencies(found)
    assert gold is not None
    assert [error.description for error in gold] == [PLACE.text, CARGO.text]
    judgement = found.judgements[-1]
    (finding,) = judgement.findings
    assert (judgement.author, judgement.round, judgement.supersedes) == (ANN, 1, "")
    assert finding.unit == replace(CARGO, id="i2")
    assert finding.verdict is not None
    assert str(finding.verdict.error) == "extrinsic-wrong"
    for part in ("by m", "prompt p abc", "run:localize-recall", "Accepted by ann."):
        assert part in finding.note
    assert read_example(write_example(found)) == found


def test_marked_errors_stay_beside_those_that_are_added() -> None:
    span = Unit.at("span", PLACE.spans[0], "p1")
    attributes = Attributes(explanation="No place is named.")
    marked = said(
        WRECK,
        (response_unit(WRECK), span),
        (
            Verdict(RESPONSE, BINARY["unfaithful"]),
            Verdict("p1", RAGTRUTH4["evident-baseless"], attributes=attributes),
        ),
        GOLD,
    )
    found = applied(Annotated(WRECK, (marked,)), CARGO)
    gold = gold_inconsistencies(found)
    assert gold is not None
    assert [error.description for error in gold] == ["No place is named.", CARGO.text]
    assert found.judgements[:-1] == (marked,)


def whole(label: Label, note: str = "", explanation: str = "") -> Annotated:
    """The example with a label of the response."""
    verdict = Verdict(RESPONSE, label, note=note, attributes=Attributes(explanation=explanation))
    return Annotated(WRECK, (said(WRECK, [response_unit(WRECK)], [verdict], GOLD),))


@pytest.mark.parametrize(
    ("label", "now"),
    [
        (BINARY["faithful"], BINARY["unfaithful"]),
        (FAITHBENCH["consistent"], FAITHBENCH["unwanted"]),
        (None, BINARY["unfaithful"]),
    ],
)
def test_response_that_was_faithful_is_so_no_more(label: Label | None, now: Label) -> None:
    before = whole(label) if label else PLAIN
    found = applied(before, CARGO)
    assert [each for _, each in gold_labels(found, "response", "corpus")] == [now]
    judgement = next(each for each in found.gold if each.author == GOLD)
    finding = judgement.finding(RESPONSE)
    assert finding is not None
    assert "people had not seen before" in finding.note
    if label:
        assert f"Before: {label.name}" in finding.note
        assert found.judgements[0] == before.judgements[0]  # nothing is overwritten
        assert (judgement.round, judgement.supersedes) == (2, "wreck/gold/1")
    assert read_example(write_example(found)) == found


def test_annotator_who_accepts_more_has_a_later_judgement() -> None:
    span = Unit.at("span", PLACE.spans[0], "p1")
    own = said(WRECK, [span], [Verdict("p1", FAITHBENCH["unwanted"])], ANN)
    before = replace(whole(FAITHBENCH["unwanted"]))
    found = applied(before.with_judgements(own), CARGO)
    judgement = next(each for each in found.gold if each.author == ANN)
    assert (judgement.round, judgement.supersedes) == (2, own.key)
    assert [unit.id for unit in judgement.units] == ["p1", "i1"]
    assert len(found.judgements) == 3


def test_what_was_said_of_a_faithful_response_does_not_become_an_error() -> None:
    found = applied(whole(BINARY["faithful"], explanation="There is no error."), CARGO)
    gold = gold_inconsistencies(found)
    assert gold is not None
    assert [error.description for error in gold] == [CARGO.text]


def test_accounts_of_several_annotators_are_kept() -> None:
    label = FAITHBENCH["unwanted.intrinsic"]
    marks = [
        said(
            WRECK,
            [Unit.at("span", PLACE.spans[0], id)],
            [Verdict(id, label, attributes=Attributes(explanation=words))],
            Author(name, "person"),
        )
        for name, id, words in (("a", "p1", "No place is named."), ("b", "p2", "Vardia is new."))
    ]
    annotated = whole(label).with_judgements(*marks)
    before = gold_inconsistencies(annotated)
    after = gold_inconsistencies(applied(annotated, CARGO))
    assert before
    assert after
    assert (after[: len(before)], after[-1].description) == (before, CARGO.text)


def named(id: str, *errors: tuple[Unit, str], known: bool = True) -> Annotated:
    example: Example = replace(WRECK, id=id)
    return gold_of(*errors, example=example) if known else Annotated(example)


def test_rejected_and_open_proposals_change_nothing_and_are_counted() -> None:
    corpus = [named("one", (PLACE, "")), named("other"), named("last", known=False)]
    one, other, last = corpus
    tasks = [
        accepted(other, PLACE, CARGO),
        decided(task_of(one, CARGO), "rejected"),
        decided(task_of(last, CARGO), "unsure"),
    ]

    def result(**more: bool) -> Enriched:
        return apply_tasks(corpus, tasks, **more)

    found = result()
    assert found.states == {"accepted": 2, "rejected": 1, "unsure": 1}
    assert (found.annotated[0], found.annotated[2]) == (one, last)
    # Two of the four decided proposals are accepted.
    assert (found.accepted.value, found.accepted.n) == (0.5, 4)
    assert (found.errors_before, found.newly_unfaithful, found.dropped) == (1, 1, 0)
    fewer = result(drop_unsure=True)
    assert ([each.id for each in fewer.annotated], fewer.dropped) == (["one", "other"], 1)


def test_category_is_not_needed() -> None:
    task = accepted(PLAIN, CARGO)
    proposal, form = task.judgements
    form = replace(form, outcomes=(replace(form.verdicts[0], error=None),))
    task = replace(task, judgements=(proposal, form))
    (found,) = apply_tasks([PLAIN], [task]).annotated
    assert found.judgements[-1].verdicts[-1].error is None
