"""Sessions that end, and attempts to sign in that have to wait."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select

from assay.annotation.people import accounts
from assay.annotation.people.accounts import create_first, matches, sign_in, sign_in_locally
from assay.annotation.people.sessions import (
    BY_ADDRESS,
    BY_NAME,
    BY_NAME_ANYWHERE,
    SignedOutError,
    ThrottledError,
    begin,
    end_all,
    find,
    secret,
    sign_out,
)
from assay.annotation.studio import Studio
from assay.store.annotation.tables import attempts, sessions
from tests.annotating import MakePerson, on_both_databases

PASSWORD = "correct horse"


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_time(self, **amount: float) -> None:
        self.now += timedelta(**amount)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timed(studio: Studio, clock: Clock) -> Studio:
    return replace(studio, clock=clock)


@pytest.fixture
def light_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes that take no time, for tests that try often."""
    monkeypatch.setattr(accounts, "matches", lambda kept, given: kept and given == PASSWORD)


def fails(studio: Studio, name: str, times: int, address: str = "a") -> None:
    for _ in range(times):
        with pytest.raises(SignedOutError):
            sign_in(studio, name, "wrong horse", address=address)


def wait_of(attempt: Callable[[], object]) -> int:
    with pytest.raises(ThrottledError) as caught:
        attempt()
    return caught.value.retry_after


def test_only_the_digest_of_a_token_is_kept(studio: Studio, make_person: MakePerson) -> None:
    person = make_person()
    with studio.write() as connection:
        made = begin(studio, connection, person)
        kept = connection.execute(select(sessions.c.digest)).scalar_one()
    assert made.token not in kept
    with pytest.raises(SignedOutError):
        find(studio, kept)


def test_session_lasts_two_weeks_from_its_last_use(
    timed: Studio, clock: Clock, make_person: MakePerson
) -> None:
    person = make_person()
    with timed.write() as connection:
        token = begin(timed, connection, person).token
    assert not find(timed, token).is_renewed
    clock.pass_time(days=13)
    assert find(timed, token).is_renewed
    clock.pass_time(days=13)
    find(timed, token)
    clock.pass_time(days=14, seconds=1)
    with pytest.raises(SignedOutError):
        find(timed, token)


def test_ended_sessions_are_over(studio: Studio, make_person: MakePerson) -> None:
    ann, bob = make_person("ann"), make_person("bob")
    with studio.write() as connection:
        tokens = [begin(studio, connection, each).token for each in (ann, ann, ann, bob)]
    sign_out(studio, tokens[0])
    with studio.write() as connection:
        end_all(connection, ann.id, but=tokens[2])
    assert [is_open(studio, each) for each in tokens] == [False, False, True, True]


def is_open(studio: Studio, token: str) -> bool:
    try:
        find(studio, token)
    except SignedOutError:
        return False
    return True


def test_signing_in_ends_the_earlier_session_of_the_browser(studio: Studio) -> None:
    create_first(studio, "ann", PASSWORD)
    first = sign_in(studio, "ann", PASSWORD, address="a")
    second = sign_in(studio, "ANN", PASSWORD, address="a", instead=first.token)
    assert second.token != first.token
    assert second.csrf != first.csrf
    assert [is_open(studio, first.token), is_open(studio, second.token)] == [False, True]


def test_key_signs_in_the_local_administrator(studio: Studio) -> None:
    session = sign_in_locally(studio)
    assert (session.person.name, session.person.role) == ("local", "administrator")
    assert find(studio, session.token).person == session.person


def test_secret_is_made_once(studio: Studio) -> None:
    assert secret(studio) == secret(studio)
    assert len(secret(studio)) >= 40


def test_wrong_name_and_wrong_password_are_answered_alike_after_the_same_work(
    studio: Studio, make_person: MakePerson, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_first(studio, "ann", PASSWORD)
    make_person("without a password")
    hashes: list[str] = []

    def counted(kept: str, given: str) -> bool:
        hashes.append(given)
        return matches(kept, given)

    monkeypatch.setattr(accounts, "matches", counted)
    said = set()
    for name in ("ann", "nobody", "without a password", "x" * 500, "\ud800", ""):
        with pytest.raises(SignedOutError) as caught:
            sign_in(studio, name, "wrong horse", address="a")
        said.add((caught.value.code, caught.value.message))
    assert len(said) == 1
    assert len(hashes) == 6


def test_waits_after_failures_double_up_to_the_longest() -> None:
    waits = [BY_NAME.wait(count).total_seconds() for count in (1, 4, 5, 6, 7, 13, 14, 1000)]
    assert waits == [0, 0, 1, 2, 4, 256, 300, 300]  # 2 ** (count - 5), at most 300


@on_both_databases
@pytest.mark.usefixtures("light_hashes")
@pytest.mark.parametrize("name", ["ann", "nobody"])
def test_name_has_to_wait_after_failures(timed: Studio, clock: Clock, name: str) -> None:
    create_first(timed, "ann", PASSWORD)
    fails(timed, name, BY_NAME.free)
    assert wait_of(lambda: sign_in(timed, name, PASSWORD, address="a")) == 1
    clock.pass_time(seconds=1)
    fails(timed, name, 1)
    assert wait_of(lambda: sign_in(timed, name, PASSWORD, address="a")) == 2
    fails(timed, name, 1, address="b")


def fails_everywhere(studio: Studio, name: str) -> None:
    """Fails so often, from ever new addresses, that the name has to wait."""
    for number in range(BY_NAME_ANYWHERE.free):
        fails(studio, name, 1, address=f"stranger {number}")


@pytest.mark.usefixtures("light_hashes")
@pytest.mark.parametrize("name", ["ann", "nobody"])
def test_many_addresses_do_not_help_to_guess(timed: Studio, clock: Clock, name: str) -> None:
    create_first(timed, "ann", PASSWORD)
    fails_everywhere(timed, name)
    assert wait_of(lambda: sign_in(timed, name, PASSWORD, address="new")) == 1
    clock.pass_time(seconds=1)
    fails(timed, name, 1, address="new")
    assert wait_of(lambda: sign_in(timed, name, PASSWORD, address="newer")) == 2


@pytest.mark.usefixtures("light_hashes")
def test_strangers_do_not_lock_out_an_address_that_is_known(timed: Studio) -> None:
    create_first(timed, "ann", PASSWORD)
    sign_in(timed, "ann", PASSWORD, address="home")
    fails_everywhere(timed, "ann")
    assert wait_of(lambda: sign_in(timed, "ann", PASSWORD, address="new")) == 1
    sign_in(timed, "ANN", PASSWORD, address="home")
    assert wait_of(lambda: sign_in(timed, "ann", PASSWORD, address="new")) == 1
    fails(timed, "ann", BY_NAME.free, address="home")  # where one cannot guess at leisure either
    assert wait_of(lambda: sign_in(timed, "ann", PASSWORD, address="home")) == 1


@pytest.mark.usefixtures("light_hashes")
def test_success_forgives_the_failures_of_a_name(timed: Studio, clock: Clock) -> None:
    create_first(timed, "ann", PASSWORD)
    fails(timed, "ann", BY_NAME.free)
    clock.pass_time(seconds=1)
    sign_in(timed, "ann", PASSWORD, address="a")
    fails(timed, "ann", BY_NAME.free)


@pytest.mark.usefixtures("light_hashes")
def test_address_has_to_wait_and_an_account_of_ones_own_does_not_help(
    timed: Studio, clock: Clock
) -> None:
    create_first(timed, "ann", PASSWORD)
    for number in range(BY_ADDRESS.free):
        fails(timed, f"guess{number}", 1)
    assert wait_of(lambda: sign_in(timed, "ann", PASSWORD, address="a")) == 1
    clock.pass_time(seconds=1)
    sign_in(timed, "ann", PASSWORD, address="a")
    fails(timed, "one more", 1)
    assert wait_of(lambda: sign_in(timed, "ann", PASSWORD, address="a")) == 2
    sign_in(timed, "ann", PASSWORD, address="elsewhere")


@pytest.mark.usefixtures("light_hashes")
def test_failures_are_forgotten_after_a_day(timed: Studio, clock: Clock) -> None:
    fails(timed, "ann", BY_NAME.free)
    clock.pass_time(days=1, seconds=2)
    fails(timed, "bob", 1)
    with timed.read() as connection:
        assert connection.execute(select(func.count()).select_from(attempts)).scalar() == 3


@pytest.mark.usefixtures("light_hashes")
def test_attempts_outlive_the_process(timed: Studio, clock: Clock, studio_at: str) -> None:
    from assay.annotation.studio import open_studio

    fails(timed, "ann", BY_NAME.free)
    again = replace(open_studio(studio_at), clock=clock)
    assert wait_of(lambda: sign_in(again, "ann", PASSWORD, address="a")) == 1
    again.close()
