"""The gold with what people decided: errors added, explanations replaced, nothing counted twice."""

from dataclasses import replace

import pytest

from assay.core.codec import read_example, write_example
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author
from assay.core.labels import Label
from assay.core.taxonomies import BINARY, FAITHBENCH, RAGTRUTH4
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Attributes, Verdict
from assay.decisions.proposals import Settling
from assay.evaluation.gold import gold_labels
from assay.evaluation.localization.gold import gold_inconsistencies
from assay.text.sentences import response_unit
from tests.error_analysis.cases import CARGO, PLACE, gold_of
from tests.error_analysis.tasks import (
    ANN,
    BO,
    BOTH,
    EXPLANATION,
    PLAIN,
    applied,
    decided,
    enriched,
    explained,
    explanation_task,
    filled,
    rewritten,
    task_of,
    with_form,
)
from tests.evaluation.localization.stories import WRECK, said

SINGLE = (("No place is named.", "extraction"), ("Silver is not mentioned.", "vague"))


def described(annotated: Annotated) -> list[str] | None:
    """The gold errors in words; None where they are not known."""
    gold = gold_inconsistencies(annotated)
    return None if gold is None else [error.description for error in gold]


# Explanations.


@pytest.mark.parametrize("state", ["split", "replaced"])
def test_explanation_is_replaced_and_not_counted_beside_its_parts(state: str) -> None:
    before = explained()
    found = applied([before], rewritten(explanation_task(before), state, *SINGLE))
    (after,) = found.annotated
    assert described(after) == [text for text, _ in SINGLE]
    old, new = after.judgements
    assert old == before.judgements[0]  # nothing is overwritten
    assert (new.author, new.round, new.supersedes) == (GOLD, 2, old.key)
    whole = new.finding(RESPONSE)
    assert whole is not None
    assert whole.verdict is not None
    assert (whole.verdict.attributes.decision, whole.note) == (
        state,
        f"The explanation was {state} by ann.",
    )
    assert whole.verdict.attributes.explanation == EXPLANATION
    assert found.explanations == {state: 1}
    assert found.operations == {"extraction": 1, "vague": 1}
    assert str(found.operation_shares["vague"]) == "0.500 [0.095, 0.905] n=2"
    assert read_example(write_example(after)) == after


def test_explanation_that_is_applied_again_changes_nothing() -> None:
    task = rewritten(explanation_task(explained()), "split", *SINGLE)
    once = applied([explained()], task)
    again = applied(once.annotated, task)
    assert again.annotated == once.annotated
    assert again.before == once.after


def test_parts_that_are_wrong_are_taken_out() -> None:
    task = explanation_task(explained())
    errors = (SINGLE[0], ("It was yesterday.", "wrong"))
    found = applied([explained()], rewritten(task, "replaced", *errors))
    assert described(found.annotated[0]) == [SINGLE[0][0]]
    assert found.operations == {"extraction": 1, "wrong": 1}


def test_response_of_which_nothing_is_wrong_becomes_faithful() -> None:
    task = explanation_task(explained())
    found = applied([explained()], rewritten(task, "replaced", ("It was so.", "wrong")))
    (after,) = found.annotated
    assert described(after) == []
    assert [label for _, label in gold_labels(after, "response", "corpus")] == ["faithful"]
    assert (found.before.inconsistent, found.after.consistent) == (1, 1)


def test_discarded_example_stays_but_counts_no_more() -> None:
    task = rewritten(explanation_task(explained()), "discarded")
    found = applied([explained()], task)
    (after,) = found.annotated
    assert described(after) is None
    assert (found.after.discarded, found.after.total, found.after.errors) == (1, 0, 0)
    assert found.operations == {"discarded": 1}
    assert applied([after], task).annotated == (after,)


def test_explanation_that_is_kept_stays_as_it_is() -> None:
    before = explained()
    found = applied([before], rewritten(explanation_task(before), "kept"))
    assert found.annotated == (before,)
    assert found.operations == {"none": 1}


@pytest.mark.parametrize("first", ["split", "replaced", "discarded"])
def test_explanation_that_is_kept_after_all_counts_again(first: str) -> None:
    task, before = explanation_task(explained()), explained()
    (once,) = applied([before], rewritten(task, first, *SINGLE)).annotated
    (twice,) = applied([once], rewritten(task, first, SINGLE[0])).annotated
    found = applied([twice], rewritten(task, "kept", by=BO))
    (after,) = found.annotated
    assert described(after) == described(before)
    assert (found.explanations, found.after) == ({"kept": 1}, applied([before]).before)
    assert after.judgements[:-1] == twice.judgements  # nothing is overwritten
    assert applied([after], rewritten(task, "kept", by=BO)).annotated == (after,)


def test_explanation_whose_first_form_is_lost_cannot_be_kept() -> None:
    task = explanation_task(explained())
    (once,) = applied([explained()], rewritten(task, "discarded")).annotated
    cut = replace(once, judgements=once.judgements[1:])
    with pytest.raises(InputError, match="'wreck': the explanation is kept, but the data has only"):
        applied([cut], rewritten(task, "kept"))


def test_errors_are_added_to_an_explanation_that_was_split() -> None:
    split = rewritten(explanation_task(explained()), "split", SINGLE[0])
    (first,) = applied([explained()], split).annotated
    second = enriched(first, CARGO)
    assert described(second) == [SINGLE[0][0], CARGO.text]


def test_changed_mind_supersedes_the_first_split() -> None:
    task = explanation_task(explained())
    (first,) = applied([explained()], rewritten(task, "split", *SINGLE)).annotated
    (second,) = applied([first], rewritten(task, "replaced", SINGLE[1])).annotated
    assert described(second) == [SINGLE[1][0]]
    assert [each.round for each in second.judgements] == [1, 2, 3]


# Proposals.


def test_tasks_that_are_applied_again_change_nothing() -> None:
    annotated = gold_of((PLACE, ""))
    task = decided(task_of(annotated, CARGO, CARGO), "new")
    once = applied([annotated], task)
    assert (once.before.errors, once.added, once.already) == (1, 1, 1)
    again = applied(once.annotated, task)
    assert again.annotated == once.annotated
    assert (again.before.errors, again.added, again.already) == (2, 0, 2)


def test_known_proposals_are_counted_and_add_nothing() -> None:
    annotated = gold_of((PLACE, ""))
    found = applied([annotated], decided(task_of(annotated, *BOTH), "known", "none"))
    assert found.annotated == (annotated,)
    assert found.proposals == {"known": 1, "none": 1}
    assert str(found.shares["known"]) == "0.500 [0.095, 0.905] n=2"


def test_new_errors_of_dropped_examples_are_not_counted_as_added() -> None:
    task = decided(task_of(PLAIN, *BOTH), "unsure", "new")
    found = applied([PLAIN], task, drop_unsure=True)
    assert (found.annotated, found.dropped, found.added) == ((), 1, 0)
    again = applied(found.annotated, task, drop_unsure=True)  # the example is gone already
    assert (again.annotated, again.dropped) == ((), 0)


def test_annotators_in_conflict_change_nothing() -> None:
    task = task_of(PLAIN, *BOTH)
    both = with_form(task, filled(task, "new", "none"), filled(task, "none", "none", by=BO))
    found = applied([PLAIN], both)
    assert (found.annotated, len(found.conflicts)) == ((), 1)
    assert found.proposals == {"conflict": 1, "none": 1}
    assert found.agreement is not None
    assert (found.agreement.raw.value, found.agreement.raw.n) == (0.5, 2)
    settled = applied([PLAIN], both, settling=Settling("ann"))
    assert described(settled.annotated[0]) == [PLACE.text]


def test_annotators_who_differ_on_an_explanation_are_in_conflict() -> None:
    task = explanation_task(explained())
    lines = rewritten(task, "split", *SINGLE), rewritten(task, "split", SINGLE[0], by=BO)
    assert len(applied([explained()], *lines).conflicts) == 1
    found = applied([explained()], *lines, settling=Settling("bo"))
    assert described(found.annotated[0]) == [SINGLE[0][0]]


def test_accepted_proposals_become_gold_with_who_proposed_and_accepted_them() -> None:
    found = enriched(gold_of((PLACE, "extrinsic-wrong")), CARGO)
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
    found = enriched(Annotated(WRECK, (marked,)), CARGO)
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
    found = enriched(before, CARGO)
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
    found = enriched(before.with_judgements(own), CARGO)
    judgement = next(each for each in found.gold if each.author == ANN)
    assert (judgement.round, judgement.supersedes) == (2, own.key)
    assert [unit.id for unit in judgement.units] == ["p1", "i1"]
    assert len(found.judgements) == 3


def test_what_was_said_of_a_faithful_response_does_not_become_an_error() -> None:
    found = enriched(whole(BINARY["faithful"], explanation="There is no error."), CARGO)
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
    after = gold_inconsistencies(enriched(annotated, CARGO))
    assert before
    assert after
    assert (after[: len(before)], after[-1].description) == (before, CARGO.text)


def named(id: str, *errors: tuple[Unit, str], known: bool = True) -> Annotated:
    example: Example = replace(WRECK, id=id)
    return gold_of(*errors, example=example) if known else Annotated(example)


def test_gold_is_counted_before_and_after() -> None:
    corpus = [named("one", (PLACE, "")), named("other"), named("last", known=False)]
    one, other, last = corpus
    tasks = [
        decided(task_of(other, *BOTH), "new"),
        decided(task_of(one, CARGO), "none"),
        decided(task_of(last, CARGO), "unsure"),
    ]
    found = applied(corpus, *tasks)
    assert found.proposals == {"new": 2, "none": 1, "unsure": 1}
    assert (found.annotated[0], found.annotated[2]) == (one, last)
    # Two of the four decided proposals are new.
    assert (found.shares["new"].value, found.shares["new"].n) == (0.5, 4)
    before, after = found.before, found.after
    assert (before.inconsistent, before.consistent, before.unknown, before.errors) == (1, 1, 1, 1)
    assert (after.inconsistent, after.consistent, after.unknown, after.errors) == (2, 0, 1, 3)
    assert (after.total, after.by_errors) == (3, {1: 1, 2: 1})
    assert (found.newly_unfaithful, found.dropped) == (1, 0)
    fewer = applied(corpus, *tasks, drop_unsure=True)
    assert ([each.id for each in fewer.annotated], fewer.dropped) == (["one", "other"], 1)
    assert fewer.after.total == 2


def test_open_proposals_change_nothing() -> None:
    found = applied([PLAIN], task_of(PLAIN, CARGO))
    assert (found.annotated, found.proposals, found.shares) == ((PLAIN,), {"open": 1}, {})
