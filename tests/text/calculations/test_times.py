"""Ages, spans, dates, conversions, counts and extremes: what is true is never refuted for sure."""

from datetime import date, timedelta
from itertools import combinations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from assay.text.calculations.checking import check_figures
from assay.text.calculations.times import whole_years

BIO = (
    "Harold Finch was born on 3 June 1944 in Leeds. He joined the Post Office in April 1962 and"
    " retired on 30 September 2004. He died on 12 January 2019."
)
FERRY = (
    "The night ferry leaves Kiel at 18:45 and arrives in Oslo at 10:00. Check-in closes 60 minutes"
    " before departure. Breakfast is served from 7:00 to 9:30."
)
MENU = "Menu: soup €6.50, goat's cheese salad €11, lamb stew €19.50, mushroom risotto €15."
CITIES = (
    "| City | Country | Area |\n|---|---|---|\n| Vell | Arn | 88 |\n| Kosta | Arn | 140 |\n"
    "| Bray | Lumen | 61 |\n| Tolm | Lumen | 305 |\n| Sarn | Oste | 22 |"
)
TRUE = (
    (BIO, "Finch was 17 when he joined the Post Office."),
    (BIO, "He died at the age of 74."),
    (FERRY, "You must check in by 5:45 pm."),
    (FERRY, "Breakfast is on offer for two and a half hours."),
    (
        "The site has 40 seats and is open Wednesday to Sunday.",
        "The site is open five days a week.",
    ),
    ("Code freeze is on 14 November, release two weeks later.", "It is released on 28 November."),
    ("The trip is on Thursday, 22 May; pay by Friday of the week before.", "Pay by 16 May."),
    ("The lease begins on 1 September 2024 and runs for 18 months.", "It ends in February 2026."),
    (
        "He fell ill on 2 December 2024 and saw her on 9 December.",
        "He saw her a week after he fell ill.",
    ),
    ("Sol took 42:18, Lind 43:05.", "Sol finished 47 seconds ahead of Lind."),
    ("Heat the oven to 150 °C.", "The oven is at 302 °F."),
    ("Debt fell to £842.6m.", "Debt fell to £0.84 billion."),
    ("distance km: 925\ncruise altitude ft: 36000", "It cruised at just under 11 kilometres."),
    (MENU, "The lamb stew is the most expensive dish."),
    (MENU, "The risotto is dearer than the salad."),
    (CITIES, "Two of the five cities are in Lumen."),
    (CITIES, "Three cities have an area over 70."),
)
FALSE = (
    (BIO, "Finch was 19 when he joined the Post Office."),
    (BIO, "He died at the age of 75."),
    (FERRY, "You must check in by 6:15 pm."),
    (FERRY, "Breakfast is on offer for three and a half hours."),
    ("The site has 40 seats and is open Wednesday to Sunday.", "The site is open six days a week."),
    ("Heat the oven to 150 °C.", "The oven is at 270 °F."),
    ("The lamps weigh 1.4 kg each.", "The lamps weigh almost two kilos."),
    ("Debt fell to £842.6m.", "Debt fell to £8.4 billion."),
    (MENU, "The risotto is the most expensive dish."),
    (CITIES, "Three of the five cities are in Lumen."),
)

days = st.dates(min_value=date(1900, 1, 1), max_value=date(2090, 12, 31))


@pytest.mark.parametrize(("source", "sentence"), TRUE)
def test_true_figure_is_confirmed(source: str, sentence: str) -> None:
    found = check_figures(sentence, source)
    assert found is not None
    assert found.outcome == "right"


@pytest.mark.parametrize(("source", "sentence"), FALSE)
def test_false_figure_is_not_confirmed(source: str, sentence: str) -> None:
    found = check_figures(sentence, source)
    assert found is None or found.outcome != "right"


def _written(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"


@given(days, st.integers(min_value=2, max_value=300))
@settings(max_examples=60, deadline=None)
def test_days_between_two_dates_are_confirmed_and_others_are_not(first: date, number: int) -> None:
    source = f"Work began on {_written(first)} and ended on {_written(first + timedelta(number))}."
    found = check_figures(f"The work took {number} days.", source)
    assert found is not None
    assert found.outcome == "right"
    other = check_figures(f"The work took {number + 7} days.", source)
    assert other is None or other.outcome != "right"


@given(days, days)
@settings(max_examples=60, deadline=None)
def test_age_is_confirmed_and_another_is_not(born: date, died: date) -> None:
    # Up to three, a number may count anything, and is left open.
    assume(3 < whole_years(born.toordinal(), died.toordinal()) < 110)
    age = whole_years(born.toordinal(), died.toordinal())
    source = f"Ada Finch was born on {_written(born)} and died on {_written(died)}."
    found = check_figures(f"Finch died at the age of {age}.", source)
    assume(found is not None)  # the source may have the number as a day
    assert found is not None
    assert found.outcome == "right"
    other = check_figures(f"Finch died at the age of {age + 2}.", source)
    assert other is None or other.outcome != "right"


@given(st.integers(min_value=-40, max_value=300))
@settings(max_examples=60, deadline=None)
def test_temperature_in_the_other_unit_is_confirmed(celsius: int) -> None:
    right = round(celsius * 9 / 5 + 32, 1)
    source = f"The probe measured {celsius} °C at noon."
    found = check_figures(f"The probe measured {right} °F.", source)
    assert found is not None
    assert found.outcome == "right"
    other = check_figures(f"The probe measured {right + 5} °F.", source)
    assert other is None or other.outcome != "right"


def _adds_up(prices: list[int]) -> bool:
    """True if one of them is the sum of some others."""
    sums = {sum(some) for n in range(2, len(prices)) for some in combinations(prices, n)}
    return not sums.isdisjoint(prices)


@given(st.lists(st.integers(min_value=3, max_value=900), min_size=3, max_size=6, unique=True))
@example([3, 4, 7])
@settings(max_examples=60, deadline=None)
def test_dearest_of_a_list_is_confirmed_and_another_is_not(prices: list[int]) -> None:
    names = ("soup", "salad", "stew", "risotto", "tart", "curry")
    dishes = dict(zip(names, prices, strict=False))
    source = "On the menu: " + ", ".join(f"{name} €{price}" for name, price in dishes.items()) + "."
    for name, price in dishes.items():
        found = check_figures(f"The {name} is the most expensive dish.", source)
        outcome = found.outcome if found else "none"
        wanted = "right" if price == max(prices) else "wrong"
        # The dearest may be taken for the sum of others.
        assert outcome == wanted or (outcome == "none" and _adds_up(prices))
        assert found is None or not found.is_firm
