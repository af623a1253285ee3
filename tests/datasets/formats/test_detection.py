"""Files and folders of every form, told apart by their shape."""

import gzip
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.application import app
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source
from assay.datasets.conversion import convert
from assay.datasets.fields import Columns
from assay.datasets.formats.detection import form_of, read_annotated
from assay.datasets.selection import DataChoice, load

SAMPLE = {
    "sample_id": 1,
    "source": "The ferry left.",
    "summary": "The ferry sank.",
    "annotations": [
        {
            "annot_id": 1,
            "annotator_id": "a",
            "annotator_name": "ann",
            "label": ["Unwanted"],
            "note": "",
            "summary_span": "sank",
            "summary_start": 10,
            "summary_end": 14,
        }
    ],
    "metadata": {"summarizer": "m"},
}
RESPONSE = {
    "id": "r1",
    "source_id": "s",
    "model": "m",
    "labels": [],
    "split": "test",
    "response": "The ferry left.",
}
INFO = {"source_id": "s", "task_type": "Summary", "source_info": "The ferry left."}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for number in (10, 2):
        document = json.dumps({"samples": [SAMPLE]}, indent=2)
        (tmp_path / "batches").mkdir(exist_ok=True)
        (tmp_path / "batches" / f"batch_{number}.json").write_text(document)
    (tmp_path / "batches" / "notes.json").write_text("{}")
    (tmp_path / "rag").mkdir()
    (tmp_path / "rag" / "response.jsonl").write_text(f"\n{json.dumps(RESPONSE)}\n")
    (tmp_path / "rag" / "source_info.jsonl").write_text(json.dumps(INFO))
    mine = Annotated(Example("own", Source("A."), Response("A.")))
    convert([mine], str(tmp_path / "own.jsonl"), lambda each: ("", ""))
    row = {"id": "row", "source": "A.", "response": "A.", "samples": [1], "labels": []}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    (tmp_path / "rows.json").write_text(json.dumps([row]))
    (tmp_path / "one.json").write_text(json.dumps(row))
    (tmp_path / "rows.csv").write_text("id,source,response\nrow,A.,A.\n")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "form", "ids"),
    [
        ("batches", "faithbench", ["2-1", "10-1"]),
        ("batches/batch_10.json", "faithbench", ["10-1"]),
        ("rag", "ragtruth", ["r1"]),
        ("rag/response.jsonl", "ragtruth", ["r1"]),
        ("rag/source_info.jsonl", "ragtruth", ["r1"]),
        ("own.jsonl", "assay", ["own"]),
        ("rows.jsonl", "plain", ["row"]),
        ("rows.json", "plain", ["row"]),
        ("one.json", "plain", ["row"]),
        ("rows.csv", "plain", ["row"]),
    ],
)
def test_a_form_is_told_by_its_shape(name: str, form: str, ids: list[str], data: Path) -> None:
    path = str(data / name)
    assert form_of(path) == form
    assert [each.id for each in read_annotated(path) if isinstance(each, Annotated)] == ids
    assert [each.id for each in load(DataChoice(path)).annotated] == ids
    assert DataChoice(path).survey().examples == len(ids)


def packed(path: Path) -> Path:
    with gzip.open(f"{path}.gz", "wb") as file:
        file.write(path.read_bytes())
    path.unlink()
    return path.with_name(f"{path.name}.gz")


def test_packed_files_are_read_as_well(data: Path) -> None:
    batch = packed(data / "batches" / "batch_2.json")
    assert [each.id for each in rows(batch)] == ["2-1"]
    packed(data / "rag" / "source_info.jsonl")
    assert [each.id for each in rows(data / "rag" / "response.jsonl")] == ["r1"]


def rows(path: Path) -> Iterator[Annotated]:
    return (each for each in read_annotated(str(path)) if isinstance(each, Annotated))


def test_named_fields_and_a_language_are_for_plain_files(data: Path) -> None:
    (data / "rows.csv").write_text("a,b\nA.,B.\n")
    [row] = read_annotated(str(data / "rows.csv"), Columns(source="a", response="b"), "de")
    assert isinstance(row, Annotated)
    assert (row.example.response.text, row.example.language) == ("B.", "de")


@pytest.mark.parametrize(
    ("gone", "name", "message"),
    [
        ("source_info.jsonl", "rag/response.jsonl", "responses of RAGTruth, and source_info.jsonl"),
        ("response.jsonl", "rag/source_info.jsonl", "sources of RAGTruth, and response.jsonl is"),
        ("response.jsonl", "rag", "holds neither response.jsonl with source_info.jsonl"),
        ("response.jsonl", "nowhere.json", "cannot read .*nowhere.json: No such file"),
    ],
)
def test_what_is_missing_is_told_in_one_line(
    gone: str, name: str, message: str, data: Path
) -> None:
    (data / "rag" / gone).unlink()
    with pytest.raises(InputError, match=message) as caught:
        list(read_annotated(str(data / name)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("head", ["", "{", "null", '{"samples"', '{"samples": {}}', "\x00", "[1]"])
def test_no_beginning_of_a_file_is_too_odd(head: str, data: Path) -> None:
    for name in ("x.json", "x.jsonl"):
        (data / name).write_text(head)
        assert form_of(str(data / name)) == "plain"


def test_commands_take_files_of_other_forms(data: Path) -> None:
    chosen = ("--detector", "overlap", "--json")
    for name, ids in (("batches/batch_2.json", ["2-1"]), ("rag", ["r1"])):
        result = CliRunner().invoke(app, ["check", str(data / name), *chosen])
        found = json.loads(result.stdout)["judgements"]
        assert [each["example"] for each in found] == ids
        stats = CliRunner().invoke(app, ["data", "stats", str(data / name)])
        assert (stats.exit_code, "examples" in stats.stdout) == (0, True)


@pytest.mark.shared_data
def test_the_released_batches_are_a_folder_of_750(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "faithbench" / "data_for_release"
    if not folder.exists():
        pytest.skip("FaithBench is not there")
    shutil.copytree(folder, tmp_path / "copy")
    loaded = load(DataChoice(str(tmp_path / "copy")))
    assert len(loaded.annotated) == 750
    assert loaded.annotated[0].id == "1-0"
