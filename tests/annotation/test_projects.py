"""Projects: who makes, sees, changes and deletes them, and what their pages say."""

import pytest
from sqlalchemy import func, select

from assay.annotation.access import ForbiddenError, NotFoundError
from assay.annotation.projects import (
    change_settings,
    create_project,
    delete_project,
    list_projects,
    overview,
    slug_of,
)
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Studio
from assay.core.errors import InputError
from assay.store.annotation.tables import events, items, judgements
from tests.annotating import MakePerson, MakeProject, on_both_databases
from tests.annotation.stories import put, submit


def test_new_project_has_an_address_made_from_its_name(
    studio: Studio, make_person: MakePerson
) -> None:
    ada = make_person("ada", "administrator")
    made = create_project(studio, ada, "  Küche &  Bad ", ProjectSettings(mode="spans", k=2))
    assert (made.slug, made.name, made.mode, made.items) == ("kuche-bad", "Küche & Bad", "spans", 0)
    assert list_projects(studio, ada) == (made,)


@pytest.mark.parametrize(
    ("name", "slug"),
    [("A/B: C", "a-b-c"), ("../../etc", "etc"), ("x" * 100, "x" * 60), ("---a", "a")],
)
def test_address_has_only_letters_digits_and_hyphens(name: str, slug: str) -> None:
    assert slug_of(name) == slug


def test_name_without_latin_letters_has_an_address_too() -> None:
    assert slug_of("日本語") != slug_of("中文")
    assert slug_of("日本語").startswith("project-")


def test_second_project_of_a_name_is_refused(studio: Studio, make_person: MakePerson) -> None:
    ada = make_person("ada", "administrator")
    create_project(studio, ada, "Demo", ProjectSettings())
    with pytest.raises(InputError, match="there is a project 'Demo' already") as caught:
        create_project(studio, ada, "demo!", ProjectSettings())
    assert (caught.value.code, caught.value.field) == ("project-exists", "name")


@pytest.mark.parametrize("name", ["", "  ", "x" * 121])
def test_name_that_cannot_be_used_is_refused(
    studio: Studio, make_person: MakePerson, name: str
) -> None:
    with pytest.raises(InputError) as caught:
        create_project(studio, make_person("ada", "administrator"), name, ProjectSettings())
    assert caught.value.field == "name"


def test_only_administrators_make_projects_and_members_see_theirs(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    ann, ben = make_person("ann"), make_person("ben", "adjudicator")
    make_project("one", members=[ann])
    make_project("two")
    assert [each.slug for each in list_projects(studio, ann)] == ["one"]
    assert list_projects(studio, ben) == ()
    assert overview(studio, ann, "one").items == 3
    with pytest.raises(NotFoundError):
        overview(studio, ann, "two")
    for who in (ann, ben):
        with pytest.raises(ForbiddenError):
            create_project(studio, who, "mine", ProjectSettings())
    with pytest.raises(ForbiddenError):
        change_settings(studio, ann, "one", ProjectSettings())
    with pytest.raises(ForbiddenError):
        delete_project(studio, ann, "one", "One")


def test_overview_counts_items_by_state_and_ones_own_work(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    ann, ben = make_person("ann"), make_person("ben")
    make_project("demo", members=[ann, ben])
    submit(studio, "demo", 1, ann, ["contradicting", "fabricated"], seconds=90)
    submit(studio, "demo", 3, ann, ["fabricated"], seconds=30)
    put(studio, "demo", 1, "done", batch=2)
    put(studio, "demo", 3, "open", batch=2)
    view = overview(studio, ann, "demo")
    assert view.states | {"new": 1, "open": 1, "done": 1} == view.states
    assert (view.items, view.batches, view.members, view.seconds) == (3, 2, 2, 120)
    assert [(each.stage, each.submitted) for each in view.queue] == [("annotate", 2)]
    assert view.may["annotate"]
    assert not view.may["export"]
    assert view.quiz.passed
    assert overview(studio, ben, "demo").queue == ()


def test_mode_is_fixed_once_somebody_has_worked(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    ada, ann = make_person("ada", "administrator"), make_person("ann")
    make_project("demo", ProjectSettings(k=1), members=[ann])
    changed = change_settings(studio, ada, "demo", ProjectSettings(mode="both", k=3))
    assert (changed.settings.mode, changed.settings.k) == ("both", 3)
    change_settings(studio, ada, "demo", ProjectSettings(k=3))
    submit(studio, "demo", 1, ann, ["contradicting", "fabricated"])
    put(studio, "demo", 1, "open")
    assert overview(studio, ada, "demo").mode_is_fixed
    with pytest.raises(InputError, match="the mode stays 'sentences'") as caught:
        change_settings(studio, ada, "demo", ProjectSettings(mode="spans"))
    assert (caught.value.field, caught.value.code) == ("mode", "work-begun")
    changed = change_settings(studio, ada, "demo", ProjectSettings(k=2, discussion=True), "Other")
    assert (changed.settings.k, changed.settings.discussion, changed.name) == (2, True, "Other")
    with studio.read() as connection:
        given = connection.execute(select(items.c.k).order_by(items.c.position)).scalars().all()
    assert given == [3, 2, 2]  # an item that somebody has keeps its own


def test_settings_out_of_range_name_their_field(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    with pytest.raises(InputError) as caught:
        ProjectSettings(k=0)
    assert caught.value.field == "k"


@on_both_databases
def test_project_is_deleted_with_all_it_has_when_its_name_is_given(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    ada, ann = make_person("ada", "administrator"), make_person("ann")
    make_project("demo", members=[ann])
    make_project("other")
    submit(studio, "demo", 1, ann, ["contradicting", "fabricated"])
    with pytest.raises(InputError, match="give its name: 'Demo'") as caught:
        delete_project(studio, ada, "demo", "demo")
    assert caught.value.code == "not-confirmed"
    delete_project(studio, ada, "demo", "Demo")
    assert [each.slug for each in list_projects(studio, ada)] == ["other"]
    with studio.read() as connection:
        assert connection.execute(select(func.count()).select_from(items)).scalar() == 3
        assert connection.execute(select(func.count()).select_from(judgements)).scalar() == 0
        kinds = connection.execute(select(events.c.kind)).scalars().all()
    assert "project-deleted" in kinds
