"""JSON in replies, however it is dressed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.llm.replies.json_values import DEPTH, find_values


def values(text: str) -> list[Any]:
    return [found.value for found in find_values(text)]


VERDICT = {"reason": "It's so.", "label": "faithful", "sure": True, "score": 0.5, "note": None}


@pytest.mark.parametrize(
    "text",
    [
        '{"reason": "It\'s so.", "label": "faithful", "sure": true, "score": 0.5, "note": null}',
        '```json\n{"reason":"It\'s so.","label":"faithful","sure":true,"score":0.5,"note":null}'
        "\n```",
        "Here: {'reason': \"It's so.\", 'label': 'faithful', 'sure': True, 'score': 0.5, "
        "'note': None}. I hope that helps!",
        "{'reason': 'It's so.', 'label': 'faithful', 'sure': True, 'score': .5, 'note': None}",
        "{'reason': 'It\\'s so.', 'label': 'faithful', 'sure': TRUE, 'score': 5e-1, 'note': None,}",
        '{reason: "It\'s so.", label: "faithful", sure: true, score: +0.5, note: null,}',
        "{“reason”: “It's so.”, “label”: “faithful”, “sure”: true, “score”: 0.5, “note”: null}",
        '{ // why\n"reason": "It\'s so.", /* a {comment} */ "label": "faithful",\n'
        '"sure": true, "score": 0.5, // so\n "note": null // none\n}',
    ],
)
def test_small_sins_are_forgiven(text: str) -> None:
    assert values(text) == [VERDICT]


def test_all_outermost_values_are_found_in_order() -> None:
    text = 'First {"a": [1, {"b": 2}]}, then [3, 4] and ["x", {"c": {}}]; [] and {}'
    assert values(text) == [{"a": [1, {"b": 2}]}, [3, 4], ["x", {"c": {}}], [], {}]


def test_place_of_a_value_is_where_it_stands() -> None:
    text = 'Well: {"a": 1}!'
    (found,) = find_values(text)
    assert text[found.start : found.end] == '{"a": 1}'


@pytest.mark.parametrize(
    "prose",
    ["The set {a, b}", "see [the source", "a { b", "[1 and", "f{x", "{'a", '{"a" and', "[[["],
)
def test_brackets_of_prose_hide_nothing(prose: str) -> None:
    assert values(f'{prose}. So: {{"label": "fine"}}')[-1:] == [{"label": "fine"}]


def test_values_between_brackets_of_prose_are_found() -> None:
    assert values("[see [1, 2] or [3]") == [[1, 2], [3]]


def test_raw_line_breaks_in_strings_are_kept() -> None:
    assert values('{"a": "one\ntwo\tthree"}') == [{"a": "one\ntwo\tthree"}]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "he said "no" twice", "b": 1}', {"a": 'he said "no" twice', "b": 1}),
        ('{"a": "the "x", then y", "b": "z"}', {"a": 'the "x", then y', "b": "z"}),
        ("{'a': 'the dogs' bowl', 'b': 'it's'}", {"a": "the dogs' bowl", "b": "it's"}),
    ],
)
def test_quotes_that_the_model_forgot_to_escape_are_kept(text: str, value: object) -> None:
    assert values(text) == [value]


def test_words_without_quotes_are_texts_where_a_value_must_be() -> None:
    text = '{"fact": yes, "entailed": no ,\n"knowledge": skip, "sure": True, "note": None,\n'
    text += '"reason": "so, "knowledge": no}", "label": no-fact}'
    assert values(text)[-1:] == [
        {
            "fact": "yes",
            "entailed": "no",
            "knowledge": "skip",
            "sure": True,
            "note": None,
            "reason": 'so, "knowledge": no}',
            "label": "no-fact",
        }
    ]


@pytest.mark.parametrize(
    "text",
    [
        "{fact: yes}",  # prose
        "[yes, no]",
        '{"label": yes | no}',
        '{"label": yes or no}',
        '{"label": yes',
        '{"label": "yes, "fact": no}',
        '{"evidence": ["It is so], "label": "fine"}',  # a closing quote is not guessed
    ],
)
def test_words_without_quotes_are_nothing_elsewhere(text: str) -> None:
    assert values(text) == []


def test_strings_side_by_side_in_a_list_are_two() -> None:
    assert values('{"evidence": ["<<<SOURCE c0f1>>>" "A study says \\"so\\"." \n "Yes"]}') == [
        {"evidence": ["<<<SOURCE c0f1>>>", 'A study says "so".', "Yes"]}
    ]
    assert values('{"reason": "It has "a" "b" in it."}') == [{"reason": 'It has "a" "b" in it.'}]
    assert values('["It has "a" in it."]') == [['It has "a" in it.']]


def test_escapes_are_read_and_half_a_pair_can_be_written() -> None:
    text = r'{"a": "\u00e9\n\"x\" \ud83d\ude00 \ud83d! C:\dir"}'
    (value,) = values(text)
    assert value == {"a": 'é\n"x" 😀 \ufffd! C:\\dir'}
    assert value["a"].encode()


@pytest.mark.parametrize(
    "text",
    [
        "{\"reason\": \"they wrote {'label': 'faithful'} and",
        '{\'reason\': \'they wrote {"label": "faithful"} and then',
        "{reason: \"they wrote {'label': 'faithful'} and",
        "[\"they wrote {'label': 'faithful'} and",
        '[{"label": "faithful"}, {"label": "faith',
        '{"verdicts": [{"label": "faithful"}, {"label": "faith',
        '{"a": 1 "b": "they wrote } {\'label\': \'faithful\'} and',
        '{"a": 1, "b": {"label": "faithful"}',
        '{"a": <none>, "b": {"label": "faithful"}}',
        '{"{}',
        '{"{}"',
        '{"a": NaN}',
        '{"a": 1e999}',
        f'{{"a": {"9" * 5000}}}',
    ],
)
def test_a_broken_value_gives_nothing_of_what_it_holds(text: str) -> None:
    assert values(text) == []


def test_an_unescaped_quotation_lends_no_property_to_what_is_around_it() -> None:
    (value,) = values('{"reason": "they wrote {"label": "faithful"} and then')
    assert set(value) == {"reason"}


def test_after_a_broken_value_reading_goes_on() -> None:
    text = '{"a": <oops>, "b": "}"} So I say {"label": "fine"}'
    assert values(text) == [{"label": "fine"}]


def test_what_is_nested_too_deep_is_passed_over() -> None:
    deepest = "[" * DEPTH + "]" * DEPTH
    assert len(find_values(deepest)) == 1
    assert find_values(f"[{deepest}]") == []


def test_a_million_levels_do_not_overflow_the_stack() -> None:
    text = "[" * 1_000_000 + "]" * 1_000_000
    assert find_values(text + '{"label": "fine"}')[-1].value == {"label": "fine"}


texts = st.text(st.characters(codec="utf-8"), max_size=20)
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
trees = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
tops = st.lists(trees, max_size=4) | st.dictionaries(texts, trees, max_size=4)
prose = st.text(st.characters(codec="utf-8", exclude_characters="[{"), max_size=30)


@given(tops, prose, prose, st.sampled_from([None, 2]), st.booleans())
def test_any_json_is_found_in_any_prose(
    value: Any, before: str, after: str, indent: int | None, ascii: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii)
    (found,) = find_values(f"{before}{text}{after}")
    assert (found.value, found.start) == (value, len(before))


@given(st.dictionaries(texts, trees, min_size=1, max_size=4), st.data())
def test_no_part_of_a_cut_off_object_is_taken_for_a_value(
    value: dict[str, Any], data: st.DataObject
) -> None:
    text = json.dumps(value)
    assert find_values(text[: data.draw(st.integers(0, len(text) - 1))]) == []


@given(st.text("{}[]\"'“”:,/*\\\n ab1-", max_size=60))
def test_whatever_is_given_values_lie_apart_and_in_order(text: str) -> None:
    ends = [0]
    for found in find_values(text):
        assert ends[-1] <= found.start < found.end <= len(text)
        ends.append(found.end)
