"""JSON as a view of the text that it is rendered to: every part knows its place."""

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.core.rendering import in_words, read_source
from assay.text.json_views import view_json, words_of

CHARACTERS = st.characters(exclude_categories=[]) | st.sampled_from('"\\,:{}[]\n\t é😀\x00')
WORDS = st.text(CHARACTERS, max_size=8) | st.sampled_from(["null", "not given", "none", "yes"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=8,
)
OBJECTS = st.dictionaries(WORDS, VALUES, min_size=1, max_size=5)

CAFE: dict[str, object] = {
    "name": 'The "Blue" Door',
    "hours": None,
    "attributes": {"BusinessParking": {"garage": False}, "WiFi": "no"},
    "tags": ["tea", "cake"],
    "menu": [],
}


def place_of(value: dict[str, object], quote: str) -> str:
    """The words of the text that a piece of the JSON stands for."""
    source = read_source(value)
    view = view_json(source.json)
    start = source.json.index(quote)
    first, last = view.to_original(start, start + len(quote))
    return source.text[first:last]


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("Door", "Door"),
        (r"\"Blue\" Door", '"Blue" Door'),
        ('"hours": null', "hours: not given"),
        ("null", "not given"),
        ('"garage": false', "attributes > Business Parking > garage: no"),
        ('"WiFi": "no"', "attributes > Wi Fi: no"),
        ('"tea",\n        "cake"', "tea, cake"),
        ('"menu": []', "menu: none"),
        (
            '"hours": null,\n    "attributes": {\n        "BusinessParking": {\n'
            '            "garage": false\n        },',
            "hours: not given\nattributes > Business Parking > garage: no",
        ),
    ],
)
def test_a_piece_of_the_json_stands_for_words_of_the_text(quote: str, words: str) -> None:
    assert place_of(CAFE, quote) == words


@pytest.mark.parametrize(
    ("words", "quote"),
    [
        ("Door", "Door"),
        ('name: The "Blue" Door', r'"name": "The \"Blue\" Door"'),
        ("hours: not given", '"hours": null'),
        ("not given", "null"),
        ("Wi Fi: no", '"WiFi": "no"'),
        ("tags: tea, cake", '"tags": [\n        "tea",\n        "cake"'),
        ("menu: none", '"menu": []'),
    ],
)
def test_words_of_the_text_are_found_in_the_json(words: str, quote: str) -> None:
    source = read_source(CAFE)
    start = source.text.index(words)
    assert words_of(view_json(source.json), start, start + len(words)) == quote


@given(OBJECTS)
@example({"a": [""], "": {"": [[], {}, [None]]}})
def test_the_view_has_the_json_and_the_text(value: dict[str, object]) -> None:
    source = read_source(value)
    view = view_json(source.json)
    assert view.text == source.json
    assert view.original == source.text
    places = list(zip(view.starts, view.ends, strict=True))
    assert len(places) == len(source.json)
    assert all(0 <= start <= end <= len(source.text) for start, end in places)
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(places))


@given(OBJECTS)
@example({"a": "x", "b": {"c": "x", "d": ["x", "x"]}})
@example({"a": [None, True, 1.5, {}, []], "b": [[], [""]], "c": 'a\n"b"\\'})
def test_every_value_stands_for_its_words_and_with_its_name_for_its_line(
    value: dict[str, object],
) -> None:
    source = read_source(value)
    view = view_json(source.json)
    for holder, key in leaves(value):
        quote, words, at, place = located(value, holder, key)
        assert view.to_original(at, at + len(quote)) == (place, place + len(words))
        if isinstance(key, str):
            name = at - len(f"{dumps(key)}: ")
            line = max(each.start for each in source.passages if each.start <= place)
            assert view.to_original(name, at + len(quote)) == (line, place + len(words))


@given(st.lists(WORDS, min_size=1))
def test_every_character_of_a_text_stands_for_itself(texts: list[str]) -> None:
    value: dict[str, object] = dict(enumerate(texts))  # type: ignore[arg-type]
    source = read_source(value)
    view = view_json(source.json)
    for key, text in enumerate(texts):
        _, _, at, place = located(value, value, key)
        for number in range(len(text)):
            first, last = (at + len(dumps(text[:count])) - 1 for count in (number, number + 1))
            assert view.to_original(first, last) == (place + number, place + number + 1)


def dumps(value: object) -> str:
    """JSON as FaithJudge writes it."""
    return json.dumps(value, indent=4, ensure_ascii=False)


def leaves(value: Any) -> Iterator[tuple[Any, Any]]:
    """The places of all values in an object: what holds each of them, and under which key."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(item, dict | list) and item:
            yield from leaves(item)
        else:
            yield value, key


def located(whole: dict[str, object], holder: Any, key: Any) -> tuple[str, str, int, int]:
    """A value as JSON and in words, and where both begin.

    Another value in its place changes nothing before it: one that nothing else has is looked for.
    """
    item = holder[key]
    is_empty = isinstance(item, dict | list)
    holder[key] = ["\ue000!"] if is_empty else "\ue000!"
    try:
        written, text = dumps(whole), read_source(whole).text
    finally:
        holder[key] = item
    at, place = written.index('"\ue000!"'), text.index("\ue000!")
    if is_empty:
        return dumps(item), "none", written.rindex("[", 0, at), place
    return dumps(item), "none" if holder == [""] else in_words(item), at, place
