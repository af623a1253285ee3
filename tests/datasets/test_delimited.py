"""Rows of CSV and its kin."""

import io

import pytest

from assay.core.errors import InputError
from assay.core.problems import Problem
from assay.core.system.lines import MIB
from assay.datasets.delimited import delimited_rows
from assay.datasets.fields import Columns


def rows(content: str, columns: Columns | None = None, usual: str = ",") -> list[object]:
    """The rows, and the problems in words."""
    found = delimited_rows(io.BytesIO(content.encode()), "x", columns or Columns(), usual)
    return [str(row) if isinstance(row, Problem) else row for _, row in found]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("usual", [",", "\t"])
def test_header_says_what_stands_between_cells(mark: str, usual: str) -> None:
    content = f'Source{mark}Answer\n"a, b; c{mark}"{mark}d\n'
    assert rows(content, usual=usual) == [{"Source": f"a, b; c{mark}", "Answer": "d"}]


def test_header_may_have_the_users_own_names() -> None:
    content = "article, by whom;generated\na;b\n"
    columns = Columns(source="article, by whom", response="Generated")
    assert rows(content, columns) == [{"article, by whom": "a", "generated": "b"}]


def test_line_of_excel_says_what_stands_between_cells() -> None:
    assert rows("\ufeffsep=;\r\nsource;response\r\na;b\r\n") == [{"source": "a", "response": "b"}]


def test_lines_are_counted_from_the_first_of_the_file() -> None:
    (found,) = delimited_rows(io.BytesIO(b"\n\nsource;response\n\na;b;c\n"), "x", Columns())
    assert str(found[1]) == (
        "x line 5: 3 cells for 2 columns; a cell with a semicolon in it needs quotes around it"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "text;reply\na;b\n",
            "x, read as a table with a header: no source: none of .* text",
        ),
        ("source;reply\na;b\n", "no response: none of .* fields source"),
        ("only words\nand more\n", "no source: .* the fields only words"),
    ],
)
def test_header_without_the_fields_is_told_once(content: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        rows(content)
    assert caught.value.field in ("source_field", "response_field")


def test_header_of_langchain_or_of_messages_will_do() -> None:
    assert len(rows("query,result,source_documents\nq,a,d\n")) == 1
    assert len(rows("messages,context\nq,a\n")) == 1


def test_header_with_too_many_columns_raises() -> None:
    with pytest.raises(InputError, match="x has 10,003 columns; 10,000 can be read"):
        rows("source,response" + ",x" * 10_001)


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_ROW_MIB", "1")


LONG = "a" * (MIB + 10)
TOO_LONG = "x line 2: longer than 1 MiB, the limit for a row; set ASSAY_ROW_MIB to raise it"


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("cell", [LONG, f'"{LONG}"', f'"{LONG}""\n""\nmore, and\nmore"'])
def test_row_over_the_limit_is_one_problem_and_the_others_are_read(cell: str) -> None:
    assert rows(f"source,response\n{cell},b\nc,d\n") == [TOO_LONG, {"source": "c", "response": "d"}]


@pytest.mark.usefixtures("_small")
def test_many_short_lines_in_quotes_are_one_row_over_the_limit() -> None:
    cell = "a line,\n" * (MIB // 4)
    told = f"{TOO_LONG}; is a quotation mark not closed?"
    rest = {"source": "c", "response": "d"}
    assert rows(f'source,response\n"{cell}",b\nc,d\n') == [told, rest]
    assert rows(f'source,response\n"{cell}') == [told]


def test_carriage_returns_end_lines_where_they_end_the_first() -> None:
    expected = [{"source": "a", "response": "b"}, {"source": "c\nd", "response": "e"}]
    assert rows('source,response\ra,b\r"c\nd",e\r') == expected
    assert rows('\r\rsource,response\ra,b\r"c\rd",e') == expected
    assert rows('"source",response\r\na,b\r\n"c\nd",e\r\n') == expected
    assert rows("source,response\r") == []
    assert rows('"a\rb",source,response\nx,c,d\n') == [
        {"a\rb": "x", "source": "c", "response": "d"}
    ]


def test_first_line_that_ends_where_a_piece_does_is_read() -> None:
    header = "source,response,".ljust(2**16 - 1, "x")
    assert len(rows(f"{header}\r\na,b,c\r\n")) == 1


def test_names_of_a_header_may_have_spaces_around_them() -> None:
    (row,) = rows(' Source , response\n"a", "b, c"\n')
    assert row == {"Source ": "a", "response": "b, c"}


def test_line_of_excel_may_have_quotes() -> None:
    assert rows('"sep=;"\r\nsource;response\r\na;b\r\n') == [{"source": "a", "response": "b"}]


@pytest.mark.parametrize("header", ["source,source,response", "id,response,source,response"])
def test_column_that_is_there_twice_raises(header: str) -> None:
    with pytest.raises(InputError, match="2 columns are called") as caught:
        rows(f"{header}\na,b,c,d\n")
    assert caught.value.code == "two-columns"


def test_other_columns_may_be_there_twice() -> None:
    assert rows("id,id,source,response\n1,2,a,b\n") == [{"id": "1", "source": "a", "response": "b"}]
