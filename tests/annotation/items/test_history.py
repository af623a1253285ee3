"""Every change is told to those who may know of it, and to nobody else."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from sqlalchemy import update

from assay.annotation.access import ForbiddenError, NotFoundError
from assay.annotation.items import item_view, work
from assay.annotation.items.drafts import UnitEdit
from assay.annotation.items.history import (
    HistoryEntry,
    item_history,
    project_history,
    work_history,
)
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.core.codec import encode
from assay.core.errors import InputError
from assay.core.wire import UnitRecord
from assay.store.annotation import tables
from tests.annotating import EXAMPLES, MakePerson, MakeProject, on_both_databases
from tests.annotation.working import (
    SUPPORTED,
    annotate,
    label_all,
    labelled,
    mine,
    take,
    verdict,
)


@pytest.fixture
def team(make_person: MakePerson, make_project: MakeProject) -> list[Person]:
    """Two annotators of one item, an adjudicator and an administrator."""
    team = [
        make_person("ann"),
        make_person("ben"),
        make_person("ada", "adjudicator"),
        make_person("root", "administrator"),
    ]
    settings = ProjectSettings(k=2, discussion=True)
    make_project(settings=settings, examples=EXAMPLES[:1], members=team[:3])
    return team


def kinds(entries: tuple[HistoryEntry, ...]) -> list[tuple[str, str]]:
    return [(each.person, each.kind) for each in entries]


def test_a_change_is_told_as_what_it_changed(studio: Studio, team: list[Person]) -> None:
    ann = team[0]
    own = mine(take(studio, ann))
    first = labelled(own.units[0], "fabricated", note="no", nothing=True)
    work.change(studio, ann, own.id, 0, "edit", [first])
    said = replace(verdict("fabricated", note="never", nothing=True), answers=None)
    work.change(
        studio, ann, own.id, 1, "edit", [UnitEdit("s1", replace(own.units[0], verdict=said))]
    )
    whole = UnitRecord("s1", "sentence", EXAMPLES[0].response.text, start=0, end=17, verdict=said)
    work.change(studio, ann, own.id, 2, "merge", [UnitEdit("s1", whole), UnitEdit("s2")])
    merged, noted, label, begun = work_history(studio, ann, own.id).entries
    assert [each.kind for each in (merged, noted, label, begun)] == [
        "merge",
        "edit",
        "edit",
        "begin",
    ]
    (given,) = label.differences
    assert (given.unit, given.before, given.after) == ("s1", None, "fabricated")
    assert given.parts == ("label", "note", "evidence", "answers")
    assert noted.differences[0].parts == ("note", "answers")
    kept, gone = merged.differences
    assert (kept.parts, kept.before, kept.after) == (("place",), "fabricated", "fabricated")
    assert (gone.unit, gone.is_gone, gone.text) == ("s2", True, "It slept.")
    assert (label.position, label.stage, label.version) == (1, "annotate", 1)


def test_history_is_blind_while_the_item_is_annotated(studio: Studio, team: list[Person]) -> None:
    ann, ben, ada, root = team
    view = annotate(studio, ann, ["contradicting", SUPPORTED])
    take(studio, ben)
    told = item_history(studio, ben, "demo", 1)
    assert kinds(told.entries) == [("ben", "begin")]
    for who in (ben, ada, root):
        with pytest.raises(NotFoundError):
            work_history(studio, who, mine(view).id)
    for who in (ada, root):
        with pytest.raises(NotFoundError):
            item_history(studio, who, "demo", 1)
        seen = project_history(studio, who, "demo")
        assert [each for each in seen.entries if each.position is not None] == []
        assert b"ann" not in encode(seen)
    assert ("ann", "submit") in kinds(item_history(studio, ann, "demo", 1).entries)


def test_history_opens_when_all_have_finished(studio: Studio, team: list[Person]) -> None:
    ann, ben, ada, root = team
    view = annotate(studio, ann, ["contradicting", SUPPORTED])
    annotate(studio, ben, [SUPPORTED, SUPPORTED])
    for who in (ben, ada, root):
        told = kinds(item_history(studio, who, "demo", 1).entries)
        assert {("ann", "edit"), ("ben", "edit"), ("ann", "submit"), ("ben", "submit")} <= set(told)
    for who in (ada, root):
        assert work_history(studio, who, mine(view).id).entries[0].kind == "edit"
        told = kinds(project_history(studio, who, "demo").entries)
        assert {("ann", "edit"), ("ben", "submit")} <= set(told)
    with pytest.raises(NotFoundError):
        work_history(studio, ben, mine(view).id)
    with pytest.raises(ForbiddenError):
        project_history(studio, ann, "demo")


def test_an_adjudicator_who_is_yet_to_annotate_stays_blind(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    ann, ada = make_person("ann"), make_person("ada", "adjudicator")
    make_project(settings=ProjectSettings(k=2), examples=EXAMPLES[:2], members=[ann, ada])
    annotate(studio, ann, [SUPPORTED, SUPPORTED])
    take(studio, ada)
    with studio.write() as connection:  # as if enough others had finished
        connection.execute(update(tables.items).values(state="adjudication"))
    assert [e for e in project_history(studio, ada, "demo").entries if e.position == 1] == []
    told = kinds(item_history(studio, ada, "demo", 1).entries)
    assert {person for person, _ in told} == {"ada"}
    assert item_view.open_item(studio, ada, "demo", 1).others == ()


@on_both_databases
def test_history_comes_in_pages(studio: Studio, team: list[Person]) -> None:
    ann, ben, ada, _ = team
    annotate(studio, ann, ["contradicting", SUPPORTED])
    annotate(studio, ben, [SUPPORTED, SUPPORTED])
    whole = project_history(studio, ada, "demo").entries
    found: list[HistoryEntry] = []
    skip: int | None = 0
    while skip is not None:
        page = project_history(studio, ada, "demo", skip=skip, most=2)
        found += page.entries
        skip = page.skip
    assert kinds(tuple(found)) == kinds(whole)
    assert len(found) > 4
    with pytest.raises(InputError):
        project_history(studio, ada, "demo", most=0)


def test_strangers_have_no_history(
    studio: Studio, team: list[Person], make_person: MakePerson
) -> None:
    eve, ben = make_person("eve", "adjudicator"), team[1]
    view = take(studio, team[0])
    label_all(studio, team[0], view, [SUPPORTED, SUPPORTED])
    work.submit(studio, team[0], mine(view).id, 1)
    annotate(studio, ben, [SUPPORTED, SUPPORTED])
    assert item_view.open_item(studio, ben, "demo", 1).state == "done"
    calls: tuple[Callable[[], object], ...] = (
        lambda: work_history(studio, eve, mine(view).id),
        lambda: item_history(studio, eve, "demo", 1),
        lambda: project_history(studio, eve, "demo"),
        lambda: work_history(studio, eve, 999),
    )
    for call in calls:
        with pytest.raises(NotFoundError):
            call()
