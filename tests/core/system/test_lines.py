"""Limits on what is read at once."""

import io
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from assay.core.errors import InputError
from assay.core.system.lines import (
    MIB,
    TooLong,
    decode,
    document_limit,
    has_more_values,
    limited_lines,
    read_whole,
    row_limit,
)

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


def test_line_over_the_limit_is_passed_over_and_the_others_are_read() -> None:
    file = io.BytesIO(b'ab\n"abc"defgh\nabc\nab')
    assert list(limited_lines(file, 3)) == [b"ab\n", TooLong(3, 2), b"abc\n", b"ab"]


def test_last_line_over_the_limit_is_passed_over() -> None:
    assert list(limited_lines(io.BytesIO(b"abcd"), 3)) == [TooLong(3, 0)]


def test_no_more_than_the_limit_is_held() -> None:
    file = io.BufferedReader(_Endless(100 * MIB))
    tracemalloc.start()
    try:
        assert list(limited_lines(file, MIB)) == [TooLong(MIB, 0)]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * MIB


class _Endless(io.RawIOBase):
    """So many bytes without a line break."""

    def __init__(self, count: int) -> None:
        self._left = count

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        view = memoryview(buffer)
        count = min(len(view), self._left)
        view[:count] = b"a" * count
        self._left -= count
        return count


def test_limits_are_those_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (row_limit(), document_limit()) == (64 * MIB, 64 * MIB)
    monkeypatch.setenv("ASSAY_ROW_MIB", "1")
    monkeypatch.setenv("ASSAY_DOCUMENT_MIB", "2")
    assert (row_limit(), document_limit()) == (MIB, 2 * MIB)


@pytest.mark.parametrize("value", ["0", "-1", "much", "1.5", "²", "9" * 5_000])
def test_limit_that_is_no_number_raises(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_ROW_MIB", value)
    with pytest.raises(InputError, match="ASSAY_ROW_MIB must be a number of MiB, 1 or more"):
        row_limit()


def test_file_over_the_limit_raises_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_DOCUMENT_MIB", "1")
    assert len(read_whole(io.BytesIO(b"a" * MIB), "x")) == MIB
    with pytest.raises(InputError, match=r"x\.json has more than 1 MiB.* set ASSAY_DOCUMENT_MIB"):
        read_whole(io.BytesIO(b"a" * (MIB + 1)), "x.json")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1,2,3,4]", False),  # four marks, and 64 // 16 values are allowed
        ("[1,2,3,4,5]", True),
        ('["a,b,c,d,[e{f"]', False),
        (r'["a\",b,c,d,e"]', False),
        ('{"a":"b","c":"d","e":"f","g":"h"}', False),
        ('{"a":"b","c":"d","e":"f","g":"h","i":""}', True),
        ("[[],[]]", False),
        ("[[],[],[]]", True),
        ('"not closed,,,,,,', False),
    ],
)
def test_values_of_json_are_counted_without_what_stands_in_strings(
    text: str, expected: bool
) -> None:
    assert has_more_values(text, 64) is expected


def test_values_of_hostile_text_are_counted_in_linear_time() -> None:
    assert not has_more_values('"\\' * 1_000_000 + ",", 16)
    assert has_more_values('""' * 1_000_000 + ",,", 16)


@pytest.mark.parametrize(
    ("begins", "kind"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF"),
        (b"%PDF-1.4\nonly ASCII", "a PDF"),
        (
            b"PK\x03\x04\x14\x00\x93",
            "an Office document (.docx, .xlsx, .odt) or another zip archive",
        ),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an Office document (.doc, .xls)"),
    ],
)
def test_document_that_is_no_text_is_called_what_it_is(begins: bytes, kind: str) -> None:
    with pytest.raises(InputError) as told:
        decode(begins, "a.pdf")
    assert str(told.value) == f"a.pdf is {kind}, which Assay does not read yet; convert it to text"


def test_text_of_another_encoding_says_which_byte_is_wrong() -> None:
    with pytest.raises(InputError, match="is not UTF-8: byte 0xe9 at position 3"):
        decode(b"caf\xe9", "a.txt")
