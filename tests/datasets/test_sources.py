"""Sources from rows, folders and corpora."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.rendering import read_source
from assay.core.texts import Source
from assay.datasets.selection import DataChoice
from assay.datasets.sources import ChosenSources, is_structured, load_sources


def read(
    tmp_path: Path, *rows: dict[str, Any], name: str = "s.jsonl", **more: Any
) -> ChosenSources:
    path = tmp_path / name
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return load_sources(DataChoice(str(path), **more))


def test_rows_need_no_response(tmp_path: Path) -> None:
    found = read(tmp_path, {"id": 7, "document": "x", "query": "Why?", "task": "answer"})
    (source,) = found.chosen
    assert (source.id, source.source.id, source.question) == ("7", "7", "Why?")
    assert (source.response.text, source.task) == ("", "answer")


def test_a_table_needs_no_response_either(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("id;source\na;The ferry sank.\nb;The bridge is blue.\n", encoding="utf-8")
    found = load_sources(DataChoice(str(path)))
    assert [each.id for each in found.chosen] == ["a", "b"]


def test_the_id_of_the_source_comes_before_that_of_the_row(tmp_path: Path) -> None:
    rows = [{"id": n, "source_id": "s", "source": "x", "response": "y"} for n in range(3)]
    assert [each.id for each in read(tmp_path, *rows).chosen] == ["s"]


def test_one_source_under_two_ids_is_taken_once_and_told(tmp_path: Path) -> None:
    found = read(tmp_path, {"id": "a", "source": "x"}, {"id": "b", "source": "x"})
    assert [each.id for each in found.chosen] == ["a"]
    assert found.notices == ("the same source under two ids, taken once: 'b' is 'a'",)


def test_a_sample_of_sources_is_chosen_by_its_seed(tmp_path: Path) -> None:
    rows = [{"source": f"x{n}"} for n in range(50)]
    some = [read(tmp_path, *rows, sample=5, seed=seed).chosen for seed in (1, 1, 2)]
    assert some[0] == some[1] != some[2]
    assert len(some[0]) == 5


def test_bad_documents_are_told_together(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(" ", encoding="utf-8")
    (tmp_path / "b.json").write_text("{", encoding="utf-8")
    (tmp_path / "c.txt").write_bytes(b"\xff\xfe\x00")
    outside = tmp_path.parent / "secret.txt"
    outside.write_text("secret", encoding="utf-8")
    (tmp_path / "d.txt").symlink_to(outside)
    with pytest.raises(InputError) as error:
        load_sources(DataChoice(str(tmp_path)))
    said = str(error.value).splitlines()
    assert [line.strip()[:5] for line in said[1:]] == ["a.txt", "b.jso", "c.txt", "d.txt"]
    assert said[-1].endswith("it is a link out of the folder")


def test_two_documents_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    (tmp_path / "a.md").write_text("y", encoding="utf-8")
    with pytest.raises(InputError, match="the id 'a' appears twice"):
        load_sources(DataChoice(str(tmp_path)))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"name": "x", "stars": 4}, True),
        ({"name": "x"}, True),
        ("name: x", False),
        (["name: x", "stars: 4"], False),
        ([{"title": "a", "text": "b: c"}], False),
    ],
)
def test_only_an_object_is_structured(value: Any, expected: bool) -> None:
    assert is_structured(read_source(value)) is expected


def test_a_text_is_not_structured() -> None:
    assert not is_structured(Source(""))


def test_no_such_file_and_no_such_corpus_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        load_sources(DataChoice(str(tmp_path / "none.jsonl")))
    with pytest.raises(InputError, match="no such file or corpus 'faithbanch'"):
        load_sources(DataChoice("faithbanch"))


@pytest.mark.shared_data
def test_faithbench_has_75_sources(shared_data: Path) -> None:
    found = load_sources(DataChoice("faithbench", str(shared_data)))
    assert (found.count, found.notices) == (75, ())
