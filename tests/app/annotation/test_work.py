"""Changes, versions, submissions: what is acknowledged is kept, and nothing is overwritten."""

from dataclasses import replace as changed
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from sqlalchemy import select

from assay.app.annotation.access import NotFoundError
from assay.app.annotation.annotating import items, work
from assay.app.annotation.annotating.beginning import history_units
from assay.app.annotation.annotating.drafts import Edit, edits_from, read_units
from assay.app.annotation.settings import ProjectSettings
from assay.app.annotation.studio import Person, Studio, open_studio
from assay.core.codec import read_judgement
from assay.core.errors import InputError
from assay.core.judgements import Judgement
from assay.core.wire import AttributesRecord, ExternalRecord, SpanRecord, UnitRecord, VerdictRecord
from assay.store.studio import tables
from tests.annotating import EXAMPLES, MakePerson, MakeProject, on_both_databases
from tests.app.annotation.working import (
    SUPPORTED,
    annotate,
    at_once,
    label_all,
    labelled,
    mine,
    quote,
    span,
    take,
    verdict,
)

TEXT = EXAMPLES[0].response.text  # "It sat. It slept."


@pytest.fixture
def ann(make_person: MakePerson, make_project: MakeProject) -> Person:
    """An annotator of a project of three items."""
    person = make_person("ann")
    make_project(members=[person])
    return person


def said(studio: Studio, author: str) -> list[Judgement]:
    """What somebody submitted, in order."""
    query = select(tables.judgements.c.record).where(tables.judgements.c.author == author)
    with studio.read() as connection:
        rows = connection.execute(query.order_by(tables.judgements.c.id)).scalars().all()
    return [read_judgement(row) for row in rows]


def kept(studio: Studio, work_id: int) -> tuple[int, list[UnitRecord], list[UnitRecord]]:
    """The version of a work, its draft, and the draft that its history leads to."""
    with studio.read() as connection:
        query = select(tables.work).where(tables.work.c.id == work_id)
        row = connection.execute(query).one()
        return row.version, read_units(row.draft), history_units(connection, work_id)


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
    with pytest.raises(work.Conflict) as caught:
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
    with pytest.raises(work.Conflict):
        work.change(studio, ann, own.id, 0, "edit", [other], request=second)


def test_a_version_that_is_not_there_yet_is_a_conflict(studio: Studio, ann: Person) -> None:
    own = mine(take(studio, ann))
    with pytest.raises(work.Conflict) as caught:
        work.change(studio, ann, own.id, 7, "edit", [labelled(own.units[0], SUPPORTED)])
    assert caught.value.details == {"version": 0, "changes": []}


def test_of_two_writers_with_the_same_base_one_wins(studio: Studio, ann: Person) -> None:
    own = mine(take(studio, ann))
    results = at_once(
        lambda: work.change(studio, ann, own.id, 0, "edit", [labelled(own.units[0], SUPPORTED)]),
        lambda: work.change(studio, ann, own.id, 0, "edit", [labelled(own.units[0], "no-fact")]),
    )
    assert sorted(type(each).__name__ for each in results) == ["Conflict", "Saved"]
    version, draft, folded = kept(studio, own.id)
    assert (version, draft) == (1, folded)


def test_what_was_acknowledged_is_there_after_the_studio_is_opened_again(
    studio: Studio, studio_at: str, ann: Person
) -> None:
    own = mine(take(studio, ann))
    work.change(studio, ann, own.id, 0, "edit", [labelled(own.units[0], SUPPORTED)])
    studio.close()
    again = open_studio(studio_at)
    view = items.open_item(again, ann, "demo", 1)
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
    with pytest.raises(work.Conflict):
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


@pytest.fixture
def sqlite_studio(tmp_path_factory: pytest.TempPathFactory) -> tuple[Studio, Person, int]:
    """A studio in a file with one opened work, for what does not depend on the database."""
    studio = open_studio(str(tmp_path_factory.mktemp("studio") / "studio.sqlite"))
    person, work_id = begun(studio)
    return studio, person, work_id


def begun(studio: Studio, mode: str = "sentences") -> tuple[Person, int]:
    """A person with an opened work, written down without fixtures."""
    from assay.app.annotation.people.accounts import add_person
    from assay.app.annotation.settings import write_settings
    from assay.core.codec import write_example
    from assay.core.examples import Annotated

    with studio.write() as connection:
        who = add_person(studio, connection, "ann", "annotator", "")
        made = ProjectSettings(mode=mode)  # type: ignore[arg-type]
        project = {"slug": "demo", "name": "Demo", "settings": write_settings(made), "dataset": ""}
        number = connection.execute(
            tables.projects.insert().values(**project, at="").returning(tables.projects.c.id)
        ).scalar_one()
        record = write_example(Annotated(EXAMPLES[0])).decode()
        item = {"position": 1, "purpose": "real", "example": "a", "record": record, "source": ""}
        connection.execute(
            tables.items.insert().values(
                **item, project=number, model="", batch=0, k=1, state="new"
            )
        )
        connection.execute(tables.members.insert().values(project=number, person=who.id, at=""))
    return who, mine(take(studio, who)).id


def test_sentences_do_not_overlap(sqlite_studio: tuple[Studio, Person, int]) -> None:
    studio, ann, work_id = sqlite_studio
    whole = UnitRecord("s1", "sentence", TEXT, start=0, end=len(TEXT))
    with pytest.raises(InputError, match="overlap at character 8"):
        work.change(studio, ann, work_id, 0, "merge", [Edit("s1", whole)])
    saved = work.change(studio, ann, work_id, 0, "merge", [Edit("s1", whole), Edit("s2")])
    assert saved.version == 1


def test_a_draft_has_limits(sqlite_studio: tuple[Studio, Person, int]) -> None:
    studio, ann, work_id = sqlite_studio
    with pytest.raises(InputError) as caught:
        work.change(studio, ann, work_id, 0, "edit", [Edit(f"s{n}") for n in range(501)])
    assert caught.value.code == "too-large"


def test_words_that_are_in_no_sentence_keep_it_from_being_submitted(
    sqlite_studio: tuple[Studio, Person, int],
) -> None:
    studio, ann, work_id = sqlite_studio
    first = UnitRecord("s1", "sentence", "It sat.", start=0, end=7, verdict=verdict(SUPPORTED))
    work.change(studio, ann, work_id, 0, "merge", [Edit("s1", first), Edit("s2")])
    with pytest.raises(work.Incomplete) as caught:
        work.submit(studio, ann, work_id, 1)
    (problem,) = caught.value.details["problems"]["response"]
    assert (problem.message, problem.missing) == ("'It slept.' is in no sentence", "sentence")


def test_spans_give_the_response_its_worst_class(tmp_path_factory: pytest.TempPathFactory) -> None:
    studio = open_studio(str(tmp_path_factory.mktemp("studio") / "studio.sqlite"))
    ann, work_id = begun(studio, "spans")
    edits = [
        span(TEXT, "slept", "p1", "unwanted.extrinsic", "benign", note="nobody says so"),
        span(TEXT, "It slept", "p2", "questionable", note="?"),
    ]
    work.change(studio, ann, work_id, 0, "edit", edits)
    work.submit(studio, ann, work_id, 1)
    (judgement,) = said(studio, "ann")
    labels = {each.unit: str(each.label) for each in judgement.verdicts}
    assert labels == {"p2": "questionable", "p1": "unwanted.extrinsic", "response": "unwanted"}
    first = next(each for each in judgement.verdicts if each.unit == "p1")
    assert [str(each.label) for each in first.interpretations] == ["unwanted.extrinsic", "benign"]


def test_nothing_marked_is_consistent(tmp_path_factory: pytest.TempPathFactory) -> None:
    studio = open_studio(str(tmp_path_factory.mktemp("studio") / "studio.sqlite"))
    ann, work_id = begun(studio, "spans")
    work.submit(studio, ann, work_id, 0)
    (judgement,) = said(studio, "ann")
    assert [(each.unit, str(each.label)) for each in judgement.verdicts] == [
        ("response", "consistent")
    ]


def test_both_sets_of_units_are_one_judgement(tmp_path_factory: pytest.TempPathFactory) -> None:
    studio = open_studio(str(tmp_path_factory.mktemp("studio") / "studio.sqlite"))
    ann, work_id = begun(studio, "both")
    units = kept(studio, work_id)[1]
    edits = [*(labelled(unit, SUPPORTED) for unit in units), span(TEXT, "slept", "p1", "benign")]
    work.change(studio, ann, work_id, 0, "edit", edits)
    work.submit(studio, ann, work_id, 1)
    (judgement,) = said(studio, "ann")
    assert [(each.unit, each.label and each.label.taxonomy) for each in judgement.verdicts] == [
        ("s1", "gray7"),
        ("s2", "gray7"),
        ("p1", "faithbench"),
        ("response", "faithbench"),
    ]
    assert judgement.finding("response").label == "benign"  # type: ignore[union-attr]


LABELS = st.sampled_from([SUPPORTED, "no-fact", "fabricated", None])
STEPS = st.lists(
    st.tuples(st.sampled_from(["label", "split", "merge", "span", "unspan", "undo"]), LABELS),
    max_size=12,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_the_draft_is_what_folding_the_history_gives(
    steps: list[tuple[str, str | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    studio = open_studio(str(tmp_path_factory.mktemp("studio") / "studio.sqlite"))
    ann, work_id = begun(studio, "both")
    past: list[list[Edit]] = []  # what takes each change back
    for action, label in steps:
        version, units, _ = kept(studio, work_id)
        edits = past.pop() if action == "undo" and past else edits_of(action, label, units)
        if not edits:
            continue
        if action != "undo":
            known = {unit.id: unit for unit in units}
            past.append([Edit(each.id, known.get(each.id)) for each in edits])
        kind = action if action in ("split", "merge", "undo") else "edit"
        assert work.change(studio, ann, work_id, version, kind, edits).version == version + 1  # type: ignore[arg-type]
        _, draft, folded = kept(studio, work_id)
        assert draft == folded
    while past:
        version = kept(studio, work_id)[0]
        work.change(studio, ann, work_id, version, "undo", past.pop())
    _, draft, folded = kept(studio, work_id)
    assert [(unit.id, unit.text, unit.verdict) for unit in draft] == [
        ("s1", "It sat.", None),
        ("s2", "It slept.", None),
    ]
    assert draft == folded
    studio.close()


def edits_of(action: str, label: str | None, units: list[UnitRecord]) -> list[Edit]:
    """Edits of a kind that are possible now, if any."""
    sentences = [unit for unit in units if unit.kind == "sentence"]
    said = VerdictRecord(label=label) if label else None
    first = sentences[0]
    if action == "label":
        return [Edit(each.id, replace(each, verdict=said)) for each in sentences[-1:]]
    if action == "split" and (cut := first.text.find(" ")) > 0 and len(sentences) < 3:
        start = first.start or 0
        one = replace(first, text=first.text[:cut], end=start + cut)
        other = UnitRecord("s9", "sentence", first.text[cut + 1 :], start + cut + 1, first.end)
        return [Edit(first.id, one), Edit("s9", other)]
    if action == "merge" and len(sentences) > 1:
        last = sentences[1]
        start, end = first.start or 0, last.end or 0
        return [Edit(first.id, replace(first, text=TEXT[start:end], end=end)), Edit(last.id)]
    if action == "span":
        return [span(TEXT, "It", f"p{len(units)}", "benign")]
    if action == "unspan":
        return [Edit(each.id) for each in units if each.kind == "span"][:1]
    return []


def test_evidence_and_links_are_kept(sqlite_studio: tuple[Studio, Person, int]) -> None:
    studio, ann, work_id = sqlite_studio
    source = EXAMPLES[0].source.text
    said_of = replace(
        verdict("contradicting", note="it stood"),
        evidence=[quote(source, "sat on the mat")],
        external=[ExternalRecord("https://example.org/a", title="A", digest="0" * 64)],
    )
    unit = UnitRecord("s1", "sentence", "It sat.", start=0, end=7, verdict=said_of)
    assert work.change(studio, ann, work_id, 0, "edit", [Edit("s1", unit)]).problems == {"s1": ()}
    assert kept(studio, work_id)[1][0] == unit


@pytest.mark.parametrize(
    "said", [{"explanation": "x" * 500_000}, {"decision": "incorrect"}, {"original": "y"}]
)
def test_people_do_not_say_what_programs_note(
    studio: Studio, ann: Person, said: dict[str, str]
) -> None:
    taken = mine(take(studio, ann))
    edit = labelled(taken.units[0], SUPPORTED, nothing=True)
    assert edit.unit is not None
    assert edit.unit.verdict is not None
    forged = replace(edit.unit.verdict, attributes=AttributesRecord(**said))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="only whether nothing was found"):
        work.change(
            studio, ann, taken.id, 0, "edit", [Edit(edit.id, replace(edit.unit, verdict=forged))]
        )
    assert work.change(studio, ann, taken.id, 0, "edit", [edit]).version == 1
