"""What people decided, read from their files; what cannot be used is one clear line."""

from dataclasses import replace
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD
from assay.core.taxonomies import FALSEALARM5, FINAL4
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Attributes
from assay.decisions.forms import NOBODY
from assay.error_analysis.tasks import is_explanation
from tests.error_analysis.cases import CARGO, PLACE, gold_of
from tests.error_analysis.tasks import (
    ANN,
    BO,
    BOTH,
    PLAIN,
    decided,
    explained,
    explanation_task,
    filled,
    form_of,
    read,
    rewritten,
    task_of,
    with_form,
)
from tests.evaluation.localization.stories import WRECK

SINGLE = ("No place is named.", "extraction")


def test_tasks_that_nobody_decided_are_open() -> None:
    tasks = read(task_of(PLAIN, *BOTH))
    assert [(each.unit.text, each.decisions) for each in tasks] == [
        (PLACE.text, ()),
        (CARGO.text, ()),
    ]


def test_people_may_fix_what_they_accept() -> None:
    task = task_of(PLAIN, PLACE)
    form = filled(task, "new", note="Yes.")
    fixed = Unit("i1", "inconsistency", "Vardia is added.")
    verdict = replace(form.verdicts[0], error=FINAL4["extrinsic-correct"])
    form = replace(form, units=(fixed,), outcomes=(verdict,))
    ((decision,),) = [each.decisions for each in read(with_form(task, form))]
    (error,) = decision.errors
    assert (error.unit, str(error.verdict.error)) == (fixed, "extrinsic-correct")
    assert (decision.state, decision.by, decision.verdict.note) == ("new", "ann", "Yes.")


def test_known_proposal_names_the_error_that_it_describes() -> None:
    annotated = gold_of((PLACE, ""))
    task = decided(task_of(annotated, *BOTH), "known", "new")
    known, new = read(task, corpus=[annotated])
    assert [(each.by, each.state, each.errors) for each in known.decisions] == [
        ("ann", "known", ())
    ]
    assert form_of(task_of(annotated, PLACE)).units[0].parent == "g1"
    assert [error.unit.text for error in new.decisions[0].errors] == [CARGO.text]


def test_decisions_of_several_people_in_several_lines_are_kept() -> None:
    task = task_of(PLAIN, PLACE)
    two = with_form(task, filled(task, "new"), filled(task, "none", by=BO))
    for lines in ([two], [decided(task, "new"), decided(task, "none", by=BO)]):
        (found,) = read(*lines)
        assert [(each.by, each.state) for each in found.decisions] == [
            ("ann", "new"),
            ("bo", "none"),
        ]


def test_same_file_handed_in_twice_counts_once() -> None:
    task = decided(task_of(PLAIN, PLACE), "new")
    (found,) = read(task, task)
    assert len(found.decisions) == 1


def test_explanation_becomes_a_list_of_errors() -> None:
    task = explanation_task(explained())
    errors = (SINGLE, ("There is no word of silver.", "vague"), ("It was yesterday.", "wrong"))
    (found,) = read(rewritten(task, "replaced", *errors), corpus=[explained()])
    (decision,) = found.decisions
    assert (is_explanation(found), decision.state) == (True, "replaced")
    assert [(each.unit.text, each.verdict.attributes.category) for each in decision.errors] == list(
        errors
    )


def lost_parent() -> Annotated:
    return decided(task_of(PLAIN, PLACE), "known")


def empty() -> Annotated:
    task = task_of(PLAIN, PLACE)
    units = (Unit("i1", "inconsistency", " "),)
    return with_form(task, replace(filled(task, "new"), units=units))


def misplaced() -> Annotated:
    task = task_of(PLAIN, PLACE)
    wrong = replace(filled(task, "new").verdicts[0], error=FALSEALARM5["omission"])
    return with_form(task, replace(filled(task, "new"), outcomes=(wrong,)))


def strange() -> Annotated:
    task = task_of(PLAIN, PLACE)
    form = filled(task, "new")
    other = replace(form.verdicts[0], unit="i9")
    return with_form(task, replace(form, units=(replace(PLACE, id="i9"),), outcomes=(other,)))


def unsaid() -> Annotated:
    task = explanation_task(explained())
    form = form_of(rewritten(task, "open", by=NOBODY))
    return with_form(task, replace(form, author=ANN, units=(PLACE,), outcomes=()))


EXPLAINED = explanation_task(explained())


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (
            decided(task_of(PLAIN, PLACE), "yes"),
            "proposal i1: the decision is one of open, known, new, none, unsure, not 'yes'",
        ),
        (
            decided(task_of(PLAIN, PLACE), "new", by=NOBODY),
            "proposal i1: it is new, but its author has no name",
        ),
        (
            decided(task_of(PLAIN, PLACE), "new", by=GOLD),
            "proposal i1: 'gold' is the name of the corpus; write your own",
        ),
        (
            rewritten(EXPLAINED, "kept", by=GOLD),
            "the explanation: 'gold' is the name of the corpus; write your own",
        ),
        (lost_parent(), "proposal i1: it is known, but its parent '' is no error of the gold"),
        (empty(), "proposal i1: the description is empty"),
        (misplaced(), "proposal i1: the category is one of .*, not 'omission'"),
        (strange(), "proposal i9: nothing was proposed under this id"),
        (
            with_form(
                task_of(PLAIN, PLACE),
                filled(task_of(PLAIN, PLACE), "new"),
                filled(task_of(PLAIN, PLACE), "none"),
            ),
            "proposal i1: ann decided it twice, and differently",
        ),
        (
            rewritten(EXPLAINED, "new"),
            "the explanation: the decision is one of open, kept, split, replaced, discarded,",
        ),
        (rewritten(EXPLAINED, "split"), "the explanation: it is split, but no error is listed"),
        (
            rewritten(EXPLAINED, "split", ("No place.", "guessed")),
            "error i1: the operation is one of none, extraction, .*, not 'guessed'",
        ),
        (rewritten(EXPLAINED, "kept", by=NOBODY), "it is kept, but its author has no name"),
        (unsaid(), "the explanation: there is no decision on the response"),
        (PLAIN, "there is nothing to decide: neither a proposal nor an explanation"),
    ],
)
def test_task_that_cannot_be_used_is_one_clear_line(task: Annotated, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        read(task)
    assert str(raised.value).startswith("t.jsonl line 1: example 'wreck', ")
    assert (raised.value.field, "\n" in str(raised.value)) == ("tasks", False)


def test_error_without_a_verdict_is_refused() -> None:
    task = rewritten(EXPLAINED, "split", SINGLE)
    form = next(each for each in task.judgements if each.author == ANN)
    added = replace(form, units=(*form.units, Unit("i2", "inconsistency", "No silver.")))
    with pytest.raises(InputError, match="error i2: it has no verdict"):
        read(with_form(EXPLAINED, added), corpus=[explained()])


def test_place_that_does_not_fit_is_refused() -> None:
    task = task_of(PLAIN, PLACE)
    unit = Unit("i1", "inconsistency", "x", (Span("response", 0, 3, "xyz"),))
    with pytest.raises(InputError, match="reads 'Gua', not 'xyz'"):
        read(with_form(task, replace(filled(task, "new"), units=(unit,))))


def test_tasks_of_two_passes_are_not_mixed() -> None:
    other = replace(PLACE, text="It was elsewhere.")
    with pytest.raises(InputError, match=r"line 2: .* it is another one in an earlier line"):
        read(decided(task_of(PLAIN, PLACE), "new"), decided(task_of(PLAIN, other), "none", by=BO))


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
    with pytest.raises(InputError, match=f"^t.jsonl line 1: {message}"):
        read(Annotated(replace(WRECK, **changes), judgements))


def test_what_a_form_says_of_operations_is_read_from_the_category() -> None:
    task = explanation_task(explained())
    form = form_of(task)
    whole, *drafts = form.verdicts
    verdicts = (
        replace(whole, attributes=Attributes(decision="split")),
        *(replace(each, attributes=Attributes(category="extraction")) for each in drafts),
    )
    filled_in = replace(form, author=ANN, outcomes=verdicts)
    (found,) = read(with_form(task, filled_in), corpus=[explained()])
    operations = {e.verdict.attributes.category for e in found.decisions[0].errors}
    assert operations == {"extraction"}


def test_all_that_is_wrong_in_all_lines_is_told_together() -> None:
    both = decided(task_of(PLAIN, *BOTH), "yes", "no")
    other = Annotated(replace(WRECK, id="other"), both.judgements[:0])
    with pytest.raises(InputError) as raised:
        read(both, other)
    first, second, third = str(raised.value).splitlines()
    assert first.startswith("t.jsonl line 1: example 'wreck', proposal i1: the decision is one of")
    assert second.startswith("t.jsonl line 1: example 'wreck', proposal i2: the decision is one of")
    assert third == "t.jsonl line 2: the data has no example 'other'"
