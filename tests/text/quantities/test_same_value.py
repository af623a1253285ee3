"""Two forms of one value are the same value, and another value is not."""

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.quantities import Quantity, find_quantities, same_value

SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
# Of 10:00 to 12:59 alone, nobody knows whether hours are counted to 12.
MINUTES = st.integers(0, 24 * 60 - 1).filter(lambda at: not 599 <= at < 780)
DAYS = st.dates(date(1900, 1, 1), date(2099, 12, 31))


def only(text: str) -> Quantity:
    (quantity,) = find_quantities(text)
    return quantity


def same(one: str, other: str) -> bool | None:
    forward, backward = same_value(only(one), only(other)), same_value(only(other), only(one))
    assert forward is backward
    return forward


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.248 billion", "1,248 million"),
        ("$1.2m", "1,200,000 dollars"),
        ("4:30 pm", "16:30"),
        ("2.5 km", "2,500 m"),
        ("26.2 miles", "42.195 km"),
        ("177 °C", "350 °F"),
        ("an hour and a half", "90 min"),
        ("two years", "24 months"),
        ("a quarter of it", "25%"),
        ("a third of it", "33%"),
        ("thirty-one", "31"),
        ("about 1.2 million", "1,248,000"),
        ("1.2 million", "1,248,000"),
        ("about 1,200", "1,248"),
        ("over 1,000", "1,100"),
        ("just under 50", "48"),
        ("5 May 2024", "2024-05-05"),
        ("year 1998", "1998 units"),
    ],
)
def test_same(one: str, other: str) -> None:
    assert same(one, other) is True


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.248 billion", "124.8 million"),
        ("1,200", "1,248"),
        ("1.2 million", "1,348,000"),
        ("about 2 kg", "1.4 kg"),
        ("4:30 pm", "14:30"),
        ("4:30", "17:30"),
        ("2.5 km", "2.5 miles"),
        ("320 °F", "150 °C"),
        ("over 1,000", "900"),
        ("just under 30", "31"),
        ("5 May 2024", "2024-05-06"),
        ("5 May", "6 May 2024"),
        ("May 2024", "5 June 2024"),
        ("3/5/2024", "4 May 2024"),
        ("3 years", "3 days"),
        ("3rd", "4th"),
    ],
)
def test_not_the_same(one: str, other: str) -> None:
    assert same(one, other) is False


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 km", "5 kg"),
        ("$5", "€5"),
        ("4:30", "16:30"),
        ("5 May", "5 May 2024"),
        ("May 2024", "5 May 2024"),
        ("3/5/2024", "3 May 2024"),
        ("3/5/2024", "3/5/2024"),
        ("365 days", "1 year"),
        ("over 1,000", "9,000"),
        ("5%", "5 percentage points"),
    ],
)
def test_not_to_be_compared(one: str, other: str) -> None:
    assert same(one, other) is None


def spelled(number: int) -> str:
    if number < 20:
        return SMALL[number]
    if number < 100:
        unit = f"-{SMALL[number % 10]}" if number % 10 else ""
        return TENS[number // 10 - 2] + unit
    for size, name in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            joiner = " and " if size == 100 else " "
            behind = f"{joiner}{spelled(rest)}" if rest else ""
            return f"{spelled(number // size)} {name}{behind}"
    raise AssertionError(number)


NUMBER_FORMS: tuple[Callable[[int], str], ...] = (
    str,
    lambda number: f"{number:,}",
    lambda number: f"{number:,}".replace(",", "\u202f"),
    lambda number: f"{number / 1000:.3f} thousand",
    spelled,
)
CLOCK_FORMS: tuple[Callable[[int], str], ...] = (
    lambda at: f"{at // 60:02}:{at % 60:02}",
    lambda at: f"{at // 60 % 12 or 12}:{at % 60:02} {'pm' if at >= 720 else 'am'}",
    lambda at: f"{at // 60 % 12 or 12}.{at % 60:02}{'pm' if at >= 720 else 'am'}",
)
DATE_FORMS: tuple[Callable[[date], str], ...] = (
    date.isoformat,
    lambda day: f"{day.day} {day:%B %Y}",
    lambda day: f"{day:%B} {day.day}, {day.year}",
    lambda day: f"{day.day}.{day.month}.{day.year}",
)


@given(st.integers(13, 10**7), st.sampled_from(NUMBER_FORMS), st.sampled_from(NUMBER_FORMS))
def test_numbers_survive_their_form(
    number: int, one: Callable[[int], str], other: Callable[[int], str]
) -> None:
    first, second = (f"{form(number)} widgets" for form in (one, other))
    assert only(first).value == only(second).value == number
    assert only(f"{one(number + 1)} widgets").value != only(second).value


@given(MINUTES, st.sampled_from(CLOCK_FORMS), st.sampled_from(CLOCK_FORMS))
def test_times_survive_their_form(
    at: int, one: Callable[[int], str], other: Callable[[int], str]
) -> None:
    assert same(f"at {one(at)}", f"at {other(at)}") is True
    assert same(f"at {one((at + 1) % 1440)}", f"at {other(at)}") is False


@given(DAYS, st.sampled_from(DATE_FORMS), st.sampled_from(DATE_FORMS))
def test_dates_survive_their_form(
    day: date, one: Callable[[date], str], other: Callable[[date], str]
) -> None:
    assert same(f"on {one(day)}", f"on {other(day)}") is True
    assert same(f"on {one(day + timedelta(1))}", f"on {other(day)}") is False


@given(st.integers(1, 10**6))
def test_lengths_survive_their_unit(metres: int) -> None:
    assert same(f"{metres} m", f"{metres / 1000:.3f} km") is True
    assert same(f"{metres + 1} m", f"{metres / 1000:.3f} km") is False
