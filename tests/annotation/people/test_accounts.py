"""Accounts: names, passwords, roles, and that somebody can always administrate."""

import threading
from dataclasses import replace

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select, update

from assay.annotation.access import ForbiddenError, NotFoundError
from assay.annotation.people import accounts, names
from assay.annotation.people.accounts import (
    change_password,
    change_person,
    create_first,
    has_accounts,
    list_people,
    local_administrator,
    sign_in,
)
from assay.annotation.people.names import checked_name
from assay.annotation.people.sessions import BY_NAME, SignedOutError, ThrottledError, begin, find
from assay.annotation.studio import Person, Studio, utc_now
from assay.core.errors import InputError
from assay.store.annotation.tables import events, people
from tests.annotating import MakePerson, on_both_databases

PASSWORD = "correct horse"


def signed_in(studio: Studio, who: Person) -> str:
    with studio.write() as connection:
        return begin(studio, connection, who).token


def kept(studio: Studio, who: Person) -> str:
    with studio.read() as connection:
        row = connection.execute(select(people.c.password).where(people.c.id == who.id))
        return str(row.scalar())


@pytest.mark.parametrize(
    "name", ["", "  ", "x" * 81, "a\tb", "a\nb", "a\x00b", "a\u202eb", "a/b", "..", "Final"]
)
def test_name_that_cannot_be_used_is_refused(name: str) -> None:
    with pytest.raises(InputError) as caught:
        checked_name(name)
    assert caught.value.field == "name"


def test_name_is_kept_as_written_without_outer_space() -> None:
    assert checked_name("  Zoë O'Neil ") == "Zoë O'Neil"
    assert checked_name("Zoe\u0308") == "Zoë"


@pytest.mark.parametrize(
    "password", ["short", "administrate", "ADMINISTRATE", "a" * 12, "x" * 1001]
)
def test_password_that_cannot_be_used_is_refused(studio: Studio, password: str) -> None:
    with pytest.raises(InputError) as caught:
        create_first(studio, "Administrate", password)
    assert caught.value.field == "password"
    assert not has_accounts(studio)


def test_names_that_differ_in_case_only_are_the_same(studio: Studio) -> None:
    create_first(studio, "Ann", PASSWORD)
    for name in ("ann", "ANN", "ａｎｎ"):
        with pytest.raises(InputError, match="is taken"):
            create_first(studio, name, PASSWORD)


@on_both_databases
def test_name_is_taken_once_however_many_ask_at_once(studio: Studio) -> None:
    create_first(studio, "first", PASSWORD)
    taken: list[Exception] = []

    def ask(name: str) -> None:
        try:
            create_first(studio, name, PASSWORD, "annotator")
        except InputError as error:
            taken.append(error)

    threads = [threading.Thread(target=ask, args=(name,)) for name in ("ann", "Ann", "ANN")]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [getattr(each, "code", "") for each in taken] == ["name-taken"] * 2


def test_first_account_is_an_administrators(studio: Studio) -> None:
    with pytest.raises(InputError, match="first account is an administrator's"):
        create_first(studio, "ann", PASSWORD, "annotator")
    assert create_first(studio, "ann", PASSWORD).role == "administrator"
    assert create_first(studio, "bob", PASSWORD, "annotator").role == "annotator"


def test_password_is_kept_as_an_argon2_hash(studio: Studio) -> None:
    found = kept(studio, create_first(studio, "ann", PASSWORD))
    assert found.startswith("$argon2id$")
    assert PASSWORD not in found


def test_hash_with_other_parameters_is_renewed_by_signing_in(studio: Studio) -> None:
    ann = create_first(studio, "ann", PASSWORD)
    old = PasswordHasher(time_cost=1, memory_cost=1024).hash(PASSWORD)
    with studio.write() as connection:
        connection.execute(update(people).where(people.c.id == ann.id).values(password=old))
    sign_in(studio, "ann", PASSWORD, address="a")
    assert not accounts.is_outdated(kept(studio, ann))
    sign_in(studio, "ann", PASSWORD, address="a")


def test_only_administrators_see_and_change_accounts(
    studio: Studio, make_person: MakePerson
) -> None:
    for role in ("annotator", "adjudicator"):
        who = make_person(role, role)
        with pytest.raises(ForbiddenError):
            list_people(studio, who)
        with pytest.raises(ForbiddenError):
            change_person(studio, who, role, role="administrator")


def test_deactivation_ends_sessions_and_keeps_from_signing_in(
    studio: Studio, make_person: MakePerson
) -> None:
    admin = create_first(studio, "ann", PASSWORD)
    bob = create_first(studio, "bob", PASSWORD, "annotator")
    token = signed_in(studio, bob)
    assert not change_person(studio, admin, "BOB", is_active=False).is_active
    with pytest.raises(SignedOutError):
        find(studio, token)
    with pytest.raises(SignedOutError):
        sign_in(studio, "bob", PASSWORD, address="a")
    change_person(studio, admin, "bob", is_active=True)
    assert sign_in(studio, "bob", PASSWORD, address="a").person == bob


def test_new_role_holds_at_once(studio: Studio) -> None:
    admin = create_first(studio, "ann", PASSWORD)
    token = signed_in(studio, create_first(studio, "bob", PASSWORD, "annotator"))
    change_person(studio, admin, "bob", role="adjudicator")
    assert find(studio, token).person.role == "adjudicator"


@pytest.mark.parametrize("change", [{"role": "annotator"}, {"is_active": False}])
def test_last_administrator_who_can_sign_in_stays(
    studio: Studio, make_person: MakePerson, change: dict[str, object]
) -> None:
    ann = create_first(studio, "ann", PASSWORD)
    make_person("without a password", "administrator")
    with pytest.raises(InputError) as caught:
        change_person(studio, ann, "ann", **change)  # type: ignore[arg-type]
    assert caught.value.code == "last-administrator"
    create_first(studio, "zoe", PASSWORD)
    change_person(studio, ann, "ann", **change)  # type: ignore[arg-type]


def test_change_of_nobody_is_not_found(studio: Studio, make_person: MakePerson) -> None:
    with pytest.raises(NotFoundError):
        change_person(studio, make_person("ann", "administrator"), "nobody", is_active=False)


def test_own_password_needs_the_present_one_and_ends_other_sessions(studio: Studio) -> None:
    ann = create_first(studio, "ann", PASSWORD)
    here, there = signed_in(studio, ann), signed_in(studio, ann)
    with pytest.raises(InputError, match="not your password"):
        change_password(studio, ann, "wrong horse", "another horse", token=here)
    change_password(studio, ann, PASSWORD, "another horse", token=here)
    assert find(studio, here).person == ann
    with pytest.raises(SignedOutError):
        find(studio, there)
    with pytest.raises(SignedOutError):
        sign_in(studio, "ann", PASSWORD, address="a")
    sign_in(studio, "ann", "another horse", address="a")


def test_present_password_cannot_be_guessed_at_leisure(studio: Studio) -> None:
    now = utc_now()
    studio = replace(studio, clock=lambda: now)
    ann = create_first(studio, "ann", PASSWORD)
    for _ in range(BY_NAME.free):
        with pytest.raises(InputError, match="not your password"):
            change_password(studio, ann, "wrong horse", "another horse")
    with pytest.raises(ThrottledError):
        change_password(studio, ann, PASSWORD, "another horse")
    sign_in(studio, "ann", PASSWORD, address="a")  # whose account it is can still come in


def test_local_administrator_is_no_account_and_always_the_same(studio: Studio) -> None:
    first = local_administrator(studio)
    assert local_administrator(studio) == first
    assert first.role == "administrator"
    assert not has_accounts(studio)
    with pytest.raises(SignedOutError):
        sign_in(studio, first.name, "", address="a")


def test_what_administrators_do_is_written_down(studio: Studio) -> None:
    admin = create_first(studio, "ann", PASSWORD)
    bob = create_first(studio, "bob", PASSWORD, "annotator")
    change_person(studio, admin, "bob", password="a third horse")
    with studio.read() as connection:
        rows = connection.execute(select(events).order_by(events.c.id)).all()
    assert [(row.kind, row.person) for row in rows] == [
        ("account-made", None),
        ("account-made", None),
        ("account-changed", admin.id),
    ]
    assert rows[-1].detail == f'{{"about": {bob.id}, "password": "new"}}'
    assert names.fold("Straße") == "strasse"
