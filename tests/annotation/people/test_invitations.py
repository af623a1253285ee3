"""Invitations: one account each, within a week."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from assay.annotation.access import ForbiddenError, NotFoundError
from assay.annotation.people.accounts import change_person, list_people
from assay.annotation.people.invitations import (
    accept,
    invite,
    list_invitations,
    revoke,
    welcome,
)
from assay.annotation.people.sessions import find
from assay.annotation.studio import Studio, utc_now
from assay.core.errors import InputError
from assay.store.annotation.tables import events, invitations
from tests.annotating import MakePerson, MakeProject, on_both_databases

PASSWORD = "correct horse"


@on_both_databases
def test_invitation_makes_an_account_and_a_member(
    studio: Studio, make_person: MakePerson, make_project: MakeProject
) -> None:
    admin = make_person("ann", "administrator")
    make_project("demo")
    token = invite(studio, admin, "adjudicator", project="demo", note="for Bob").token
    assert welcome(studio, token).project == "Demo"
    session = accept(studio, token, "bob", PASSWORD)
    assert find(studio, session.token).person.role == "adjudicator"
    bob = list_people(studio, admin)[1]
    assert (bob.name, bob.role, bob.projects) == ("bob", "adjudicator", ("demo",))
    (seen,) = list_invitations(studio, admin)
    assert (seen.state, seen.used_by, seen.note) == ("used", "bob", "for Bob")


def test_invitation_is_used_once(studio: Studio, make_person: MakePerson) -> None:
    token = invite(studio, make_person("ann", "administrator"), "annotator").token
    accept(studio, token, "bob", PASSWORD)
    for name in ("bob", "carl"):
        with pytest.raises(NotFoundError):
            accept(studio, token, name, PASSWORD)


def test_name_that_is_taken_does_not_use_the_invitation_up(
    studio: Studio, make_person: MakePerson
) -> None:
    token = invite(studio, make_person("ann", "administrator"), "annotator").token
    with pytest.raises(InputError, match="is taken"):
        accept(studio, token, "ANN", PASSWORD)
    with pytest.raises(InputError, match="password has"):
        accept(studio, token, "bob", "short")
    accept(studio, token, "bob", PASSWORD)


@pytest.mark.parametrize("changed", [{"is_active": False}, {"role": "adjudicator"}])
def test_invitation_of_somebody_who_may_no_longer_invite_is_void(
    studio: Studio, make_person: MakePerson, changed: dict[str, Any]
) -> None:
    root = make_person("root", "administrator")
    token = invite(studio, make_person("former", "administrator"), "administrator").token
    change_person(studio, root, "former", **changed)
    with pytest.raises(NotFoundError):
        welcome(studio, token)
    with pytest.raises(NotFoundError):
        accept(studio, token, "back", PASSWORD)
    (seen,) = list_invitations(studio, root)
    assert seen.state == "void"


def test_invitation_ends_after_a_week(studio: Studio, make_person: MakePerson) -> None:
    admin = make_person("ann", "administrator")
    token = invite(studio, admin, "annotator").token
    later = replace(studio, clock=lambda: utc_now() + timedelta(days=7, seconds=1))
    with pytest.raises(NotFoundError):
        welcome(later, token)
    with pytest.raises(NotFoundError):
        accept(later, token, "bob", PASSWORD)
    assert [each.state for each in list_invitations(later, admin)] == ["expired"]


def test_invitation_can_be_taken_back(studio: Studio, make_person: MakePerson) -> None:
    admin = make_person("ann", "administrator")
    made = invite(studio, admin, "annotator")
    revoke(studio, admin, made.invitation.id)
    with pytest.raises(NotFoundError):
        accept(studio, made.token, "bob", PASSWORD)
    with pytest.raises(NotFoundError):
        revoke(studio, admin, made.invitation.id)


def test_used_invitation_stays_on_record(studio: Studio, make_person: MakePerson) -> None:
    admin = make_person("ann", "administrator")
    made = invite(studio, admin, "annotator")
    accept(studio, made.token, "bob", PASSWORD)
    with pytest.raises(NotFoundError):
        revoke(studio, admin, made.invitation.id)


def test_neither_the_list_nor_the_database_can_accept(
    studio: Studio, make_person: MakePerson
) -> None:
    admin = make_person("ann", "administrator")
    token = invite(studio, admin, "annotator").token
    (seen,) = list_invitations(studio, admin)
    with studio.read() as connection:
        kept = str(connection.execute(select(invitations)).one())
    assert token not in kept + str(seen)
    with pytest.raises(NotFoundError):
        welcome(studio, seen.id)


@pytest.mark.parametrize("role", ["annotator", "adjudicator"])
def test_only_administrators_invite(studio: Studio, make_person: MakePerson, role: str) -> None:
    who = make_person("ann", role)
    with pytest.raises(ForbiddenError):
        invite(studio, who, "administrator")
    with pytest.raises(ForbiddenError):
        list_invitations(studio, who)
    with pytest.raises(ForbiddenError):
        revoke(studio, who, "x")


def test_unknown_role_and_project_are_refused(studio: Studio, make_person: MakePerson) -> None:
    admin = make_person("ann", "administrator")
    with pytest.raises(InputError, match="unknown role 'owner'"):
        invite(studio, admin, "owner")
    with pytest.raises(NotFoundError):
        invite(studio, admin, "annotator", project="nowhere")


def test_what_became_of_an_invitation_is_written_down(
    studio: Studio, make_person: MakePerson
) -> None:
    admin = make_person("ann", "administrator")
    revoke(studio, admin, invite(studio, admin, "annotator").invitation.id)
    accept(studio, invite(studio, admin, "annotator").token, "bob", PASSWORD)
    with studio.read() as connection:
        kinds = connection.execute(select(events.c.kind).order_by(events.c.id)).scalars().all()
    assert kinds == ["invited", "invitation-revoked", "invited", "invitation-accepted"]
