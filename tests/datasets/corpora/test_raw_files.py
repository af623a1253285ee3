"""The readers that the loaders share."""

from gzip import compress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.datasets.corpora.raw_files import RawRow, locate, read_csv, read_json, read_json_lines


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", b"\xef\xbb\xbfid,text\n1,\xef\xbb\xbfx\n")
    assert list(read_csv(path)) == [{"id": "1", "text": "\ufeffx"}]


def test_a_cell_may_be_long_and_have_line_breaks(tmp_path: Path) -> None:
    long = "word\n" * 100_000
    path = write(tmp_path / "a.csv", f'id,text\n1,"{long}"\n'.encode())
    assert next(read_csv(path))["text"] == long


@pytest.mark.parametrize(
    "content", [b"a,b\n1\n", b"a,b\n1,2,3\n", b'a,b\n1,"2\n', b"a,b\n\xff,2\n"]
)
def test_a_broken_table_is_named(content: bytes, tmp_path: Path) -> None:
    path = write(tmp_path / "broken.csv", content)
    with pytest.raises(InputError, match=r"broken\.csv"):
        list(read_csv(path))


def test_lines_are_read_from_plain_and_packed_files_alike(tmp_path: Path) -> None:
    lines = b'{"a": 1}\n\n[2]\n'
    plain = write(tmp_path / "a.jsonl", lines)
    packed = write(tmp_path / "a.jsonl.gz", compress(lines))
    assert list(read_json_lines(plain)) == list(read_json_lines(packed)) == [{"a": 1}, [2]]


def test_a_line_that_is_not_json_is_named_by_its_number(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", b'{"a": 1}\n{"a":\n')
    with pytest.raises(InputError, match=r"a\.jsonl line 2 is not JSON"):
        list(read_json_lines(path))


@pytest.mark.parametrize("end", [-1, -9, -12, 2])
def test_a_broken_archive_is_named(end: int, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl.gz", compress(b'{"a": 1}\n' * 99)[:end])
    with pytest.raises(InputError, match=r"a\.jsonl\.gz"):
        list(read_json_lines(path))


def test_a_plain_file_that_is_named_as_an_archive_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl.gz", b'{"a": 1}\n')
    with pytest.raises(InputError, match=r"a\.jsonl\.gz"):
        list(read_json_lines(path))


@pytest.mark.parametrize(("content", "times"), [(b"", 1), (b"{", 1), (b"\xff", 1), (b"[", 99_999)])
def test_a_file_that_is_not_json_is_named(content: bytes, times: int, tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", content * times)
    with pytest.raises(InputError, match=r"a\.json"):
        read_json(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json"):
        read_json(tmp_path / "none.json")


def test_a_row_without_a_field_is_named() -> None:
    with pytest.raises(InputError, match="no field 'b', only a"):
        RawRow({"a": 1}, Path("x.json"))["b"]
    with pytest.raises(InputError, match="must be an object, not list"):
        RawRow([], Path("x.json"))


@given(st.text(max_size=9), st.text(min_size=1, max_size=3), st.integers(0, 9))
def test_what_is_located_is_there(text: str, piece: str, start: int) -> None:
    found = locate(text, piece, start)
    assert (found is None) == (piece not in text[start:])
    assert found is None or (found >= start and text.startswith(piece, found))
