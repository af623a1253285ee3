"""Examples from files, row by row."""

import gzip
import io
import json
import os
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.problems import Problem
from assay.datasets.fields import Columns
from assay.datasets.files import count_rows, read_file
from tests.datasets.conftest import Write

GOOD = '{"source": "a", "response": "b"}'
LONG_NUMBER = b'{"source": "a", "response": "b", "id": ' + b"1" * 5_000 + b"}"


def texts(path: str, columns: Columns | None = None) -> list[tuple[str, str]]:
    """The texts of each example; any problem fails."""
    examples = [each.example for each in read_file(path, columns) if isinstance(each, Annotated)]
    assert len(examples) == len(list(read_file(path, columns)))
    return [(each.source.text, each.response.text) for each in examples]


def places(path: str) -> list[str]:
    """What each row gave: the id of an example, or the place of a problem."""
    return [
        each.id if isinstance(each, Annotated) else each.where.removeprefix(path).strip()
        for each in read_file(path)
    ]


def problem(path: str) -> str:
    (found,) = [each for each in read_file(path) if isinstance(each, Problem)]
    return str(found)


def test_json_object_is_one_example(write: Write) -> None:
    assert texts(write("one.json", GOOD)) == [("a", "b")]


def test_json_list_is_many(write: Write) -> None:
    assert texts(write("many.json", f"[{GOOD}, {GOOD}]")) == [("a", "b"), ("a", "b")]


def test_item_of_a_list_that_is_no_object_is_a_problem(write: Write) -> None:
    path = write("many.json", f"[1, {GOOD}]")
    assert places(path) == ["item 1", "2"]
    assert "an example must be a JSON object, not int" in problem(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON: "),
        (f"{GOOD}\n{GOOD}", "name it .jsonl if each line is an object"),
        (b'"\xff"', "is not UTF-8: byte 0xff at position 1; save it as UTF-8"),
        ("[" * 100_000, "is not JSON: it is nested too deeply"),
        (LONG_NUMBER.decode(), "is not JSON: a number has more than 4,300 digits"),
    ],
)
def test_file_that_is_not_json_raises(content: str | bytes, message: str, write: Write) -> None:
    with pytest.raises(InputError, match=message):
        list(read_file(write("bad.json", content)))


@pytest.mark.parametrize("suffix", [".jsonl", ".ndjson", ".JSONL"])
def test_json_lines_are_read_line_by_line(suffix: str, write: Write) -> None:
    assert texts(write(f"x{suffix}", f"{GOOD}\n\n{GOOD}")) == [("a", "b"), ("a", "b")]


def test_bad_line_is_told_with_its_number_and_the_others_are_read(write: Write) -> None:
    lines = ["\ufeff" + GOOD, "", "{broken", GOOD, "[1]", '{"source": "a"}', GOOD]
    path = write("x.jsonl", "\r\n".join(lines))
    assert places(path) == ["1", "line 3", "3", "line 5", "line 6", "6"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{broken", "line 1: not valid JSON: "),
        (b'{"id":"row"\r\n', "line 1: not valid JSON: Expecting ',' delimiter at column 12"),
        (b'{"id": "a\tb"}', "line 1: not valid JSON: Invalid control character at column 10"),
        (b"[1]", "line 1: a line must be a JSON object, not list"),
        (b'{"source": "\xe9"}', "line 1: the line is not UTF-8: byte 0xe9 at position 12"),
        (b'{"source": "a", "response": "\\u0000"}', "the response contains a NUL byte"),
        (b'{"source": "a", "response": "\\ud800"}', "the response contains bytes that are not"),
        (b'{"source": "", "response": "b"}', "the source is empty"),
        (b"[" * 100_000, "line 1: not valid JSON: it is nested too deeply"),
        (LONG_NUMBER, "line 1: not valid JSON: a number has more than 4,300 digits"),
    ],
)
def test_problem_says_what_is_wrong_with_the_line(line: bytes, message: str, write: Write) -> None:
    path = write("x.jsonl", line + b"\n" + GOOD.encode())
    assert message in problem(path)
    assert places(path)[1] == "2"


def test_lines_are_not_read_ahead(write: Write) -> None:
    path = write("x.jsonl", GOOD + "\n" + "{broken\n" * 100_000)
    rows = read_file(path)
    assert isinstance(next(rows), Annotated)
    Path(path).write_bytes(b"")  # what was not read yet is gone, but for a few buffers
    assert 0 < sum(1 for _ in rows) < 50_000


def test_csv_knows_quotes_line_breaks_and_a_byte_order_mark(write: Write) -> None:
    path = write("x.csv", '\ufeffsource,response\r\n"a, ""so""\nit is","b"\r\n\r\nc,d\r\n')
    assert texts(path) == [('a, "so"\nit is', "b"), ("c", "d")]


def test_csv_row_that_is_not_utf8_is_told_and_the_others_are_read(write: Write) -> None:
    path = write("x.csv", "source,response\ncafé,b\nc,d\n".encode("latin-1"))
    assert places(path) == ["line 2", "2"]
    assert "the source contains bytes that are not UTF-8 at character 3" in problem(path)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("Hello, world,b", "line 2: 3 cells for 2 columns; a cell with a comma in it needs quotes"),
        ("only one", "line 2: the response is empty"),
        ('"a "quoted" word",b', "line 2: not valid CSV: ',' expected after '\"'"),
        ("a\rb,c", "line 2: not valid CSV: new-line character seen in unquoted field"),
    ],
)
def test_csv_row_with_wrong_cells_is_told_and_the_others_are_read(
    row: str, message: str, write: Write
) -> None:
    path = write("x.csv", f"source,response\n{row}\nc,d\n")
    assert places(path) == ["line 2", "2"]
    assert message in problem(path)


def test_quote_that_never_ends_is_told_where_it_begins(write: Write) -> None:
    path = write("x.csv", 'source,response\na,b\nc,"d\n\ne,f\n')
    assert places(path) == ["1", "line 3"]
    assert "not valid CSV: unexpected end of data" in problem(path)


def test_long_csv_cell_is_read(write: Write) -> None:
    assert texts(write("x.csv", f"source,response\n{'a' * 1_000_000},b\n"))[0][1] == "b"


def test_parquet_is_read_with_lists_as_passages(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    rows = {"contexts": [["One.", "Two."], None], "answer": ["b", "c"], "id": [10, 11]}
    parquet.write_table(pyarrow.table(rows), path)
    first, second = read_file(str(path))
    assert isinstance(first, Annotated)
    texts = first.example.source.text, first.example.response.text
    assert (first.id, *texts) == ("10", "One.\n\nTwo.", "b")
    assert str(second) == f"{path} row 2: the source is empty (field 'contexts')"
    assert count_rows(str(path)) == 2


def test_file_that_is_not_parquet_raises(write: Write) -> None:
    with pytest.raises(InputError, match=r"x\.parquet is not Parquet"):
        list(read_file(write("x.parquet", "hello")))


@pytest.mark.parametrize(
    ("name", "content"),
    [("x.jsonl.gz", GOOD), ("x.json.gz", GOOD), ("x.csv.gz", "source,response\na,b\n")],
)
def test_packed_file_is_unpacked(name: str, content: str, write: Write) -> None:
    assert texts(write(name, gzip.compress(content.encode()))) == [("a", "b")]


def test_packed_file_that_breaks_off_raises_after_what_could_be_read(write: Write) -> None:
    packed = gzip.compress("\n".join(GOOD for _ in range(50_000)).encode(), compresslevel=0)
    rows = read_file(write("x.jsonl.gz", packed[: len(packed) // 2]))
    assert isinstance(next(rows), Annotated)
    with pytest.raises(InputError, match=r"cannot read .*x\.jsonl\.gz: Compressed file ended"):
        list(rows)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("x.jsonl.gz", "cannot read .*: Not a gzipped file"),
        ("x.txt", "cannot tell what .* is from its name; it should end in .json, .jsonl"),
        ("x", "cannot tell what"),
    ],
)
def test_file_of_another_kind_raises(name: str, message: str, write: Write) -> None:
    with pytest.raises(InputError, match=message):
        list(read_file(write(name, GOOD)))


@pytest.mark.parametrize("name", ["none.jsonl", "none.csv", "none.json.gz", "none.parquet"])
def test_file_that_is_not_there_raises(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"cannot read .*{name}.*No such file"):
        list(read_file(str(tmp_path / name)))


@pytest.mark.parametrize("name", ["x.jsonl", "x.csv"])
def test_empty_file_has_no_examples(name: str, write: Write) -> None:
    assert list(read_file(write(name, ""))) == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [(f"{GOOD}\n{GOOD}\n", 2), (f"[{GOOD},\n{GOOD}]", 2), (json.dumps(json.loads(GOOD)), 1)],
)
def test_standard_input_is_json_or_json_lines(
    content: str, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
    assert [isinstance(each, Annotated) for each in read_file("-")] == [True] * expected


def test_fields_and_language_are_passed_on(write: Write) -> None:
    path = write("x.jsonl", '{"article": "a", "response": "b"}')
    (read,) = read_file(path, Columns(source="article"), language="de")
    assert isinstance(read, Annotated)
    assert (read.example.source.text, read.example.language) == ("a", "de")


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_rows_of_json_lines_are_counted_without_blank_ones(end: str, write: Write) -> None:
    assert count_rows(write("x.jsonl", f"{GOOD}\n\n{GOOD}{end}")) == 2


def test_rows_of_other_files_are_not_counted(write: Write) -> None:
    assert count_rows(write("x.csv", "source,response\na,b\n")) is None


def test_structured_sources_are_read_from_json(write: Write) -> None:
    row: dict[str, Any] = {"source": {"name": "Blue Door", "wifi": None}, "response": "b"}
    assert texts(write("x.json", json.dumps(row)))[0][0] == "name: Blue Door\nwifi: not given"


@pytest.mark.parametrize("name", ["x.tsv", "x.tsv.gz", "x.TSV"])
def test_tabs_are_read(name: str, write: Write) -> None:
    content = b"source\tresponse\na, so\tb\n"
    assert texts(write(name, gzip.compress(content) if name.endswith("gz") else content)) == [
        ("a, so", "b")
    ]


def test_csv_of_a_european_excel_is_read(write: Write) -> None:
    path = write("x.csv", "\ufeffID;Context;Answer\r\n7;1,5 km;b\r\n")
    assert (texts(path), places(path)) == ([("1,5 km", "b")], ["7"])


@pytest.mark.parametrize("cell", ["['One.', 'Two.']", '["One.", "Two."]', "['One.' 'Two.']"])
def test_list_in_a_cell_is_a_list_of_passages(cell: str, write: Write) -> None:
    quoted = cell.replace('"', '""')
    (read,) = read_file(write("x.csv", f'contexts,answer\n"{quoted}",b\n'))
    assert isinstance(read, Annotated)
    assert read.example.source.text == "One.\n\nTwo."
    assert [each.name for each in read.example.source.passages] == ["passage 1", "passage 2"]


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.json"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_files_in_any_unicode_are_read(name: str, encoding: str, write: Write) -> None:
    content = "source,response\né😀,b\n" if name == "x.csv" else '{"source":"é😀","response":"b"}'
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    assert texts(write(name, (mark + content).encode(encoding))) == [("é😀", "b")]


def test_file_that_only_begins_as_utf16_raises(write: Write) -> None:
    with pytest.raises(InputError, match="begins as UTF-16 and is not: truncated data; save it as"):
        list(read_file(write("x.jsonl", b"\xff\xfea")))


@pytest.mark.parametrize("name", ["x.xlsx", "x.xls", "x.ods"])
def test_workbook_is_told_what_to_be_saved_as(name: str, write: Write) -> None:
    with pytest.raises(InputError, match="is a workbook; save its sheet as CSV"):
        list(read_file(write(name, b"PK")))


def read_stdin(content: bytes, monkeypatch: pytest.MonkeyPatch) -> list[Annotated | Problem]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    return list(read_file("-"))


@pytest.mark.parametrize(
    "content",
    [
        "source,response\na,b\n",
        "source;response\na;b\n",
        "\n\nsource\tresponse\na\tb\n",
        '\ufeff"source","response"\n"a","b"\n',
        f"\n\n{GOOD}\n",
        f"\ufeff{GOOD}",
        " " * 20_000 + f"[{GOOD}]",
    ],
)
def test_standard_input_is_known_by_its_beginning(
    content: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (read,) = read_stdin(content.encode(), monkeypatch)
    assert isinstance(read, Annotated)
    assert (read.example.source.text, read.example.response.text) == ("a", "b")


def test_standard_input_that_is_neither_says_what_it_was_read_as(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(InputError, match=r"standard input, read as a table .* no source"):
        read_stdin(b"What is this?\n", monkeypatch)


def told(found: list[Annotated | Problem]) -> list[str]:
    return [each.id if isinstance(each, Annotated) else str(each) for each in found]


@pytest.mark.parametrize("first", ['{"source": "a", "response": "b"', "[1]", "{broken", "[]"])
def test_bad_first_line_of_standard_input_is_one_problem(
    first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, *rest = told(read_stdin(f"{first}\n{GOOD}\n{GOOD}\n".encode(), monkeypatch))
    assert bad.startswith("standard input line 1: ")
    assert rest == ["2", "3"]


def test_bad_first_line_of_a_long_standard_input_is_one_problem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ASSAY_DOCUMENT_MIB", "1")
    content = "{broken\n" + f"{GOOD}\n" * 40_000
    found = read_stdin(content.encode(), monkeypatch)
    assert [isinstance(each, Problem) for each in found] == [True, *[False] * 40_000]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{\n"source": "a"\n}\n{\n"source": "a"\n}', "put each object on a line of its own"),
        (f"[\n{GOOD},\n{GOOD}\n", "standard input is not JSON: Expecting ',' delimiter"),
        (f"[{GOOD},\n{GOOD}\n", "standard input is not JSON: Expecting ',' delimiter"),
    ],
)
def test_document_with_a_mistake_on_standard_input_says_what_is_wrong(
    content: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match=message):
        read_stdin(content.encode(), monkeypatch)


@pytest.mark.parametrize("name", ["[id]", "{id}"])
def test_table_on_standard_input_may_begin_as_json_does(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (read,) = read_stdin(f"\n{name},source,response\n1,a,b\n".encode(), monkeypatch)
    assert isinstance(read, Annotated)
    assert read.example.source.text == "a"


@pytest.mark.parametrize("cell", ["[]", "[None]", "[nan]"])
def test_empty_retrieval_in_a_cell_is_an_empty_source(cell: str, write: Write) -> None:
    path = write("x.csv", f"contexts,answer\n{cell},b\n['One.'],c\n")
    assert places(path) == ["line 2", "2"]
    assert "line 2: the source is empty" in problem(path)


@pytest.mark.parametrize("name", ["one.jsonl", "one.json", "many.json"])
def test_row_with_a_field_twice_is_refused_and_the_others_are_read(name: str, write: Write) -> None:
    twice = '{"source": "a", "response": "b", "source": "other"}'
    text = {"one.jsonl": f"{GOOD}\n{twice}\n", "one.json": twice, "many.json": f"[{GOOD}, {twice}]"}
    path = write(name, text[name])
    assert problem(path).endswith(": the field 'source' stands twice; keep one of them")
    assert len(list(read_file(path))) == (1 if name == "one.json" else 2)


def test_field_that_stands_twice_below_a_row_is_left_alone(write: Write) -> None:
    inner = '{"source": {"a": {"x": 1, "x": 2}}, "response": "b", "note": [{"y": 1, "y": 1}]}'
    assert texts(write("one.jsonl", inner)) == [("a > x: 2", "b")]


def test_pipe_that_nobody_writes_to_is_waited_for_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("assay.datasets.encodings._PATIENCE", 1)
    pipe = tmp_path / "rows.jsonl"
    os.mkfifo(pipe)
    found: list[Annotated | Problem] = []
    reader = Thread(target=lambda: found.extend(read_file(str(pipe))))
    reader.start()
    while not caplog.records:
        time.sleep(0.01)
    pipe.write_text(f"{GOOD}\n" * 3)
    reader.join(timeout=60)
    assert [type(each) for each in found] == [Annotated] * 3
    assert "is a pipe, and nothing has been written to it yet" in caplog.text


def test_millions_of_blank_lines_are_passed_over_soon(tmp_path: Path) -> None:
    path = tmp_path / "blank.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n" * 1_000_000 + GOOD.encode(), 1))
    begun = time.process_time()
    assert len(list(read_file(str(path)))) == 1
    assert time.process_time() - begun < 10  # seconds; less than one is usual
