"""Data sets in parts: one order, one form, the same columns, and never half of what was written."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.problems import Problem
from assay.datasets.conversion import convert
from assay.datasets.files import count_rows
from assay.datasets.parts import MANIFEST, find_parts
from assay.datasets.selection import DataChoice
from tests.datasets.conftest import Write
from tests.datasets.test_columnar import no_label
from tests.datasets.test_conversion import FULL, PLAIN


def line(response: str) -> str:
    return f'{{"source": "A cat sat.", "response": "{response}"}}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "data"
    place.mkdir()
    return place


def responses(target: str | Path) -> list[tuple[str, str]]:
    rows = DataChoice(str(target)).read()
    return [(each.id, each.example.response.text) for each in rows if isinstance(each, Annotated)]


def test_parts_are_one_data_set_in_the_order_of_their_numbers(folder: Path) -> None:
    for number in (10, 2, 1):
        (folder / f"part-{number}.jsonl").write_text(line(f"p{number}") * 2)
    expected = [("1", "p1"), ("2", "p1"), ("3", "p2"), ("4", "p2"), ("5", "p10"), ("6", "p10")]
    assert responses(folder) == expected
    assert responses(folder / "part-*.jsonl") == expected
    assert responses(folder / "part-?.jsonl") == expected[:4]


def test_what_is_hidden_or_no_data_is_passed_over(folder: Path) -> None:
    for name in ("_SUCCESS", ".part-0.jsonl", "_tmp.jsonl", "README.md", "other/x.jsonl"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(line("no"))
    (folder / "x.jsonl").write_text(line("yes"))
    assert responses(folder) == [("1", "yes")]


def test_folders_give_fields(folder: Path) -> None:
    for split, model in (("test", "m%2F1"), ("dev", "__HIVE_DEFAULT_PARTITION__")):
        place = folder / f"split={split}" / f"model={model}"
        place.mkdir(parents=True)
        (place / "x.jsonl").write_text(line("r"))
    found = [each for each in DataChoice(str(folder)).read() if isinstance(each, Annotated)]
    assert [(e.example.split, e.example.response.model) for e in found] == [
        ("dev", ""),
        ("test", "m/1"),
    ]
    (only,) = DataChoice(str(folder), split="test").examples()
    assert only.id == "2"


def test_field_of_a_row_stands_against_its_folder(folder: Path) -> None:
    (folder / "model=m").mkdir()
    (folder / "split=train").mkdir()
    (folder / "model=m" / "x.jsonl").write_text('{"source": "a", "response": "b", "model": "n"}')
    convert([FULL, PLAIN], str(folder / "split=train" / "x.jsonl"), no_label)
    rows = DataChoice(str(folder / "split=*" / "x.jsonl")).read()
    assert [e.example.split for e in rows if isinstance(e, Annotated)] == ["dev", "train"]
    (row,) = DataChoice(str(folder / "model=*" / "x.jsonl")).examples()
    assert row.example.response.model == "n"


def test_empty_parts_are_no_mistake(folder: Path) -> None:
    (folder / "a.jsonl").write_text("")
    convert([FULL], str(folder / "b.jsonl"), no_label)
    (folder / "c.jsonl").write_text("")
    assert list(DataChoice(str(folder)).read()) == [FULL]


def test_empty_part_of_columns_is_no_mistake(folder: Path) -> None:
    for name, rows in (("a", []), ("b", [PLAIN]), ("c", [])):
        convert(rows, str(folder / f"{name}.parquet"), no_label)
    assert list(DataChoice(str(folder)).read()) == [PLAIN]


def table(folder: Path, name: str, **columns: list[object]) -> None:
    parquet.write_table(
        pyarrow.table({"source": ["a"], "response": ["b"], **columns}), folder / name
    )


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({"score": [1]}, {}, "{0} has 'score' and {1} does not"),
        ({}, {"score": [1]}, "{1} has 'score' and {0} does not"),
        ({"score": [1]}, {"score": ["1"]}, "'score' is int64 in {0} and text in {1}"),
    ],
)
def test_columns_that_differ_between_parts_are_one_line(
    first: dict[str, list[object]], second: dict[str, list[object]], message: str, folder: Path
) -> None:
    table(folder, "a.parquet", **first)
    table(folder, "b.parquet", **second)
    with pytest.raises(InputError) as error:
        next(iter(DataChoice(str(folder)).read()))
    paths = [f"{folder}/{name}.parquet" for name in "ab"]
    assert str(error.value).endswith(message.format(*paths))
    assert "\n" not in str(error.value)


def test_column_without_a_value_has_any_type_and_texts_are_texts(folder: Path) -> None:
    table(folder, "a.parquet", model=[None])
    table(folder, "b.parquet", model=["m"])
    table(folder, "c.parquet", model=pyarrow.array(["m"]).dictionary_encode())
    table(folder, "d.parquet", model=pyarrow.array(["m"], pyarrow.large_string()))
    assert len(responses(folder)) == 4


def test_two_forms_are_not_one_data_set(folder: Path) -> None:
    (folder / "a.jsonl").write_text(line("r"))
    (folder / "b.csv").write_text("source,response\na,b\n")
    with pytest.raises(InputError, match=r"a\.jsonl is lines and .*b\.csv is CSV; name those"):
        list(DataChoice(str(folder)).read())
    assert responses(folder / "*.csv") == [("1", "b")]


def test_examples_and_plain_rows_are_not_one_data_set(folder: Path) -> None:
    convert([FULL], str(folder / "a.jsonl"), no_label)
    (folder / "b.jsonl").write_text(line("r"))
    with pytest.raises(InputError, match=r"a\.jsonl has examples .* and .*b\.jsonl has plain rows"):
        list(DataChoice(str(folder)).read())


def test_bad_row_is_told_with_its_part(folder: Path) -> None:
    (folder / "a.jsonl").write_text(line("r"))
    (folder / "b.jsonl").write_text("{\n" + line("s"))
    first, second, third = DataChoice(str(folder)).read()
    assert isinstance(second, Problem)
    assert second.where == f"{folder}/b.jsonl line 1"
    assert [each.id for each in (first, third) if isinstance(each, Annotated)] == ["1", "3"]


@pytest.mark.parametrize(
    ("target", "names"),
    [("", ["part-00000.parquet", "part-00001.parquet"]), ("*.jsonl.gz", ["part-00000.jsonl.gz"])],
)
def test_examples_are_written_in_parts_and_read_again(
    target: str, names: list[str], tmp_path: Path
) -> None:
    rows = [FULL, PLAIN]
    count = convert(rows, f"{tmp_path}/new/{target}", no_label, rows_per_part=3 - len(names))
    place = tmp_path / "new"
    assert count == 2
    assert sorted(each.name for each in place.iterdir()) == [MANIFEST, *names]
    assert list(DataChoice(str(place)).read()) == rows
    assert count_rows(str(place)) == 2


def test_no_rows_are_a_data_set_without_parts(tmp_path: Path) -> None:
    convert([], f"{tmp_path}/new/", no_label)
    assert find_parts(f"{tmp_path}/new/").files == ()


def interrupted() -> Iterator[Annotated]:
    yield FULL
    yield PLAIN
    raise KeyboardInterrupt


def test_folder_that_was_not_written_to_its_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        convert(interrupted(), f"{tmp_path}/new/", no_label, rows_per_part=1)
    with pytest.raises(InputError, match="new/ was not written to its end: delete it") as error:
        list(DataChoice(f"{tmp_path}/new/").read())
    assert error.value.code == "unfinished-parts"


def test_missing_and_added_parts_are_told(tmp_path: Path, write: Write) -> None:
    convert([FULL, PLAIN], f"{tmp_path}/new/", no_label, rows_per_part=1)
    part = tmp_path / "new" / "part-00001.parquet"
    part.rename(tmp_path / "new" / "part-00007.parquet")
    with pytest.raises(InputError, match=r"its part part-00001\.parquet is missing"):
        list(DataChoice(f"{tmp_path}/new").read())
    (tmp_path / "new" / "part-00007.parquet").rename(part)
    convert([FULL], str(tmp_path / "new" / "more.parquet"), no_label)
    with pytest.raises(InputError, match=r"more\.parquet is no part of what was written"):
        list(DataChoice(f"{tmp_path}/new").read())


def test_parts_go_to_a_new_folder_only(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("mine")
    with pytest.raises(InputError, match="is not empty; write the parts to a new folder"):
        convert([FULL], f"{tmp_path}/", no_label)


@pytest.mark.parametrize("target", ["x/*.xls", "x/part-*.jsonl", "*/x.jsonl"])
def test_target_that_says_no_form_is_told(target: str) -> None:
    with pytest.raises(InputError, match=r"cannot tell what the parts of .* should be: write DIR/"):
        convert([FULL], target, no_label)


def test_tables_whose_columns_differ_are_one_line(folder: Path) -> None:
    (folder / "a.csv").write_text("source,response,model\na,b,m\n")
    (folder / "b.csv").write_text("source,response,model\n")
    (folder / "c.csv").write_text("source;response\na;b\n")
    with pytest.raises(InputError, match=r"a\.csv has 'model' and .*c\.csv does not"):
        next(iter(DataChoice(str(folder)).read()))
    assert responses(folder / "[ab].csv") == [("1", "b")]


def test_part_has_a_row_or_more(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a part has 1 row or more, not 0"):
        convert([FULL], f"{tmp_path}/new/", no_label, rows_per_part=0)
    assert list(tmp_path.iterdir()) == []
