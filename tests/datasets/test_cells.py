"""Lists that somebody's program wrote into a text cell."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets.cells import read_list

PASSAGES = ['It\'s "one", [1].', 'Two\nlines, \\ and "so".', "é 😀", ""]


@given(st.lists(st.text(), min_size=1))
def test_lists_of_texts_are_read_as_python_and_json_write_them(texts: list[str]) -> None:
    assert read_list(str(texts)) == texts
    assert read_list(json.dumps(texts)) == texts
    assert read_list(f" {json.dumps(texts, ensure_ascii=False)}\n") == texts


def test_lists_are_read_as_numpy_writes_them() -> None:
    assert read_list(str(np.array(PASSAGES, dtype=object))) == PASSAGES


def test_objects_are_read_as_python_writes_them() -> None:
    rows = [{"page_content": "One.", "score": 0.3, "metadata": None}]
    assert read_list(str(rows)) == rows


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[2020]",
        "[1] see below [2]",
        "['One.', 2]",
        "['One.' or 'Two.']",
        "['not closed]",
        "[__import__('os')]",
        "['a', ['b']]",
        "plain text",
    ],
)
def test_other_text_is_left_alone(text: str) -> None:
    assert read_list(text) is None


@pytest.mark.parametrize("text", ["[" * 100_000 + "]", "[" + "'\\" * 100_000 + "]", "[1" * 10**5])
def test_hostile_text_is_left_alone(text: str) -> None:
    assert read_list(text) is None


def test_long_list_of_texts_is_read() -> None:
    texts = ["It's a passage. " * 1_000] * 100
    assert read_list(str(texts)) == texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", []),
        ("[ ]", []),
        ("[None]", [None]),
        ("[nan]", [None]),
        ("[NaN, null]", [None, None]),
        ("['One.' nan]", ["One.", None]),
        ("[<NA>, 'One.']", [None, "One."]),
        ('["One.", null]', ["One.", None]),
        ("[{'text': 'One.'}, None]", [{"text": "One."}, None]),
    ],
)
def test_empty_lists_and_missing_values_are_read(text: str, expected: list[object]) -> None:
    assert read_list(text) == expected


def test_cell_with_too_many_values_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_ROW_MIB", "1")
    assert read_list("[" + "{}," * 400_000 + "{}]") is None
