"""Values: other values share no form; a form in a sentence is read as the value it stands for."""

from random import Random

import pytest

from training.formats import formatted, reformatted, values_in
from training.items import CONTRADICTED, ENTAILED
from training.values import KINDS, draw, in_words, other, value_of

pytestmark = pytest.mark.soak

DRAWN = [kind for kind in KINDS if kind != "choice"]


@pytest.mark.parametrize("kind", DRAWN)
def test_other_value_has_no_form_of_this_one(kind: str) -> None:
    rng = Random(1)
    for _ in range(60):
        value = draw(kind, (), [], rng)
        rival = draw(kind, (), [value], rng)
        wrong = other(value, [value, rival], rng)
        assert wrong.key not in (value.key, rival.key)
        assert not set(wrong.forms) & {*value.forms, *rival.forms}
        assert all(form.strip() == form and form for form in wrong.forms)


def test_people_share_no_name() -> None:
    rng = Random(2)
    for _ in range(100):
        one = draw("person", (), [], rng)
        two = draw("person", (), [one], rng)
        assert not set(one.forms[0].split()) & set(two.forms[0].split())


def test_sums_of_one_text_are_in_one_currency() -> None:
    rng = Random(3)
    for _ in range(20):
        one = draw("millions", (), [], rng)
        assert draw("money", (), [one], rng).key[1] == one.key[1]


def test_another_choice_is_another_option() -> None:
    value = draw("choice", ("may", "will"), [], Random(1))
    assert {value.key, other(value, [], Random(2)).key} == {"may", "will"}


@pytest.mark.parametrize(
    ("kind", "key", "forms"),
    [
        ("time", 19 * 60 + 30, {"7:30 pm", "19:30", "half past seven in the evening"}),
        ("time", 0, {"12 am", "0:00"}),
        ("time", 12 * 60, {"12 pm", "12:00"}),
        ("date", (2021, 3, 2), {"2 March 2021", "2021-03-02", "the 2nd of March 2021"}),
        ("millions", (42, 0), {"$4.2 million", "$4,200,000", "4.2 million dollars"}),
        ("billions", (13_000, 2), {"€1.3 billion", "€1,300 million"}),
        ("span", 90, {"90 minutes", "1.5 hours", "an hour and a half"}),
        ("days", 14, {"14 days", "two weeks"}),
        ("months", 24, {"24 months", "two years"}),
        ("distance", 2_500, {"2.5 km", "2,500 metres"}),
        ("percent", 120, {"12%", "12 percent", "twelve percent"}),
        ("day", (8, 11), {"11 August", "August 11th"}),
    ],
)
def test_value_has_its_forms(kind: str, key: object, forms: set[str]) -> None:
    assert forms <= set(value_of(kind, key).forms)


def test_numbers_in_words() -> None:
    assert [in_words(number) for number in (3, 20, 21, 90)] == [
        "three",
        "twenty",
        "twenty-one",
        "ninety",
    ]


@pytest.mark.parametrize(
    ("sentence", "key"),
    [
        ("It cost $4.2 million.", (42, 0)),
        ("It cost £1.3 billion.", (13_000, 1)),
        ("They paid €1,250 for it.", (1_250, 2)),
        ("Sales rose 12 percent.", 120),
        ("Sales rose 3.5%.", 35),
        ("It ended on March 3, 2021.", (2021, 3, 3)),
        ("It ended on 3 March 2021.", (2021, 3, 3)),
        ("It ended on 3 March.", (3, 3)),
        ("It ended at 7:30 p.m. on Monday", 1_170),
        ("It ended at 7 am", 420),
        ("It has 12,400 seats.", 12_400),
        ("It has twelve seats.", 12),
        ("It has 12 seats.", 12),
    ],
)
def test_value_is_read_and_written_in_another_form(sentence: str, key: object) -> None:
    ((start, end, value),) = values_in(sentence)
    assert value.key == key
    rng = Random(4)
    for _ in range(8):
        same, wrong = (reformatted(sentence, rng, true=true) for true in (True, False))
        assert same is not None
        assert wrong is not None
        assert same.target == ENTAILED
        assert same.text != sentence
        assert same.text.startswith(sentence[:start])
        assert same.text[start : len(same.text) - len(sentence[end:])] in value.forms
        assert wrong.target == CONTRADICTED
        assert not any(wrong.text == f"{sentence[:start]}{f}{sentence[end:]}" for f in value.forms)


@pytest.mark.parametrize(
    "sentence", ["Nothing here.", "As passage 3 says.", "Version 4.12.7 is out.", "On 31 March."]
)
def test_what_is_no_value_stays(sentence: str) -> None:
    assert values_in(sentence) == []
    assert reformatted(sentence, Random(1), true=True) is None


def test_formatted_items_keep_source_and_question() -> None:
    truths = {
        ("The source.", "What?"): ["It has twelve seats.", "It is green."],
        ("Other.", ""): [],
    }
    (item,) = formatted(truths, 5, Random(2))
    assert (item.group, item.source, item.question) == ("formats", "The source.", "What?")
    assert len(item.sentences) == 1
