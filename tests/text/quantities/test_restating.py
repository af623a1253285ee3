"""Sentences in the forms of their source."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.quantities.restating import Restated, Rewording, SourceForms

SOURCE = (
    "The ferry leaves at 14:30 on 2024-05-05. Revenue was $1,248 million from 31 shops, 25% of"
    " them new; the walk is 2,500 m and takes 90 minutes. The tank holds 1,248,000 litres at"
    " 170 °C. The film runs 1 h 20 min."
)
FORMS = SourceForms(SOURCE)


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("It leaves at 2:30 pm.", "It leaves at 14:30."),
        ("It leaves at 2:30 p.m.", "It leaves at 14:30."),
        ("It leaves at half past two.", "It leaves at 14:30."),
        ("It was on 5 May 2024.", "It was on 2024-05-05."),
        ("It was on May 5.", "It was on 2024-05-05."),
        ("Revenue was $1.248 billion.", "Revenue was $1,248 million."),
        ("Thirty-one shops sold it.", "31 shops sold it."),
        ("A quarter of them are new.", "25% of them are new."),
        ("One in four shops is new.", "25% of shops is new."),
        ("The walk is 2.5 km.", "The walk is 2,500 m."),
        ("It takes an hour and a half.", "It takes 90 minutes."),
        ("It holds about 1.2 million litres.", "It holds about 1,248,000 litres."),
        ("It holds over 1,248 thousand litres.", "It holds over 1,248,000 litres."),
        ("It is 338 °F hot.", "It is 170 °C hot."),
        ("It runs 80 minutes.", "It runs 1 h 20 min."),
    ],
)
def test_value_of_the_source_is_written_as_there(sentence: str, text: str) -> None:
    restated = FORMS.restate(sentence)
    assert restated.text == text
    assert len(restated.conversions) == 1


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("It leaves at 3:10 pm.", "It leaves at 15:10."),
        ("It was on 6 May 2024.", "It was on 2024-05-06."),
        ("Revenue was $1.3 billion.", "Revenue was $1,300 million."),
        ("Thirty-two shops sold it.", "32 shops sold it."),
        ("The walk is 2.6 km.", "The walk is 2,600 m."),
        ("It is 350 °F hot.", "It is 177 °C hot."),
        ("It holds more than 1 million litres.", "It holds more than 1,000,000 litres."),
    ],
)
def test_other_value_is_written_in_the_form_of_the_source(sentence: str, text: str) -> None:
    restated = FORMS.restate(sentence)
    assert restated.text == text
    assert not restated.conversions
    assert not restated.slips


@pytest.mark.parametrize(
    ("sentence", "slip_of"),
    [
        ("It leaves at 4:30 pm.", "14:30"),
        ("It leaves at 2:30 am.", "14:30"),
        ("Revenue was $12.48 billion.", "$1,248 million"),
        ("The walk is 25 km.", "2,500 m"),
        ("The walk is 2,500 miles.", "2,500 m"),
        ("It takes 90 hours.", "90 minutes"),
        ("Revenue was €1,248 million.", "$1,248 million"),
    ],
)
def test_wrong_conversion_is_noticed(sentence: str, slip_of: str) -> None:
    (slip,) = FORMS.restate(sentence).slips
    assert slip.slip_of == slip_of


@pytest.mark.parametrize(
    "sentence",
    [
        "It leaves at 14:30, on 2024-05-05.",
        "It leaves at 15:00, on 2024-05-06.",
        "Revenue was $1,300 million from two shops.",
        "The walk is 2,400 m, or 20% of them.",
        "More than 30 shops sold 7 things in 2023.",
        "Version 2.0 has 3 pages; see [31].",
        "The shops were new.",
        "",
    ],
)
def test_what_is_in_the_form_of_the_source_is_left(sentence: str) -> None:
    assert FORMS.restate(sentence) == Restated(sentence)


def test_source_without_quantities_leaves_a_sentence() -> None:
    assert SourceForms("The ferry sank.").restate("It sank at 4:30 pm.").changes == ()


def test_label_lends_its_unit() -> None:
    forms = SourceForms('{"cruise_altitude_ft": 36000}')
    assert forms.restate("It flew at 10,973 metres.").text == "It flew at 36000 ft."


def test_places_in_the_text_are_places_in_the_original() -> None:
    sentence = "At 2:30 pm it took 2.5 km, then."
    restated = FORMS.restate(sentence)
    text = restated.text
    assert text == "At 14:30 it took 2,500 m, then."
    for word, own in (("At", "At"), ("14:30", "2:30 pm"), ("2,500", "2.5 km"), ("then", "then")):
        start, end = restated.origin(text.index(word), text.index(word) + len(word))
        assert sentence[start:end] == own


@given(st.text(alphabet="ab 1", max_size=20), st.data())
def test_origin_covers_what_lies_between(original: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(original)), max_size=4)))
    pairs = [each for each in zip(cuts[::2], cuts[1::2], strict=False) if each[0] < each[1]]
    changes = tuple(Rewording(*pair, "x" * data.draw(st.integers(1, 5)), True) for pair in pairs)
    restated = Restated(original, changes)
    text = restated.text
    places = [restated.origin(at, at + 1) for at in range(len(text))]
    assert all(0 <= start < end <= len(original) for start, end in places)
    assert all(a <= c and b <= d for (a, b), (c, d) in pairwise(places))
    covered = {at for start, end in places for at in range(start, end)}
    assert covered == set(range(len(original)))


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_can_be_restated(sentence: str, source: str) -> None:
    restated = SourceForms(source).restate(sentence)
    assert restated.original == sentence
    assert restated.changes or restated.text == sentence
