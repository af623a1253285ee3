"""Boards from Python, of files and corpora."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay import (
    Columns,
    DataChoice,
    InputError,
    UnknownNameError,
    build_board,
)
from assay.core.codec import write_example
from assay.core.taxonomies import FAITHBENCH
from tests.board.making import FAILED, F, U, annotated, response

Rows = Callable[..., DataChoice]


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    """A file of responses, each with a label."""

    def write(*given: tuple[str, str, str], **more: str) -> DataChoice:
        lines = [
            {
                "id": f"{number}",
                "source": f"Ada was born in {source}.",
                "response": f"Ada was born in {source} in a small town.",
                "model": model,
                "label": label,
                **more,
            }
            for number, (model, source, label) in enumerate(given)
        ]
        path = tmp_path / "rows.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        return DataChoice(str(path), columns=Columns(label="label"))

    return write


def test_board_of_a_file_by_people_and_an_offline_detector(rows: Rows) -> None:
    data = rows(("a", "1815", "faithful"), ("b", "1815", "unfaithful"), ("a", "1816", "faithful"))
    result = build_board("gold", "overlap", data=data)
    board = result.board
    assert [(each.name, each.kind) for each in board.judges] == [
        ("gold", "person"),
        ("overlap", "detector"),
    ]
    first = board.rankings[0]
    assert [(s.model, s.hallucinated, s.judged, s.missing) for s in first.standings] == [
        ("a", 0, 2, 0),
        ("b", 1, 1, 1),
    ]
    assert board.detectors is not None
    assert [each.detector for each in board.detectors.evaluations] == ["overlap"]
    (errors,) = [each for each in board.errors if each.unit == "response"]
    assert errors.gold == {"unfaithful": 1, "faithful": 2}
    assert len(board.digest) == 32
    assert board.title == "Hallucinations in rows.jsonl"


def test_document_and_frame_have_every_standing(rows: Rows) -> None:
    result = build_board("gold", data=rows(("a", "1", "faithful"), ("b", "1", "unfaithful")))
    document = result.to_dict()
    json.dumps(document, allow_nan=False)
    assert document["schema_version"] == 1
    assert [each["model"] for each in document["rankings"][0]["standings"]] == ["a", "b"]
    assert result.to_pandas()["model"].tolist() == ["a", "b"]
    assert "| a" in result.to_markdown()
    assert result.to_csv().count("\n") == 3
    assert repr(result).startswith("<board of 2 LLMs on ")


def test_rows_are_those_of_the_data(rows: Rows) -> None:
    result = build_board("gold", data=rows(("a", "1", "faithful"), ("b", "1", "unfaithful")))
    assert [each.classes for each in result.rows()] == [(("faithful",),), (("hallucinated",),)]


def test_second_responses_are_named_or_passed_over(rows: Rows) -> None:
    data = rows(("a", "1", "faithful"), ("a", "1", "unfaithful"))
    with pytest.raises(InputError, match=r"a second response to .*: '1' \(a\)$"):
        build_board("gold", data=data)
    board = build_board("gold", data=data, duplicates="first").board
    assert board.rankings[0].standings[0].hallucinated == 0
    assert board.warnings[0].endswith("same source are left out: 1")


def test_the_same_source_with_another_question_is_no_second_response(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with path.open("wb") as file:
        for question in ("Where?", "When?"):
            row = annotated(response("a", "s", question=question), {"d": F})
            file.write(write_example(row).replace(b'"a/s/"', b'"%s"' % question.encode()) + b"\n")
    assert build_board(data=str(path)).board.rankings[0].standings[0].responses == 2


def test_responses_of_nobody_are_left_out_and_all_of_them_are_an_error(rows: Rows) -> None:
    board = build_board("gold", data=rows(("a", "1", "faithful"), ("", "1", "unfaithful"))).board
    assert board.models == ("a",)
    assert "responses that do not say which LLM wrote them are left out: 1" in board.warnings
    with pytest.raises(InputError, match="no response says which LLM wrote it"):
        build_board("gold", data=rows(("", "1", "faithful")))


def test_all_recorded_judges_and_people_by_default(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with path.open("wb") as file:
        for model in "ab":
            for number in range(3):
                said = {"d": U, "gold": FAITHBENCH["benign"], "e": F}
                row = annotated(response(model, f"s{number}"), said)
                file.write(write_example(row) + b"\n")
    board = build_board(data=str(path), own={"d": "b"}).board
    assert [each.name for each in board.judges] == ["gold", "d", "e", "majority"]
    assert [level.name for level in board.levels] == ["unwanted", "questionable", "benign"]
    assert {each.model for each in board.bias[0].cells if each.is_own} == {"b"}
    named = build_board("e", data=str(path)).board
    assert [each.name for each in named.judges] == ["e"]
    with pytest.raises(UnknownNameError, match=r"Choices: .* d, .* e,"):
        build_board("e", "f", data=str(path))


@pytest.mark.parametrize("name", ["verify-revision m", "collect", "filter"])
def test_who_voted_on_revisions_collected_or_filtered_is_no_judge(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "revised.jsonl"
    said = {"gold": U, name: F}
    path.write_bytes(write_example(annotated(response("a", "s"), said)))
    assert [each.name for each in build_board(data=str(path)).board.judges] == ["gold"]
    with pytest.raises(UnknownNameError) as caught:
        build_board(name, data=str(path))
    assert name not in str(caught.value).partition("Choices")[2]


def test_detectors_are_measured_in_each_task_only_where_tasks_are_ranked(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [
        annotated(response("a", f"s{n}", task=task), {"gold": U, "d": F})
        for n, task in enumerate(("qa", "summary"))
    ]
    path.write_bytes(b"\n".join(map(write_example, rows)))
    for by_task, tasks in ((False, []), (True, ["qa", "summary"])):
        report = build_board(data=str(path), by_task=by_task, replicates=20).board.detectors
        assert report is not None
        assert list(report.evaluations[0].tasks) == tasks


def test_the_majority_is_measured_like_a_detector(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with path.open("wb") as file:
        for number, (gold, *said) in enumerate(
            ((U, U, F, F), (F, U, F, F), (U, U, U, F), (F,) * 4)
        ):
            given = dict(zip(("gold", "p", "q", "r"), (gold, *said), strict=True))
            file.write(write_example(annotated(response("a", f"s{number}"), given)) + b"\n")
    report = build_board(data=str(path), replicates=20).board.detectors
    assert report is not None
    recalls = {each.detector: each.figures["recall"].value for each in report.evaluations}
    assert recalls == {"p": 1, "q": 0.5, "r": 0, "majority": 0.5}


def test_sentences_are_measured_only_where_people_labelled_them(rows: Rows) -> None:
    data = rows(("a", "1815", "faithful"), ("b", "1815", "unfaithful"))
    board = build_board("gold", "overlap", data=data, replicates=20).board
    assert board.detectors is not None
    assert board.sentence_detectors is None
    assert [each.unit for each in board.errors] == ["response"]
    assert board.measured_at == ""


@pytest.mark.parametrize(
    ("levels", "at", "recall"),
    [
        (("unwanted",), "unwanted", 1),
        (("benign",), "benign", 1 / 3),
        ((), "questionable", 1 / 2),
    ],
)
def test_detectors_are_measured_at_the_level_of_the_board(
    tmp_path: Path, levels: tuple[str, ...], at: str, recall: float
) -> None:
    path = tmp_path / "rows.jsonl"
    names = {"unwanted": U, "questionable": F, "benign": F, "consistent": F}
    rows = [
        annotated(response("a", name), {"gold": FAITHBENCH[name], "d": said})
        for name, said in names.items()
    ]
    path.write_bytes(b"\n".join(map(write_example, rows)))
    result = build_board(data=str(path), levels=levels, replicates=20)
    assert result.board.measured_at == at
    assert result.board.detectors is not None
    found = result.board.detectors.evaluations[0].figures["recall"]
    assert found.value == pytest.approx(recall)
    title = next(each.title for each in result.board.levels if each.name == at)
    assert f"People's labels at the level {title}: response level" in result.to_markdown()


def test_rows_of_the_same_id_are_named_or_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    row = {"id": "x", "source": "Ada was born in 1815.", "response": "Ada was born in 1815 or so."}
    lines = [{**row, "model": model} for model in ("a", "a", "b")]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with pytest.raises(
        InputError, match=r"the id 'x' appears twice in .*, in rows 1 and 2"
    ) as told:
        build_board("overlap", data=str(path))
    assert told.value.code == "duplicate-responses"
    board = build_board("overlap", data=str(path), duplicates="first").board
    assert board.models == ("a",)
    assert "rows whose id appeared before are left out: 2" in board.warnings


def test_without_anybody_who_judges_one_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    row = annotated(response("a", "s"), {"collect": FAILED})
    path.write_bytes(write_example(row))
    with pytest.raises(InputError, match="name a judge, such as overlap"):
        build_board(data=str(path))
    with pytest.raises(UnknownNameError, match="'collect'"):
        build_board("collect", data=str(path))


def test_what_cannot_be_is_told(rows: Rows, tmp_path: Path) -> None:
    data = rows(("a", "1", "faithful"), ("b", "1", "unfaithful"))
    unlabelled = tmp_path / "unlabelled.jsonl"
    unlabelled.write_text(
        write_example(annotated(response("a", "1"), {})).decode(), encoding="utf-8"
    )
    with pytest.raises(UnknownNameError, match="nonsense"):
        build_board("nonsense", data=data)
    with pytest.raises(InputError, match="has no gold labels"):
        build_board("gold", data=str(unlabelled))
    for more in ({"invalid": "x"}, {"refusals": "x"}, {"duplicates": "x"}):
        with pytest.raises(UnknownNameError):
            build_board("gold", data=data, **more)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="replicates must be 1 or more"):
        build_board("gold", data=data, replicates=0)
    with pytest.raises(InputError, match="seed must be 0 or more"):
        build_board("gold", data=data, seed=-1)
    with pytest.raises(UnknownNameError, match="judge"):
        build_board("gold", data=data, own={"other": "a"})
    with pytest.raises(UnknownNameError, match=r"LLM 'other'.*Choices: a, b"):
        build_board("gold", data=data, own={"gold": "other"})
    with pytest.raises(InputError, match="named twice"):
        build_board("overlap", "overlap", data=data)
