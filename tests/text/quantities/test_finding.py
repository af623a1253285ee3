"""Quantities of a text: what is read, with which value, and what is none."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.text.quantities import Quantity, find_quantities

PIECES = (
    *("5 May 2020", "1,248", "1.2.3", "two hundred", " and ", " a half", "m", " bn", "$", "€", "%"),
    *(
        "½",
        "3 1/2",
        "14:30",
        " pm",
        "half past ",
        "four",
        "°C",
        " km/h",
        "-",
        "–",
        "/",
        "[3]",
        "+49",
    ),
    *("9" * 40, "٣", "²", "万", "年", "下午", "点", "\x00", "\ud800", "one in ", "a dozen", "1h30"),
    *" .,:;'\n\t()",
)
ANY_TEXT = st.lists(st.sampled_from(PIECES) | st.characters(exclude_categories=())).map("".join)


def read(text: str, language: str = "en") -> list[tuple[str, str, Fraction | int]]:
    return [
        (text[each.start : each.end], each.kind, each.value)
        for each in find_quantities(text, language)
    ]


def only(text: str, language: str = "en") -> Quantity:
    (quantity,) = find_quantities(text, language)
    return quantity


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1,248", 1248),
        ("1 248 000", 1_248_000),
        ("1\u202f248", 1248),
        ("3.5", Fraction(7, 2)),
        ("3 1/2", Fraction(7, 2)),
        ("3½", Fraction(7, 2)),
        ("½", Fraction(1, 2)),
        ("twenty-one", 21),
        ("two hundred and five", 205),
        ("a hundred and forty-eight", 148),
        ("one million, forty-six thousand and five hundred", 1_046_500),
        ("half a million", 500_000),
        ("five and a half million", 5_500_000),
        ("a dozen", 12),
        ("1.2 million", 1_200_000),
        ("5k", 5000),
        ("2bn", 2 * 10**9),
    ],
)
def test_numbers(written: str, value: int) -> None:
    assert read(f"it was {written}.") == [(written, "number", value)]


@pytest.mark.parametrize(
    ("written", "kind", "value"),
    [
        ("2.5 km", "length", 2500),
        ("2,500 metres", "length", 2500),
        ("10 miles", "length", Fraction("16093.44")),
        ("3½ lbs", "mass", Fraction("1587.573295")),
        ("half a litre", "volume", Fraction(1, 2)),
        ("25 m2", "area", 25),
        ("five square metres", "area", 5),
        ("72 km/h", "speed", 20),
        ("350 °F", "temperature", Fraction(1590, 9)),
        ("-5 °C", "temperature", -5),
        ("16 GB", "data", 16 * 10**9),
        ("5 kWh", "energy", 18_000_000),
        ("25%", "percent", 25),
        ("5 per cent", "percent", 5),
        ("3 per mille", "percent", Fraction(3, 10)),
        ("3 percentage points", "points", 3),
        ("two thirds", "percent", Fraction(200, 3)),
        ("one in four", "percent", 25),
        ("3 out of 5", "percent", 60),
        ("$1.2m", "money:USD", 1_200_000),
        ("USD 20", "money:USD", 20),
        ("20 EUR", "money:EUR", 20),
        ("5 million euros", "money:EUR", 5_000_000),
        ("R$ 30", "money:BRL", 30),
        ("twenty-first", "ordinal", 21),
        ("3rd", "ordinal", 3),
        ("twice", "factor", 2),
        ("1980s", "decade", 1980),
    ],
)
def test_units_shares_and_money(written: str, kind: str, value: Fraction) -> None:
    assert read(f"it was {written}, then") == [(written, kind, value)]


@pytest.mark.parametrize(
    ("written", "minutes"),
    [
        ("90 min", 90),
        ("1h30", 90),
        ("1 h 30 min", 90),
        ("an hour and a half", 90),
        ("half an hour", 30),
        ("two and a half hours", 150),
        ("three quarters of an hour", 45),
        ("2 days", 2880),
    ],
)
def test_durations(written: str, minutes: int) -> None:
    assert read(f"it took {written}.") == [(written, "duration", minutes * 60)]


@pytest.mark.parametrize(
    ("written", "kind", "minutes"),
    [
        ("14:30", "clock", 870),
        ("2.30 pm", "clock", 870),
        ("2:30 p.m", "clock", 870),
        ("half past two in the afternoon", "clock", 870),
        ("12 am", "clock", 0),
        ("12:30 pm", "clock", 750),
        ("10 at night", "clock", 1320),
        ("2 at night", "clock", 120),
        ("noon", "clock", 720),
        ("half past two", "clock12", 150),
        ("quarter to six", "clock12", 345),
        ("7 o'clock", "clock12", 420),
        ("9:05", "clock12", 545),
    ],
)
def test_times_of_day(written: str, kind: str, minutes: int) -> None:
    assert read(f"it is at {written}") == [(written, kind, minutes)]


def test_hours_of_a_text_with_late_hours_are_counted_to_24() -> None:
    assert [each.kind for each in find_quantities("9:05 and 14:30")] == ["clock", "clock"]


@pytest.mark.parametrize(
    "written",
    ["3 September 2020", "September 3rd, 2020", "2020-09-03", "3.9.2020", "2020年9月3日"],
)
def test_dates(written: str) -> None:
    assert read(f"it was on {written}") == [(written, "date", 737671)]


def test_date_that_lacks_something_has_a_kind_of_its_own() -> None:
    text = "on 3/5/2024, May 3 or 4 June, in May 2024 or 2025"
    assert [kind for _, kind, _ in read(text)] == ["date?", "day", "day", "month", "year"]


@pytest.mark.parametrize(
    "text",
    [
        "COVID-19, A4, 5G, 3D and B2b",
        "v1.2.3 and version 2.0",
        "10.0.0.1",
        "see page 12, Section 4.2 and [3], [4, 5]",
        "call 555-1234 or +49 170 1234567",
        "id 123-45-6789",
        "no one came; this one did",
        "$ and % and °C",
    ],
)
def test_codes_and_references_are_no_quantities(text: str) -> None:
    assert read(text) == []


def test_list_markers_are_no_quantities() -> None:
    assert read("1. eggs\n2. 3 apples\n") == [("3", "number", 3)]


def test_range_has_the_unit_and_magnitude_of_its_end() -> None:
    assert read("$5-7 million") == [
        ("$5", "money:USD", 5_000_000),
        ("7 million", "money:USD", 7_000_000),
    ]
    assert [value for _, _, value in read("between 5 and 7 km")] == [5000, 7000]
    assert [value for _, _, value in read("3–5 May 2024")] == [739009, 739011]


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("about 50", "about"),
        ("more than 50", "over"),
        ("just under 50", "under"),
        ("at least 50", "at least"),
        ("50 or more", "at least"),
        ("up to 50", "at most"),
        ("50", ""),
    ],
)
def test_bounds(text: str, bound: str) -> None:
    assert only(text).bound == bound


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("1.2 million", 100_000),
        ("1,200", 1),
        ("about 1,200", 100),
        ("14:30", 1),
        ("2.5 km", 100),
    ],
)
def test_steps(text: str, step: int) -> None:
    assert only(text).step == step


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ("112 visitors", "visitor"),
        ("112 registered voters", "voter"),
        ("5 kg of flour", "flour"),
        ("Visitors: 112", "visitor"),
        ("aged 31", "age"),
        ("a 31-year-old", "age"),
        ("112", ""),
    ],
)
def test_nouns(text: str, noun: str) -> None:
    assert only(text).noun == noun


def test_label_names_the_unit() -> None:
    assert only('"distance_km": 925').value == 925_000
    assert only("Height (m): 330").kind == "length"


@pytest.mark.parametrize(
    ("language", "text", "kind", "value"),
    [
        ("de", "1.248 Mrd. Euro", "money:EUR", 1248 * 10**9),
        ("de", "3,5 Millionen", "number", 3_500_000),
        ("de", "14.30 Uhr", "clock", 870),
        ("de", "5. Mai 2024", "date", 739011),
        ("fr", "1 248,5 km", "length", Fraction(1_248_500)),
        ("fr", "14h30", "clock", 870),
        ("fr", "5 février 2024", "date", 738921),
        ("es", "5 de mayo de 2024", "date", 739011),
        ("es", "2 mil millones", "number", 2 * 10**9),
        ("it", "3 miliardi", "number", 3 * 10**9),
        ("pt", "25 por cento", "percent", 25),
        ("nl", "1,5 miljoen", "number", 1_500_000),
        ("pl", "12 tys. zł", "money:PLN", 12_000),
        ("ru", "5 мая 2024", "date", 739011),
        ("ru", "3 млрд рублей", "money:RUB", 3 * 10**9),
        ("tr", "yüzde 25", "percent", 25),
        ("zh", "120万", "number", 1_200_000),
        ("zh", "下午3点30分", "clock", 930),
        ("ja", "午後3時半", "clock", 930),
        ("ja", "2024年5月5日", "date", 739011),
        ("ar", "٢٥٪", "percent", 25),
        ("ar", "5 مايو 2024", "date", 739011),
    ],
)
def test_other_languages(language: str, text: str, kind: str, value: int) -> None:
    assert read(text, language) == [(text, kind, value)]


@settings(max_examples=500)
@given(ANY_TEXT, st.sampled_from(("en", "de", "fr", "zh", "ar", "xx")))
def test_quantities_lie_in_the_text_in_order_without_overlaps(text: str, language: str) -> None:
    found = find_quantities(text, language)
    assert all(0 <= each.start < each.end <= len(text) for each in found)
    assert all(before.end <= after.start for before, after in pairwise(found))
    assert all(each.step >= 0 for each in found)


@given(st.integers(0, 10**12), st.text(alphabet="ab ,.", max_size=9))
def test_offsets_are_those_of_the_written_number(number: int, before: str) -> None:
    text = f"{before} {number:,} visitors"
    found = find_quantities(text)[-1]
    assert text[found.start : found.end] == f"{number:,}"
    assert found.value == number
    assert found.noun == "visitor"
