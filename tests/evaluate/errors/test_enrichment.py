"""Errors proposed for the gold, decided by people, and taken into the gold."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.labels import Label
from assay.core.runs import Run
from assay.core.taxonomies import BINARY, FAITHBENCH, RAGTRUTH4
from assay.core.texts import Response
from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from assay.datasets.example_records import example_record, read_record
from assay.detectors.localize.oracle import gold_label
from assay.detectors.units import response_unit
from assay.evaluate.errors.applying import apply_tasks, enriched
from assay.evaluate.errors.tasks import Task, origin_of, propose, read_tasks, task_record
from assay.evaluate.localization.gold import gold_inconsistencies
from assay.evaluate.localization.offline import OfflineMatcher
from tests.evaluate.errors.cases import CARGO, PLACE, gold_of
from tests.evaluate.localization.stories import WRECK, failed, judged

RUN = Run("localize-recall", "0.1", model="m", dataset="d", prompt_digests={"p": "abc"})
ORIGIN = origin_of("d--recall--m", RUN, "offline")


def tasks_of(example: Example, *found: Unit) -> tuple[Task, ...]:
    return propose([judged(example, found)], OfflineMatcher(), ORIGIN).tasks


def accepted(example: Example, *found: Unit) -> list[Task]:
    return [replace(task, state="accepted", by="ann") for task in tasks_of(example, *found)]


def test_only_what_the_gold_does_not_have_is_proposed() -> None:
    example = gold_of((PLACE, ""))
    other = replace(WRECK, id="other")
    found = propose([judged(example, [PLACE, CARGO]), failed(other)], OfflineMatcher(), ORIGIN)
    (task,) = found.tasks
    assert (task.unit, task.state, str(task.category)) == (CARGO, "open", "extrinsic-wrong")
    assert task.id.startswith("wreck:")
    assert task.proposed_by["model"] == "m"
    assert task.proposed_by["prompts"] == {"p": "abc"}
    assert task.proposed_by["run"] == "d--recall--m"
    assert (found.examples, found.known, found.failures) == (2, 1, {"parse": 1})


def test_parts_that_nobody_looked_at_are_counted() -> None:
    lost = Failure(Unit("claim", "A wreck."), "parse")
    found = propose([judged(WRECK, [PLACE], lost)], OfflineMatcher(), ORIGIN)
    assert (len(found.tasks), found.unchecked, found.is_complete) == (1, 1, False)


def test_responses_without_gold_get_proposals_too() -> None:
    assert len(tasks_of(WRECK, PLACE, CARGO)) == 2


def read(folder: Path, *lines: Any, example: Example = WRECK) -> list[Task]:
    file = folder / "tasks.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return read_tasks(str(file), [example])


def test_tasks_are_written_and_read_back(tmp_path: Path) -> None:
    tasks = list(tasks_of(WRECK, PLACE, CARGO))
    assert read(tmp_path, *map(task_record, tasks)) == tasks
    record = task_record(tasks[0])
    assert record["response"] == WRECK.response.text
    assert record["spans"][0]["text"] == "in Vardia"


def test_people_may_mend_what_they_accept(tmp_path: Path) -> None:
    record = task_record(tasks_of(WRECK, PLACE)[0])
    mended = {**record, "state": "accepted", "by": "ann", "comment": "Yes."}
    mended |= {"description": "Vardia is added.", "category": "extrinsic-correct", "spans": []}
    (task,) = read(tmp_path, mended)
    assert (task.unit, str(task.category)) == (
        Unit("inconsistency", "Vardia is added."),
        "extrinsic-correct",
    )
    assert (task.state, task.by, task.comment) == ("accepted", "ann", "Yes.")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"state": "yes"}, "one of open, accepted, rejected, unsure, not 'yes'"),
        ({"state": "accepted"}, "no name under 'by'"),
        ({"example": "who"}, "the data has no example 'who'"),
        ({"response": "Changed."}, "the response of example 'wreck' is another text"),
        ({"source": "Changed."}, "the source of example 'wreck' is another text"),
        ({"category": "bad"}, "unknown final4 label 'bad'"),
        ({"description": " "}, "the description is empty"),
        ({"spans": [{"start": 0, "end": 3, "text": "xyz"}]}, "reads 'Gua', not 'xyz'"),
        ({"spans": "here"}, "'spans' is a list of places"),
        ({"id": ""}, "it has no 'id'"),
        ({"by": 3}, "'by' is text, not 3"),
        ({"proposed_by": "gpt"}, "'proposed_by', and 'prompts' in it, are objects"),
        ({"proposed_by": {"prompts": ["p"]}}, "'proposed_by', and 'prompts' in it, are objects"),
    ],
)
def test_task_that_cannot_be_used_is_one_clear_line(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    record = {**task_record(tasks_of(WRECK, PLACE)[0]), **changes}
    with pytest.raises(InputError, match=message) as raised:
        read(tmp_path, record)
    assert "tasks.jsonl record 1: " in str(raised.value)
    assert "\n" not in str(raised.value)


def test_task_that_is_answered_twice_raises(tmp_path: Path) -> None:
    record = task_record(tasks_of(WRECK, PLACE)[0])
    with pytest.raises(InputError, match=r"record 2: .* is answered twice"):
        read(tmp_path, record, {**record, "state": "rejected", "by": "bo"})


def test_findings_in_equal_words_are_tasks_of_their_own(tmp_path: Path) -> None:
    tasks = tasks_of(WRECK, CARGO, CARGO)
    assert [task.id.removeprefix(tasks[0].id) for task in tasks] == ["", "-2"]
    assert len(read(tmp_path, *map(task_record, tasks))) == 2


def test_tasks_that_are_applied_again_add_nothing() -> None:
    example = gold_of((PLACE, ""))
    tasks = accepted(example, CARGO)
    once = apply_tasks([example], [*tasks, *tasks])
    assert (once.errors_before, once.added, once.known) == (1, 1, 1)
    again = apply_tasks(once.examples, tasks)
    assert again.examples == once.examples
    assert (again.errors_before, again.added, again.known) == (2, 0, 1)


def test_accepted_tasks_of_dropped_examples_are_not_counted_as_added() -> None:
    unsure = [replace(task, state="unsure", by="bo") for task in tasks_of(WRECK, PLACE)]
    found = apply_tasks([WRECK], [*accepted(WRECK, CARGO), *unsure], drop_unsure=True)
    assert (found.examples, found.dropped, found.added, found.known) == ((), 1, 0, 0)


def test_accepted_tasks_become_gold_with_who_proposed_and_accepted_them() -> None:
    example = gold_of((PLACE, "extrinsic-wrong"))
    found = enriched(example, accepted(example, CARGO))
    gold = gold_inconsistencies(found)
    assert gold is not None
    assert [error.unit for error in gold] == [PLACE, CARGO]
    verdict = found.gold[-1]
    assert (verdict.judge, str(verdict.error)) == ("ann", "extrinsic-wrong")
    for part in ("by m", "prompt p abc", "run d--recall--m", "accepted by ann"):
        assert part in verdict.note
    assert read_record(json.loads(json.dumps(example_record(found)))) == found


def test_marked_errors_stay_beside_those_that_are_added() -> None:
    span = Unit.at("span", PLACE.spans[0])
    marked = (
        Verdict(response_unit(WRECK), BINARY["unfaithful"]),
        Verdict(span, RAGTRUTH4["evident-baseless"], note="No place is named."),
    )
    example = replace(WRECK, gold=marked)
    found = enriched(example, accepted(example, CARGO))
    gold = gold_inconsistencies(found)
    assert gold is not None
    assert [error.description for error in gold] == ["No place is named.", CARGO.text]
    assert found.gold[:-1] == marked


@pytest.mark.parametrize(
    ("label", "now"),
    [
        (BINARY["faithful"], BINARY["unfaithful"]),
        (FAITHBENCH["consistent"], FAITHBENCH["unwanted"]),
        (None, BINARY["unfaithful"]),
    ],
)
def test_response_that_was_faithful_is_so_no_more(label: Label | None, now: Label) -> None:
    gold = (Verdict(response_unit(WRECK), label),) if label else ()
    example = replace(WRECK, gold=gold)
    found = enriched(example, accepted(example, CARGO))
    whole = [verdict for verdict in found.gold if verdict.unit.kind == "response"]
    assert [verdict.label for verdict in whole] == [now]
    assert "people had not seen before" in whole[0].note
    assert label is None or f"Before: {label.name}" in whole[0].note
    assert gold_label(found) == now


def test_what_was_said_of_a_faithful_response_does_not_become_an_error() -> None:
    note = "error: none\nexplanation: There is no error."
    whole = Verdict(response_unit(WRECK), BINARY["faithful"], note=note)
    example = replace(WRECK, gold=(whole,))
    gold = gold_inconsistencies(enriched(example, accepted(example, CARGO)))
    assert gold is not None
    assert [error.unit for error in gold] == [CARGO]


def test_accounts_of_several_annotators_are_kept() -> None:
    span = Unit.at("span", PLACE.spans[0])
    label = FAITHBENCH["unwanted.intrinsic"]
    marks = (
        Verdict(span, label, note=note, judge=judge)
        for judge, note in (("a", "No place is named."), ("b", "Vardia is new."))
    )
    example = replace(WRECK, gold=(Verdict(response_unit(WRECK), label), *marks))
    before = gold_inconsistencies(example)
    after = gold_inconsistencies(enriched(example, accepted(example, CARGO)))
    assert before
    assert after
    assert (after[: len(before)], after[-1].unit) == (before, CARGO)


def test_rejected_and_open_tasks_change_nothing_and_are_counted() -> None:
    one, other = gold_of((PLACE, "")), gold_of(example=replace(WRECK, id="other"))
    last = replace(WRECK, id="last", response=Response(WRECK.response.text))
    tasks = [
        *accepted(other, PLACE, CARGO),
        *(replace(task, state="rejected", by="bo") for task in tasks_of(one, CARGO)),
        *(replace(task, state="unsure", by="bo") for task in tasks_of(last, CARGO)),
        *tasks_of(last, PLACE),
    ]
    found = apply_tasks([one, other, last], tasks)
    assert found.states == {"accepted": 2, "rejected": 1, "unsure": 1, "open": 1}
    assert found.examples[0] == one
    assert found.examples[2] == last
    # Two of the four decided tasks are accepted.
    assert (found.accepted.value, found.accepted.n) == (0.5, 4)
    assert (found.errors_before, found.newly_unfaithful, found.dropped) == (1, 1, 0)
    fewer = apply_tasks([one, other, last], tasks, drop_unsure=True)
    assert ([e.id for e in fewer.examples], fewer.dropped) == (["wreck", "other"], 1)


def test_category_is_not_needed() -> None:
    (task,) = accepted(WRECK, CARGO)
    found = enriched(WRECK, [replace(task, category=None)])
    assert found.gold[-1].error is None
