"""The file and the line on which the row of an example begins, whatever its form."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.codec import write_example
from assay.core.examples import Annotated
from assay.core.places import RowPlace
from assay.core.problems import Problem
from assay.datasets.elements import element_lines
from assay.datasets.files import read_file
from assay.datasets.formats.otel.traces import read_traces
from assay.datasets.formats.ragtruth import read_ragtruth
from tests.datasets.formats.otel.exports import model, request, retriever, write

ROW = '{"source": "a", "response": "b"}'
NAMED = '{"id": "x", "source": "a", "response": "b"}'


def places(path: Path, content: str) -> list[RowPlace | None]:
    path.write_bytes(content.encode())
    found = read_file(str(path))
    return [each.place if isinstance(each, Problem) else each.example.place for each in found]


def lines(path: Path, content: str) -> list[int]:
    return [each.line for each in places(path, content) if each]


def test_blank_lines_and_bad_lines_of_json_lines_count(tmp_path: Path) -> None:
    content = f"\n{ROW}\n\nno json\n{NAMED}\n" + '{"source": "a"}'
    assert lines(tmp_path / "a.jsonl", content) == [2, 4, 5, 6]


def test_row_of_csv_is_where_it_begins_even_after_quoted_line_breaks(tmp_path: Path) -> None:
    content = 'source,response\n\n"a\nb\n",b\r\nc,"d ""\n"\n\nx,y,z\nq,r\n'
    assert lines(tmp_path / "a.csv", content) == [3, 6, 9, 10]


def test_element_of_a_list_is_where_it_begins(tmp_path: Path) -> None:
    content = f'\n[\n {ROW},\n\n {ROW}, 3,\n {{"source": "a\\n]", "response":\n"b"}}, {ROW}\n]'
    assert lines(tmp_path / "a.json", content) == [3, 5, 5, 6, 7]


@pytest.mark.parametrize(("content", "line"), [(ROW, 1), (f"\n\n{ROW}", 3)])
def test_one_object_is_where_it_begins(tmp_path: Path, content: str, line: int) -> None:
    assert lines(tmp_path / "a.json", content) == [line]


def test_rows_without_lines_are_on_the_first(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "a.parquet"
    pandas.DataFrame([json.loads(ROW)] * 2).to_parquet(path)
    first, second = read_file(str(path))
    found = [None if isinstance(each, Problem) else each.example.place for each in (first, second)]
    assert [each and (each.line, each.part) for each in found] == [(1, "row 1"), (1, "row 2")]


def test_place_says_whether_the_row_has_an_id(tmp_path: Path) -> None:
    found = places(tmp_path / "a.jsonl", f"{ROW}\n{NAMED}\n")
    assert [each and each.names_example for each in found] == [True, False]


@given(st.lists(st.recursive(st.text() | st.integers() | st.none(), st.lists, max_leaves=5)))
def test_lines_of_elements_are_those_of_the_text(values: list[object]) -> None:
    # Every element on a line of its own, below a first line with the bracket.
    text = "[\n" + ",\n".join(json.dumps(each) for each in values) + "\n]"
    assert list(element_lines(text)) == list(range(2, 2 + len(values)))


def test_elements_are_found_in_linear_time() -> None:
    assert sum(element_lines("[" + " " * 100_000 + "1" + " " * 100_000 + "]")) == 1


def test_sentence_of_a_text_has_its_own_line_and_that_of_a_row_has_not() -> None:
    text = "One.\nTwo.\n\nThree."
    assert RowPlace("a.txt", is_text=True).line_at(text, text.index("Three")) == 4
    assert RowPlace("a.jsonl", 7).line_at(text, text.index("Three")) == 7
    assert RowPlace("a.txt", is_text=True).line_at("One.\rTwo.\r\nThree.", 11) == 3


def test_answer_of_a_trace_is_on_the_line_of_its_request(tmp_path: Path) -> None:
    path = write(tmp_path, request(retriever(2, "A document.")), request(model(3)))
    (answer,) = read_traces(path)
    assert isinstance(answer, Annotated)
    place = answer.example.place
    assert place is not None
    assert (place.file, place.line, place.names_example) == (path, 2, False)


def test_response_of_ragtruth_is_on_its_own_line(tmp_path: Path) -> None:
    source = {"source_id": "1", "task_type": "Summary", "source_info": "A cat sat."}
    response = {"id": "1", "source_id": "1", "model": "m", "response": "A cat sat."}
    rows = [{**response, "split": "test", "labels": [], "id": str(n)} for n in (1, 2)]
    (tmp_path / "source_info.jsonl").write_text(json.dumps(source))
    (tmp_path / "response.jsonl").write_text("\n\n".join(map(json.dumps, rows)))
    found = read_ragtruth(tmp_path / "response.jsonl", tmp_path / "source_info.jsonl")
    lines = [
        each.example.place.line
        for each in found
        if isinstance(each, Annotated) and each.example.place
    ]
    assert lines == [1, 3]


def test_place_is_no_part_of_what_an_example_is(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(f"\n{NAMED}")
    (tmp_path / "b.json").write_text(NAMED)
    (one,), (other,) = (read_file(str(tmp_path / name)) for name in ("a.jsonl", "b.json"))
    assert isinstance(one, Annotated)
    assert isinstance(other, Annotated)
    assert one == other
    assert write_example(one) == write_example(other)
    assert "place" not in repr(one)
