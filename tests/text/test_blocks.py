"""The layout of a text."""

import pytest

from assay.text.blocks import marker_end, split_blocks


@pytest.mark.parametrize(
    ("line", "wording"),
    [
        ("- It rose.", "It rose."),
        ("  * It rose.", "It rose."),
        ("12. It rose.", "It rose."),
        ("(b) It rose.", "It rose."),
        ("iv) It rose.", "It rose."),
        ("### It rose.", "It rose."),
        ("> - It rose.", "It rose."),
        ("1986. It rose.", "1986. It rose."),
        ("-5 degrees", "-5 degrees"),
        ("It rose.", "It rose."),
    ],
)
def test_wording_begins_behind_the_marker(line: str, wording: str) -> None:
    assert line[marker_end(line) :] == wording


def test_block_begins_at_its_marker_and_its_body_behind_it() -> None:
    (block,) = split_blocks("\n  1. It rose.  \n")
    assert (block.start, block.body, block.end) == (1, 6, 14)


def test_code_and_table_rows_are_whole() -> None:
    blocks = split_blocks("Text.\n```\ncode\n```\n| a | b |")
    assert [block.is_whole for block in blocks] == [False, True, True]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Text.\n```\nThe mill burned.\nIt fell.", "prose whole prose prose"),
        ("```py\na\n```\nText.\n~~~\nIt fell.", "code prose whole prose"),
        ("````\nText.\n```\na\n```", "whole prose code"),
        ("```The mill burned.\nIt fell.", "prose prose"),
    ],
)
def test_fence_that_is_never_closed_fences_nothing(text: str, kinds: str) -> None:
    found = [
        "code" if block.is_code else "whole" if block.is_whole else "prose"
        for block in split_blocks(text)
    ]
    assert " ".join(found) == kinds


def test_unclosed_fences_are_read_in_linear_time() -> None:
    text = "".join("`" * length + "\nx\n" for length in range(450, 3, -1))
    assert sum(1 for _ in split_blocks(text)) == 2 * 447
