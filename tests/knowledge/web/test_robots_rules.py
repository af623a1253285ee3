"""The rules of a robots.txt."""

from urllib.robotparser import RobotFileParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.knowledge.web.politeness import NOTHING, Rules, read_rules

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
    assert read_rules(text, "assay") == Rules()


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
