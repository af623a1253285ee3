"""Changes, versions, submissions: what is acknowledged is kept, and nothing is overwritten."""

from dataclasses import replace as changed
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from assay.annotation.access import NotFoundError
from assay.annotation.items import item_view, work
from assay.annotation.items.drafts import edits_from
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio, open_studio
from assay.core.errors import InputError
from assay.core.wire import SpanRecord
from assay.store.annotation import tables
from tests.annotating import EXAMPLES, MakePerson, MakeProject, on_both_databases
from tests.annotation.items.conftest import kept, said
from tests.annotation.working import (
    SUPPORTED,
    annotate,
    at_once,
    label_all,
    labelled,
    mine,
    take,
    verdict,
)


def test_a_change_is_kept_and_counts_the_version(studio: Studio, ann: Person) -> None:
    own = mine(take(studio, ann))
    saved = work.change(studio, ann, own.id, 0, "edit", [labelled(own.units[0], SUPPORTED)])
    assert (saved.version, saved.problems) == (1, {"s1": ()})
    version, draft, _ = kept(studio, own.id)
    assert (version, draft[0].verdict) == (1, verdict(SUPPORTED))


def test_a_change_tells_what_its_units_lack(studio: Studio, ann: Person) -> None:
    own = mine(take(studio, ann))
    edits = [labelled(own.units[1], "contradicting"), labelled(own.units[0], "out-dependent")]
    saved = work.change(studio, ann, own.id, 0, "edit", edits)
    found = {unit: [each.missing for each in why] for unit, why in saved.problems.items()}
    assert found == {"s1": ["external"], "s2": ["source", "reason"]}


def test_an_old_base_is_a_conflict_that_tells_what_was_missed(studio: Studio, ann: Person) -> None:
    own = mine(take(studio, ann))
    first = labelled(own.units[0], SUPPORTED)
    work.change(studio, ann, own.id, 0, "edit", [first], request="tab1")
    with pytest.raises(work.SaveConflict) as caught:
        work.change(studio, ann, own.id, 0, "edit", [labelled(own.units[1], "no-fact")])
    (step,) = caught.value.details["changes"]
    assert caught.value.details["version"] == 1
    assert (step.version, step.kind, step.changes) == (1, "edit", (first,))
    assert kept(studio, own.id)[1][1].verdict is None


def test_a_change_whose_answer_got_lost_is_answered_again(studio: Studio, ann: Person) -> None:
    own = mine(take(studio, ann))
    edit = labelled(own.units[0], SUPPORTED)
    first = work.change(studio, ann, own.id, 0, "edit", [edit], request="r1")
    work.change(studio, ann, own.id, 1, "edit", [labelled(own.units[1], SUPPORTED)], request="r2")
    again = work.change(studio, ann, own.id, 0, "edit", [edit], request="r1")
    assert again == first
    assert kept(studio, own.id)[0] == 2


@pytest.mark.parametrize(
    ("first", "second", "label"),
    [("", "", SUPPORTED), ("r1", "r1", "no-fact"), ("r1", "r2", SUPPORTED), ("r1", "", SUPPORTED)],
)
def test_only_the_same_change_is_answered_again(
    studio: Studio, ann: Person, first: str, second: str, label: str
) -> None:
    own = mine(take(studio, ann))
    edit, other = labelled(own.units[0], SUPPORTED), labelled(own.units[0], label)
    work.change(studio, ann, own.id, 0, "edit", [edit], request=first)
    with pytest.raises(work.SaveConflict):
        work.change(studio, ann, own.id, 0, "edit", [other], request=second)


def test_a_version_that_is_not_there_yet_is_a_conflict(studio: Studio, ann: Person) -> None:
    own = mine(take(studio, ann))
    with pytest.raises(work.SaveConflict) as caught:
        work.change(studio, ann, own.id, 7, "edit", [labelled(own.units[0], SUPPORTED)])
    assert caught.value.details == {"version": 0, "changes": []}


def test_of_two_writers_with_the_same_base_one_wins(studio: Studio, ann: Person) -> None:
    own = mine(take(studio, ann))
    results = at_once(
        lambda: work.change(studio, ann, own.id, 0, "edit", [labelled(own.units[0], SUPPORTED)]),
        lambda: work.change(studio, ann, own.id, 0, "edit", [labelled(own.units[0], "no-fact")]),
    )
    assert sorted(type(each).__name__ for each in results) == ["SaveConflict", "Saved"]
    version, draft, folded = kept(studio, own.id)
    assert (version, draft) == (1, folded)


def test_what_was_acknowledged_is_there_after_the_studio_is_opened_again(
    studio: Studio, studio_at: str, ann: Person
) -> None:
    own = mine(take(studio, ann))
    work.change(studio, ann, own.id, 0, "edit", [labelled(own.units[0], SUPPORTED)])
    studio.close()
    again = open_studio(studio_at)
    view = item_view.open_item(again, ann, "demo", 1)
    assert mine(view).units[0].verdict == verdict(SUPPORTED)
    again.close()


def test_a_finished_draft_becomes_a_judgement(studio: Studio, ann: Person) -> None:
    view = take(studio, ann)
    version = label_all(studio, ann, view, ["implicitly-supported", "contradicting"])
    done = work.submit(studio, ann, mine(view).id, version)
    assert (done.state, done.round) == ("done", 1)
    (judgement,) = said(studio, "ann")
    assert [str(each.label) for each in judgement.verdicts] == [
        "implicitly-supported",
        "contradicting",
    ]
    assert (judgement.author.kind, judgement.example) == ("person", "a")
    assert judgement.verdicts[1].attributes.nothing_found
    assert judgement.characters_read == len(EXAMPLES[0].source.text)


def test_an_unfinished_draft_is_refused_with_all_its_problems(studio: Studio, ann: Person) -> None:
    own = mine(take(studio, ann))
    work.change(studio, ann, own.id, 0, "edit", [labelled(own.units[0], "fabricated", note="x")])
    with pytest.raises(work.Incomplete) as caught:
        work.submit(studio, ann, own.id, 1)
    missing = {
        unit: [p.missing for p in why] for unit, why in caught.value.details["problems"].items()
    }
    assert missing == {"s1": ["source"], "s2": ["label"]}
    assert said(studio, "ann") == []


def test_submitting_an_old_version_is_a_conflict(studio: Studio, ann: Person) -> None:
    view = take(studio, ann)
    version = label_all(studio, ann, view, [SUPPORTED, SUPPORTED])
    with pytest.raises(work.SaveConflict):
        work.submit(studio, ann, mine(view).id, version - 1)


def test_submitting_twice_gives_the_same_answer_and_one_judgement(
    studio: Studio, ann: Person
) -> None:
    view = take(studio, ann)
    version = label_all(studio, ann, view, [SUPPORTED, SUPPORTED])
    first = work.submit(studio, ann, mine(view).id, version)
    assert work.submit(studio, ann, mine(view).id, version) == first
    assert len(said(studio, "ann")) == 1


def test_submitted_work_is_not_changed(studio: Studio, ann: Person) -> None:
    view = annotate(studio, ann, [SUPPORTED, SUPPORTED])
    with pytest.raises(InputError, match="take it up again"):
        work.change(
            studio, ann, mine(view).id, 1, "edit", [labelled(mine(view).units[0], "no-fact")]
        )


@on_both_databases
def test_reopened_work_is_submitted_as_a_later_round(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    ann, ben = make_person("ann"), make_person("ben")
    make_project(settings=ProjectSettings(k=2), members=[ann, ben])
    view = annotate(studio, ann, [SUPPORTED, SUPPORTED])
    own = mine(view)
    assert work.reopen(studio, ann, own.id).state == "open"
    edit = labelled(own.units[1], "contradicting", note="no", nothing=True)
    work.change(studio, ann, own.id, 1, "edit", [edit])
    work.submit(studio, ann, own.id, 2)
    first, second = said(studio, "ann")
    assert (second.round, second.supersedes) == (2, first.key)
    with studio.read() as connection:
        query = select(tables.judgements.c.is_current).order_by(tables.judgements.c.id)
        assert connection.execute(query).scalars().all() == [False, True]


def test_nobody_touches_the_work_of_others(
    studio: Studio, ann: Person, make_person: MakePerson
) -> None:
    own = mine(take(studio, ann))
    edit = [labelled(own.units[0], SUPPORTED)]
    for other in (make_person("eve"), make_person("root", "administrator")):
        for call in (
            lambda who=other: work.change(studio, who, own.id, 0, "edit", edit),
            lambda who=other: work.submit(studio, who, own.id, 0),
            lambda who=other: work.reopen(studio, who, own.id),
            lambda who=other: work.add_seconds(studio, who, own.id, 5),
        ):
            with pytest.raises(NotFoundError):
                call()


def test_seconds_grow_and_stay_plausible(studio: Studio, ann: Person) -> None:
    own = mine(take(studio, ann))
    later = changed(studio, clock=lambda: datetime.now(UTC) + timedelta(seconds=90))
    assert work.add_seconds(later, ann, own.id, 40).seconds == 40
    assert work.add_seconds(later, ann, own.id, 30).seconds == 40
    assert work.add_seconds(later, ann, own.id, 10_000).seconds in (90, 91)


SENTENCE = SpanRecord(0, 7, "It sat.")
BAD_UNITS: dict[str, object] = {
    "words that are not there": {"text": "It ran.", "start": 0, "end": 7},
    "a place beyond the end": {"text": "x" * 7, "start": 90, "end": 97},
    "no place at all": {"start": None, "end": None},
    "an unknown label": {"verdict": {"label": "wrong"}},
    "a label of another menu": {"verdict": {"label": {"taxonomy": "nli", "label": "neutral"}}},
    "an alias of a label": {"verdict": {"label": "inconsistent"}},
    "a score": {"verdict": {"score": 0.5}},
    "a note that is too long": {"verdict": {"note": "x" * 20_001}},
    "too much evidence": {"verdict": {"evidence": [{"start": 0, "end": 3, "text": "The"}] * 201}},
    "evidence that is not there": {
        "verdict": {"evidence": [{"start": 0, "end": 3, "text": "A d"}]}
    },
    "evidence of no words": {"verdict": {"evidence": [{"start": 3, "end": 3, "text": ""}]}},
    "marks, which are a detector's": {
        "verdict": {"label": "fabricated", "marks": [{"start": 0, "end": 2, "text": "It"}]}
    },
    "a link that is no web address": {
        "verdict": {"external": [{"address": "javascript:alert(1)"}]}
    },
    "a kind that is not judged": {"kind": "span"},
    "readings of a reading": {
        "verdict": {
            "answers": {
                "senses": [
                    {"meaning": "a", "answers": {"senses": [{"meaning": "b", "answers": {}}]}}
                ]
            }
        }
    },
    "an unknown field": {"colour": "red"},
    "a failure": {"failure": {"reason": "parse"}},
}


@pytest.mark.parametrize("change", BAD_UNITS.values(), ids=BAD_UNITS)
def test_what_cannot_be_is_not_saved(
    sqlite_studio: tuple[Studio, Person, int], change: dict[str, object]
) -> None:
    studio, ann, work_id = sqlite_studio
    unit = {"id": "s1", "kind": "sentence", "text": "It sat.", "start": 0, "end": 7, **change}
    with pytest.raises(InputError):
        work.change(studio, ann, work_id, 0, "edit", edits_from([{"id": "s1", "unit": unit}]))
    assert kept(studio, work_id)[0] == 0
