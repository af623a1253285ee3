"""The pace of requests, in virtual time, and the rules of a robots.txt."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar
from urllib.robotparser import RobotFileParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.knowledge import FetchError
from assay.knowledge.web.politeness import NOTHING, HostPace, RobotsRules, read_rules, rest_wanted

Result = TypeVar("Result")


class VirtualTime(asyncio.SelectorEventLoop):
    """An event loop without I/O whose clock jumps to the next timer instead of waiting for it."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        return self._now

    def jump(self, seconds: float) -> None:
        self._now += seconds


class _Jumping(selectors.DefaultSelector):
    def __init__(self, loop: VirtualTime) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        if timeout:
            self._loop.jump(timeout)
        return super().select(0)


def in_virtual_time(work: Coroutine[Any, Any, Result]) -> Result:
    with asyncio.Runner(loop_factory=VirtualTime) as runner:
        return runner.run(work)


async def turns(pace: HostPace, *hosts: str) -> list[float]:
    """When each of several requests that come at once gets its turn."""

    async def turn(host: str) -> float:
        await pace.turn(host)
        return round(asyncio.get_running_loop().time(), 3)

    return list(await asyncio.gather(*map(turn, hosts)))


def test_requests_to_one_host_are_spaced_out() -> None:
    assert in_virtual_time(turns(HostPace(10), *"aaaa")) == [0, 0.1, 0.2, 0.3]


def test_hosts_do_not_wait_for_each_other() -> None:
    assert in_virtual_time(turns(HostPace(10), *"abab")) == [0, 0, 0.1, 0.1]


def test_a_host_can_ask_for_a_slower_pace_but_not_for_a_faster_one() -> None:
    pace = HostPace(10)
    pace.slow_down("a", 2)
    pace.slow_down("b", 0.01)
    assert in_virtual_time(turns(pace, *"aaabb")) == [0, 2, 4, 0, 0.1]


def test_everybody_waits_for_a_host_that_asks_for_a_pause() -> None:
    async def rested() -> list[float]:
        pace = HostPace(5)
        work = asyncio.create_task(turns(pace, *"aaa"))
        await asyncio.sleep(0.1)  # the first had its turn, and was told to wait
        pace.rest("a", 1)
        return [*await work, *await turns(pace, "a")]

    first, *others = in_virtual_time(rested())
    assert first == 0
    assert others[0] == 1.1
    assert sorted(others) == others


def test_a_host_that_asks_for_a_very_long_pause_is_given_up() -> None:
    async def rested() -> None:
        pace = HostPace(5)
        pace.rest("a", 3600)
        await pace.turn("a")

    with pytest.raises(FetchError, match="asks not to be contacted for 3,600 s"):
        in_virtual_time(rested())


OURS = """# all sites
User-agent: other
User-agent: ASSAY   # two programs

Disallow: /private
Crawl-delay: 2.5

User-agent: *
Disallow: /
Crawl-delay: 9
"""


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("/a", "/a", True),
        ("/a", "/abc?d", True),
        ("/a", "/b/a", False),
        ("/a$", "/a", True),
        ("/a$", "/ab", False),
        ("/*.pdf", "/x/y.pdf?z", True),
        ("/*.pdf$", "/x/y.pdf", True),
        ("/*.pdf$", "/x/y.pdf?z", False),
        ("/a*b*c", "/a-b-c-d", True),
        ("/a*b*c", "/a-c-b", False),
        ("/a*b$", "/ab", True),
        ("/ab*b$", "/ab", False),
        ("*", "/anything", True),
        ("/*?action=", "/w?action=edit", True),
        ("/caf%C3%A9", "/café", True),
        ("/A", "/a", False),
    ],
)
def test_patterns(pattern: str, path: str, fits: bool) -> None:
    assert read_rules(f"User-agent: *\nDisallow: {pattern}", "assay").allows(path) is not fits


def test_the_longest_rule_wins_and_of_equal_ones_the_kinder() -> None:
    rules = read_rules("User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /c\nAllow: /c", "assay")
    assert [rules.allows(path) for path in ("/a", "/a/b", "/c", "/d")] == [False, True, True, True]


def test_rules_for_us_take_the_place_of_those_for_all() -> None:
    rules = read_rules(OURS, "assay")
    assert (rules.allows("/a"), rules.allows("/private/a"), rules.pause) == (True, False, 2.5)
    others = read_rules(OURS, "unheard-of")
    assert (others.allows("/a"), others.pause) == (False, 9.0)


def test_a_program_that_is_named_without_a_rule_may_read_all() -> None:
    text = "User-agent: assay\nDisallow:\n\nUser-agent: *\nDisallow: /"
    assert read_rules(text, "assay") == RobotsRules()


@pytest.mark.parametrize("text", ["", "Disallow: /", "<html>", "User-agent\nDisallow", "\0:\0"])
def test_without_rules_everything_may_be_read(text: str) -> None:
    assert read_rules(text, "assay").allows("/a")
    assert not NOTHING.allows("/a")


@pytest.mark.parametrize("pause", ["x", "nan", "inf", "-1", ""])
def test_a_pause_that_is_none_is_none(pause: str) -> None:
    assert read_rules(f"User-agent: *\nCrawl-delay: {pause}", "assay").pause == 0


PATHS = st.text("ab-", max_size=4).map(lambda text: f"/{text}")


@given(st.lists(PATHS, max_size=5), PATHS)
def test_rules_without_wildcards_agree_with_the_standard_library(
    rules: list[str], path: str
) -> None:
    text = "User-agent: *\n" + "".join(f"Disallow: {rule}\n" for rule in rules)
    other = RobotFileParser()
    other.parse(text.splitlines())
    assert read_rules(text, "assay").allows(path) == other.can_fetch("assay", path)


def test_a_date_is_held_against_the_clock_of_the_server() -> None:
    headers = {
        "Date": "Wed, 21 Oct 2015 07:28:00 GMT",
        "Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT",
    }
    assert rest_wanted(429, headers) == 30.0
