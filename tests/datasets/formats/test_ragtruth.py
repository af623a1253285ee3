"""RAGTruth's two files, read and written."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.core.codec import read_example, write_example
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.problems import Problem
from assay.core.rendering import read_source
from assay.core.taxonomies import BINARY, FAITHBENCH, GRAY7, RAGTRUTH4
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.datasets.corpus import load_corpus
from assay.datasets.formats.ragtruth import RESPONSES, SOURCES, read_ragtruth, write_ragtruth

TEXT = "The café 😀 opens at ten."
MARK = {
    "start": 20,
    "end": 23,
    "text": "ten",
    "meta": "EVIDENT CONFLICT\nIt opens at nine.",
    "label_type": "Evident Conflict",
    "implicit_true": False,
    "due_to_null": True,
}
HOURS = {"name": "Blue Door", "hours": {"Mon": "9:0-17:0"}, "stars": 3.5, "music": None}


def response(*labels: Any, **fields: Any) -> dict[str, Any]:
    return {
        "id": "7",
        "source_id": "s1",
        "model": "llm",
        "temperature": 0.7,
        "labels": list(labels),
        "split": "train",
        "quality": "good",
        "response": TEXT,
    } | fields


def source(**fields: Any) -> dict[str, Any]:
    return {
        "source_id": "s1",
        "task_type": "Summary",
        "source": "CNN/DM",
        "source_info": "The café opens at nine.",
        "prompt": "Sum this up:\n...",
    } | fields


def put(folder: Path, responses: list[Any], sources: list[Any]) -> Path:
    for name, rows in ((RESPONSES, responses), (SOURCES, sources)):
        lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
    return folder


def read(folder: Path) -> list[Annotated | Problem]:
    return list(read_ragtruth(folder / RESPONSES, folder / SOURCES))


def written(rows: list[Any], folder: Path, by: str = "") -> tuple[list[Any], list[Any]]:
    assert write_ragtruth(rows, folder / "out", by) == len(rows)
    names = (folder / "out" / RESPONSES, folder / "out" / SOURCES)
    responses, sources = (
        [json.loads(line) for line in name.read_text(encoding="utf-8").splitlines()]
        for name in names
    )
    return responses, sources


def labels_of(rows: list[Any], folder: Path, by: str = "") -> list[tuple[str, str]]:
    [row], _ = written(rows, folder, by)
    return [(each["text"], each["label_type"]) for each in row["labels"]]


@pytest.mark.parametrize(
    "labels",
    [
        [],
        [MARK],
        [MARK, MARK],
        [MARK | {"meta": None}],
        [MARK | {"start": 3, "end": 6}],
        [MARK | {"text": "eleven"}],
        [MARK | {"label_type": "subtle introduction of baseless information"}],
        [MARK | {"implicit_true": None, "confidence": 3}],
    ],
)
def test_a_response_is_written_as_it_was(labels: list[Any], tmp_path: Path) -> None:
    given = [response(*labels), response(id=8, temperature=None, note="n")]
    rows = read(put(tmp_path, given, [source()]))
    assert written(rows, tmp_path) == (given, [source()])


@pytest.mark.parametrize(
    "about",
    [
        source(source_info=HOURS, task_type="Data2txt"),
        source(source_info={"question": "When?", "passages": "passage 1:At nine.\n\n"}),
        source(source_info={"question": "When?", "passages": ["At nine.", "Or ten."]}),
        source(source_info=["One.", {"title": "B", "text": "Two."}], prompt=None),
        source(task_type="Dialogue Summary", more=[1]),
        source(source_id=5),
    ],
)
def test_a_source_is_written_as_it_was(about: dict[str, Any], tmp_path: Path) -> None:
    given = [response(MARK, source_id=about["source_id"])]
    rows = read(put(tmp_path, given, [about]))
    assert written(rows, tmp_path) == (given, [about])


def test_an_object_is_written_as_one_whatever_form_it_came_in(tmp_path: Path) -> None:
    row = Annotated(Example("1", read_source(HOURS), Response(TEXT, "m"), task="data2txt"))
    _, [about] = written([row], tmp_path)
    assert about["source_info"] == HOURS


def test_an_object_is_written_again_from_a_line_of_an_earlier_version(tmp_path: Path) -> None:
    about = source(source_info=HOURS, task_type="Data2txt")
    [row] = read(put(tmp_path, [response(MARK)], [about]))
    assert isinstance(row, Annotated)
    original = json.loads(row.example.original)
    original["ragtruth"]["source"]["source_info"] = HOURS  # which had no other place
    before = replace(row.example.source, json="")
    earlier = replace(row.example, source=before, original=json.dumps(original))
    assert written([replace(row, example=earlier)], tmp_path)[1] == [about]


def test_a_changed_mark_is_written_as_it_is_now(tmp_path: Path) -> None:
    [annotated] = read(
        put(tmp_path, [response(MARK | {"start": 3, "label_type": "evident conflict"})], [source()])
    )
    assert isinstance(annotated, Annotated)
    [said] = annotated.judgements
    whole, mark = said.verdicts
    changed = replace(said, outcomes=(whole, replace(mark, label=RAGTRUTH4["subtle-conflict"])))
    [row], _ = written([replace(annotated, judgements=(changed,))], tmp_path)
    assert row["labels"] == [MARK | {"label_type": "Subtle Conflict"}]


def project(*said: Judgement, id: str = "1", text: str = "At nine.") -> Annotated:
    return Annotated(Example(id, Source(text, id="s"), Response(TEXT, "m"), task="qa"), said)


def says(name: str, label: Any, start: int, end: int) -> Judgement:
    unit = Unit.at("span", Span.cut(TEXT, start, end, "response"), "p1")
    author = GOLD if name == "gold" else Author(name, "person")
    return Judgement("1", author, (unit,), (Verdict("p1", label),))


def test_marks_of_all_people_are_written_once_unless_one_is_named(tmp_path: Path) -> None:
    ann, bob = (says(name, GRAY7["contradicting"], 20, 23) for name in ("ann", "bob"))
    cy = says("cy", FAITHBENCH["unwanted.extrinsic"], 4, 8)
    dee = says("dee", FAITHBENCH["benign"], 0, 3)
    row = project(ann, bob, cy, dee)
    both = [("ten", "Evident Conflict"), ("café", "Evident Baseless Info")]
    assert labels_of([row], tmp_path) == both
    assert labels_of([row], tmp_path, by="cy") == both[1:]
    settled = says("gold", RAGTRUTH4["subtle-baseless"], 0, 3)
    assert labels_of([project(ann, settled)], tmp_path) == [("The", "Subtle Baseless Info")]


def test_a_response_that_is_unfaithful_as_a_whole_is_marked_as_a_whole(tmp_path: Path) -> None:
    whole = Unit.response(TEXT)
    said = Judgement("1", GOLD, (whole,), (Verdict(whole.id, BINARY["unfaithful"]),))
    assert labels_of([project(said)], tmp_path) == [(TEXT, "Evident Baseless Info")]


def test_sources_of_one_id_are_told_apart(tmp_path: Path) -> None:
    rows = [project(), project(id="2"), project(id="3", text="At ten.")]
    responses, sources = written(rows, tmp_path)
    assert [each["source_id"] for each in responses] == ["s", "s", "s-3"]
    assert [each["source_info"] for each in sources] == ["At nine.", "At ten."]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("{broken", "not valid JSON"),
        ("[]", "a line must be a JSON object, not list"),
        ({"id": "1"}, "missing required field 'source_id'"),
        (response(source_id="s9"), "source 's9' is not in source_info.jsonl"),
        (response(5), "Expected 'object', got 'int' - at '$.labels[0]'"),
        (response(MARK | {"start": -1}), "'int' >= 0"),
        (
            response(MARK | {"end": 99, "text": "x"}),
            "label 1: 20:99 does not fit a response of 24 characters",
        ),
        (response(MARK | {"label_type": "Bad"}), "unknown ragtruth4 label 'Bad'"),
    ],
)
def test_a_bad_response_is_a_problem_and_the_others_are_read(
    bad: Any, message: str, tmp_path: Path
) -> None:
    problem, good = read(put(tmp_path, [bad, response(MARK)], [source()]))
    assert isinstance(problem, Problem)
    assert problem.where.endswith(f"{RESPONSES} line 1")
    assert message in problem.message
    assert isinstance(good, Annotated)


def test_a_bad_source_is_a_problem(tmp_path: Path) -> None:
    rows = read(put(tmp_path, [response()], [source(source_info=5), "{", source(task_type=None)]))
    assert [str(each)[len(str(tmp_path)) + 1 :].partition(":")[0] for each in rows] == [
        "source_info.jsonl line 1",
        "source_info.jsonl line 2",
        "source_info.jsonl line 3",
        "response.jsonl line 1",
    ]


@pytest.mark.shared_data
def test_the_release_is_written_byte_for_byte(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "ragtruth"
    if not (folder / RESPONSES).exists():
        pytest.skip("RAGTruth is not there")
    rows = read(folder)
    known = list(load_corpus("ragtruth", shared_data))
    assert [replace(each.example, original="") for each in rows if isinstance(each, Annotated)] == [
        each.example for each in known
    ]
    kept = (read_example(write_example(each)) for each in rows if isinstance(each, Annotated))
    write_ragtruth(kept, tmp_path)
    for name in (RESPONSES, SOURCES):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()
