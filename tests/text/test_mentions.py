"""Names, numbers and dates."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.text.mentions import find_mentions

PIECES = (
    *("5 May 2020", "may", "Sept. ", "3,5", "1.2.3", "two hundred", " and ", "m", "bn", "$", "’s"),
    *("Ada ", "U.S. ", "of ", "The ", "É", "9" * 40, "٣", "²", "½", "\x00", "\ud800", "- ", "1. "),
    *" .,-'\n\t",
)
ANY_TEXT = st.lists(st.sampled_from(PIECES) | st.characters(exclude_categories=())).map("".join)


def found(text: str) -> list[tuple[str, str]]:
    return [(mention.kind, mention.key) for mention in find_mentions(text)]


@pytest.mark.parametrize(
    "written",
    [
        "3 September 2020",
        "3rd September 2020",
        "3rd of September, 2020",
        "September 3, 2020",
        "september 3rd 2020",
        "Sept. 3, 2020",
        "3 Sep 2020",
        "2020-09-03",
    ],
)
def test_date_has_the_same_key_in_every_format(written: str) -> None:
    assert found(f"it was on {written}.") == [("date", "2020-09-03")]


@pytest.mark.parametrize(
    ("written", "key"),
    [("May 2020", "2020-05-00"), ("3 May", "????-05-03"), ("May 3", "????-05-03")],
)
def test_date_may_lack_its_day_or_its_year(written: str, key: str) -> None:
    assert found(f"it was in {written}, then") == [("date", key)]


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("1200", "1200"),
        ("1,200", "1200"),
        ("1.200.000", "1200000"),
        ("3.5", "3.5"),
        ("3,5", "3.5"),
        ("3.50", "3.5"),
        ("3.5 million", "3500000"),
        ("£3.5m", "3500000"),
        ("2bn", "2000000000"),
        ("5k", "5000"),
        ("25th", "25"),
        ("twenty-five", "25"),
        ("two hundred and five", "205"),
        ("three thousand", "3000"),
        ("two million three hundred thousand", "2300000"),
        ("12345678901234567890", "12345678901234567890"),
        ("1.2.3", "1.2.3"),
    ],
)
def test_number_has_the_same_key_however_it_is_written(written: str, key: str) -> None:
    assert found(f"it was {written} or so") == [("number", key)]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("they decided 10 cases", ["10"]),
        ("it took 10 decades", ["10"]),
        ("at least 20 may have died", ["20"]),
        ("between five and six people", ["5", "6"]),
        ("nineteen eighty-four", ["19", "84"]),
        ("the race over 800 m", ["800"]),
        ("45 march there", ["45"]),
        ("no one came", []),
        ("the A4 and the B2b", []),
    ],
)
def test_what_only_looks_like_a_date_or_one_number_is_not(text: str, keys: list[str]) -> None:
    figures = [(kind, key) for kind, key in found(text) if kind != "name"]
    assert figures == [("number", key) for key in keys]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("he met Ada Lovelace and O’Brien", ["ada lovelace", "o'brien"]),
        ("he read Lovelace's notes", ["lovelace"]),
        ("the University of York", ["university of york"]),
        ("In Paris it rained", ["paris"]),
        ("The White House spoke", ["white house"]),
        ("he saw Émile Zola and Łukasz", ["émile zola", "łukasz"]),
        ("the U.S. Senate and the US", ["us senate", "us"]),
        ("NASA flew", ["nasa"]),
        ("Rain fell", []),
        ("- Rain fell on Rome", ["rome"]),
        ("it was Plan B", ["plan b"]),
    ],
)
def test_names_are_capitalised_words_that_do_not_only_begin_the_sentence(
    text: str, keys: list[str]
) -> None:
    assert found(text) == [("name", key) for key in keys]


def test_date_tells_its_year_its_month_and_its_day() -> None:
    (mention,) = find_mentions("on 10 December 1815")
    assert mention.parts == {"1815-12-10", "1815-12-00", "????-12-10", "1815", "december"}


def test_full_name_tells_its_parts() -> None:
    (mention,) = find_mentions("he met Ada King Lovelace")
    assert {"ada", "lovelace", "ada king", "king lovelace", "ada king lovelace"} <= mention.parts
    assert "ada lovelace" not in mention.parts


def test_list_marker_is_no_number() -> None:
    assert found("2. it rose 5 points") == [("number", "5")]


def test_date_is_not_also_two_numbers() -> None:
    text = "On 3 May 2020 Ada Lovelace paid 1,200 euros."
    quoted = [text[mention.start : mention.end] for mention in find_mentions(text)]
    assert quoted == ["3 May 2020", "Ada Lovelace", "1,200"]


@settings(max_examples=500)
@given(ANY_TEXT)
def test_mentions_lie_in_the_text_in_order_without_overlaps(text: str) -> None:
    mentions = find_mentions(text)
    assert all(0 <= mention.start < mention.end <= len(text) for mention in mentions)
    assert all(before.end <= after.start for before, after in pairwise(mentions))
    assert all(mention.key in mention.parts for mention in mentions)
