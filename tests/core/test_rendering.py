"""Sources from text, lists and JSON objects, with offsets that stay."""

import datetime
import json
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import rendering
from assay.core.errors import InputError
from assay.core.rendering import read_source
from assay.core.texts import Source

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
JSON_SOURCES = st.lists(JSON_VALUES) | st.dictionaries(st.text(), JSON_VALUES)


def parts(source: Source) -> dict[str, str]:
    """The text of each passage by its name."""
    return {each.name: source.text[each.start : each.end] for each in source.passages}


def test_text_is_left_as_it_is() -> None:
    assert read_source(" a\r\n b ") == Source(" a\r\n b ")


def test_source_is_given_back() -> None:
    source = Source("abc")
    assert read_source(source) is source


def test_list_of_texts_is_a_list_of_passages() -> None:
    source = read_source(["First one.", "Zweiter 😀."])
    assert source.text == "First one.\n\nZweiter 😀."
    assert parts(source) == {"passage 1": "First one.", "passage 2": "Zweiter 😀."}


@pytest.mark.parametrize("key", ["text", "content", "page_content", "passage"])
def test_object_with_a_text_is_a_passage_named_by_its_title(key: str) -> None:
    source = read_source([{"title": "Cats", key: "They purr."}, {key: "They sit."}])
    assert parts(source) == {"Cats": "Cats\nThey purr.", "passage 2": "They sit."}


def test_object_is_rendered_one_field_a_line() -> None:
    source = read_source({"name": "Blue Door", "BusinessParking": {"street_side": True}})
    assert source.text == "name: Blue Door\nBusiness Parking > street side: yes"
    assert list(parts(source)) == ["name", "BusinessParking.street_side"]


def test_lists_of_objects_are_numbered() -> None:
    source = read_source({"reviews": [{"stars": 5}, {"stars": 1, "by": ["Al", "Bo"]}]})
    assert parts(source) == {
        "reviews[0].stars": "reviews 1 > stars: 5",
        "reviews[1].stars": "reviews 2 > stars: 1",
        "reviews[1].by": "reviews 2 > by: Al, Bo",
    }


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "not given"),
        (float("nan"), "not given"),
        (True, "yes"),
        (False, "no"),
        (3, "3"),
        (2.5, "2.5"),
        ("", ""),
        ([], "none"),
        ({}, "none"),
        ([1, None, True], "1, not given, yes"),
        (Decimal("1.50"), "1.50"),
        (datetime.date(2020, 1, 2), "2020-01-02"),
        (np.int64(5), "5"),
        (np.bool_(True), "yes"),
        (np.array([1, 2]), "1, 2"),
        (np.array(["a", "b"]), "a, b"),
    ],
)
def test_value_is_written_plainly(value: object, written: str) -> None:
    assert read_source({"field": value}).text == f"field: {written}"


def test_numpy_array_of_texts_is_a_list_of_passages() -> None:
    assert read_source(np.array(["a", "b"])) == read_source(["a", "b"])
    assert parts(read_source([np.array(["a"])])) == {"passage 1 > passage 1": "a"}


def test_array_inside_an_object_is_a_list() -> None:
    arrays = read_source({"rows": np.array([np.array([1, 2]), np.array([3])], dtype=object)})
    assert arrays == read_source({"rows": [[1, 2], [3]]})


@given(JSON_SOURCES)
def test_passages_cover_the_text_in_order(value: list[object] | dict[str, object]) -> None:
    source = read_source(value)
    separator = "\n" if isinstance(value, dict) else "\n\n"
    assert separator.join(source.text[p.start : p.end] for p in source.passages) == source.text
    gaps = pairwise(source.passages)
    assert all(before.end + len(separator) == after.start for before, after in gaps)


@given(JSON_SOURCES)
def test_rendering_is_the_same_after_json_and_back(value: object) -> None:
    assert read_source(json.loads(json.dumps(value))) == read_source(value)


def faithjudge_json(value: object) -> str:
    return json.dumps(value, indent=4, ensure_ascii=False)


@given(st.dictionaries(st.text(), JSON_VALUES, min_size=1))
def test_an_object_is_kept_as_faithjudge_sends_it(value: dict[str, object]) -> None:
    source = read_source(value)
    if "Infinity" not in faithjudge_json(value):
        assert source.json == source.prompt_text == faithjudge_json(value)
    assert read_source(json.loads(source.json)) == source


def test_what_json_has_no_form_for_is_a_text_in_it() -> None:
    value = {
        1: np.array([np.int64(5), np.bool_(True)], dtype=object),
        "day": datetime.date(2020, 1, 2),
        "price": Decimal("1.50"),
        "gone": [float("nan"), pd.NA, np.float64("nan")],
        "all": float("inf"),
    }
    assert json.loads(read_source(value).json) == {
        "1": [5, True],
        "day": "2020-01-02",
        "price": "1.50",
        "gone": [None, None, None],
        "all": "inf",
    }


@pytest.mark.parametrize("value", ["text", ["a", "b"], [{"a": 1}], {}])
def test_what_is_no_object_has_no_json(value: object) -> None:
    source = read_source(value)
    assert (source.json, source.prompt_text) == ("", source.text)


def test_two_fields_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="two fields with the name '1'"):
        read_source({"a": {1: "x", "1": "y"}})


def test_source_that_would_fill_the_memory_as_json_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ASSAY_ROW_MIB", "1")
    value: object = [0] * 10_000
    for _ in range(60):  # 10,000 lines, each behind 4 * 61 spaces
        value = [value]
    with pytest.raises(InputError, match=r"more than 2 million characters as JSON; set ASSAY_ROW"):
        read_source({"": value})


@pytest.mark.parametrize("value", [None, 5, True, {"a"}, b"bytes", bytearray(b"bytes"), object()])
def test_what_is_neither_text_nor_list_nor_object_raises(value: object) -> None:
    with pytest.raises(InputError, match="a source must be text, a list or an object, not"):
        read_source(value)


def test_source_nested_without_end_raises() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(InputError, match="nested too deeply"):
        read_source(value)


@pytest.mark.parametrize("source", [{"n": 10**5000}, {10**5000: "x"}, [1, -(10**5000)]])
def test_a_number_that_python_does_not_write_is_refused(source: object) -> None:
    with pytest.raises(InputError, match="a number with too many digits"):
        read_source(source)


def test_infinite_and_missing_numbers_are_read() -> None:
    source = {"a": float("nan"), "b": float("inf"), "c": None}
    assert read_source(source).text == "a: not given\nb: inf\nc: not given"


class Unknown:
    """Says nothing but where it is in memory."""


@pytest.mark.parametrize(
    "source",
    [["a", Unknown()], {"a": Unknown()}, {"a": [1, Unknown()]}, [[Unknown()]], ["a", b"b"]],
)
def test_value_that_is_no_text_is_refused_wherever_it_stands(source: object) -> None:
    with pytest.raises(InputError, match=r"the source holds a value of type (Unknown|bytes), whic"):
        read_source(source)


def test_missing_passages_are_left_out_and_the_others_keep_their_numbers() -> None:
    source = read_source([None, "a", float("nan"), pd.NA, pd.NaT, {"text": "b"}])
    assert parts(source) == {"passage 2": "a", "passage 6": "b"}


def test_source_of_too_many_parts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "MOST_PARTS", 3)
    assert len(read_source(["a"] * 3).passages) == 3
    with pytest.raises(InputError, match="more than 3 passages or fields"):
        read_source({"a": [{"b": 1}] * 4})


def test_source_whose_names_would_fill_the_memory_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ASSAY_ROW_MIB", "1")
    with pytest.raises(InputError, match=r"more than 2 million characters .* set ASSAY_ROW_MIB"):
        read_source({"a" * 9_000: [{"b": 1}] * 200})
    with pytest.raises(InputError, match="is longer than 10,000 characters"):
        read_source({"a" * 6_000: {"b" * 6_000: 1}})
