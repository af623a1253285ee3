"""A fair lock: those who wait have it in their order, also where it is offered or given up."""

import threading
import time
from collections.abc import Callable

import pytest

from assay.core.system.fair_locks import FairLock


def wait_until(is_so: Callable[[], bool]) -> None:
    for _ in range(3_000):
        if is_so():
            return
        time.sleep(0.01)
    raise AssertionError("it did not become so")


def in_line(turns: FairLock, names: str, order: list[str]) -> list[threading.Thread]:
    """Threads that wait for a turn, one behind the other."""

    def take(name: str) -> None:
        with turns:
            order.append(name)

    threads = []
    for name in names:
        waiting = len(turns._line)
        thread = threading.Thread(target=take, args=(name,))
        thread.start()
        threads.append(thread)
        wait_until(lambda count=waiting: len(turns._line) == count + 1)  # type: ignore[misc]
    return threads


def test_those_who_wait_have_their_turns_in_their_order() -> None:
    turns, order = FairLock(), list[str]()
    with turns:
        threads = in_line(turns, "abc", order)
        assert order == []
    for each in threads:
        each.join(30)
    assert order == ["a", "b", "c"]


def test_offered_turn_is_had_again_after_all_who_waited() -> None:
    turns, order = FairLock(), list[str]()
    with turns:
        threads = in_line(turns, "ab", order)
        turns.offer()
        assert order == ["a", "b"]
        turns.offer()  # nobody waits
    for each in threads:
        each.join(30)


def test_turn_is_given_on_after_an_error() -> None:
    turns, order = FairLock(), list[str]()
    threads = list[threading.Thread]()

    def fail() -> None:
        with turns:
            threads.extend(in_line(turns, "a", order))
            raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        fail()
    threads[0].join(30)
    assert order == ["a"]


def test_who_is_interrupted_while_waiting_keeps_nobody_else_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns, order = FairLock(), list[str]()

    def interrupted(is_so: Callable[[], bool]) -> None:
        raise KeyboardInterrupt

    with turns:
        with monkeypatch.context() as patched:
            patched.setattr(turns._changed, "wait_for", interrupted)
            with pytest.raises(KeyboardInterrupt):
                turns.__enter__()
        threads = in_line(turns, "a", order)
    threads[0].join(30)
    assert order == ["a"]
