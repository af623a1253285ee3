"""Sets of judgements in parts: written by an export, read one by one, and laid beside examples."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay import Author, Example, InputError, Judgement, Judgements, Manifest, Response, Source
from assay.core.records import manifest_record
from assay.core.taxonomies import BINARY
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.core.wire import SCHEMA, DocumentRecord
from assay.datasets.part_writing import write_parts
from assay.evaluation import set_aside
from assay.evaluation.judgement_files import judgement_line, write_judgement_file
from assay.evaluation.references import align, is_reference, open_judgements

MANIFEST = Manifest(Author("a judge"), unit_kind="response", taxonomy="binary", examples=5)


def example(id: str) -> Example:
    return Example(id, Source("A cat sat."), Response(f"It sat {id}."))


def judgement(id: str, author: str = "a judge") -> Judgement:
    unit = Unit.response(f"It sat {id}.")
    return Judgement(id, Author(author), (unit,), (Verdict(unit.id, BINARY["faithful"]),))


def write_set(folder: Path, ending: str, ids: Iterable[str]) -> str:
    document = DocumentRecord(SCHEMA, "0.3.0", manifest_record(MANIFEST))
    lines = (judgement_line(judgement(id)) for id in ids)
    write_parts(
        lines, f"{folder}/said/{ending}", write_judgement_file, 2, document=lambda: document
    )
    return f"{folder}/said/"


@pytest.mark.parametrize("ending", ["", "*.arrow", "*.jsonl", "*.jsonl.gz"])
def test_set_in_parts_is_opened_by_its_folder(ending: str, tmp_path: Path) -> None:
    found = open_judgements(write_set(tmp_path, ending, "abcde"))
    assert found.manifest == MANIFEST
    assert list(found) == list(found) == [judgement(id) for id in "abcde"]
    assert len(list((tmp_path / "said").iterdir())) == 4  # three parts and the manifest


def test_judgements_of_parts_are_read_one_by_one(tmp_path: Path) -> None:
    folder = write_set(tmp_path, "*.jsonl", "abcde")
    (tmp_path / "said" / "part-00001.jsonl").write_text("{\n")
    remaining = iter(open_judgements(folder))
    assert [next(remaining).example, next(remaining).example] == ["a", "b"]
    with pytest.raises(InputError, match=r"part-00001\.jsonl record 1 is damaged"):
        next(remaining)


def test_folder_with_a_slash_is_a_reference() -> None:
    assert is_reference("said/")
    assert not is_reference("overlap")


def test_folder_of_examples_is_no_set_of_judgements(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"source": "a", "response": "b"}\n')
    with pytest.raises(InputError, match="holds no set of judgements"):
        open_judgements(f"{tmp_path}/")


def test_unfinished_set_is_refused(tmp_path: Path) -> None:
    folder = write_set(tmp_path, "", "abc")
    path = tmp_path / "said" / "_assay.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "state": "writing"}))
    with pytest.raises(InputError, match="was not written to its end"):
        open_judgements(folder)


def of(ids: str, *more: Judgement) -> Judgements:
    return Judgements("said/", MANIFEST, lambda: [*map(judgement, ids), *more])


@pytest.mark.parametrize("order", ["abcde", "edcba", "cabed", "bcde", "ce", ""])
def test_judgements_find_their_examples_in_any_order(order: str) -> None:
    given = [example(id) for id in "abcde"]
    found = list(align(of(order), given))
    assert [each.example for each in found] == list("abcde")
    assert [id for id, each in zip("abcde", found, strict=True) if each.verdicts] == sorted(order)


def test_judgements_in_the_order_of_the_examples_are_not_set_aside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(set_aside, "sqlite3", None)
    assert len(list(align(of("abc"), [example(id) for id in "abc"]))) == 3


def test_judgements_are_read_along_with_the_examples() -> None:
    read: list[str] = []

    def reading() -> Iterator[Judgement]:
        for id in "abc":
            read.append(id)
            yield judgement(id)

    aligned = align(Judgements("said/", MANIFEST, reading), [example(id) for id in "abc"])
    next(aligned)
    assert read == ["a"]
    aligned.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("order", ["abca", "aabc", "bcaa"])
def test_two_judgements_of_one_example_are_told(order: str) -> None:
    with pytest.raises(
        InputError, match="two judgements of the example 'a', by a judge and a judge"
    ):
        list(align(of(order), [example(id) for id in "abc"]))


def test_judgements_of_other_examples_are_told() -> None:
    with pytest.raises(InputError, match="1 examples are not in the corpus, first 'd'"):
        list(align(of("abd"), [example(id) for id in "abc"], known={"a", "b", "c"}))


def test_judgement_set_aside_is_as_it_was() -> None:
    odd = replace(judgement("a"), at="2026", round=3)
    assert list(align(of("b", odd), [example("a"), example("b")])) == [odd, judgement("b")]


@pytest.mark.parametrize("name", ["said.parquet", "said.arrow", "said.feather", "SAID.PARQUET"])
@pytest.mark.parametrize("ids", ["abc", ""])
def test_set_in_one_file_of_columns_is_opened_by_its_name(
    name: str, ids: str, tmp_path: Path
) -> None:
    path = f"{tmp_path}/{name}"
    document = DocumentRecord(SCHEMA, "0.3.0", manifest_record(MANIFEST))
    lines = (judgement_line(judgement(id)) for id in ids)
    assert write_judgement_file(lines, path, document) == len(ids)
    found = open_judgements(path)
    assert found.manifest == MANIFEST
    assert list(found) == list(found) == [judgement(id) for id in ids]
    assert is_reference(path)


def test_file_of_columns_that_does_not_say_so_is_no_set_of_judgements(tmp_path: Path) -> None:
    write_judgement_file([judgement_line(judgement("a"))], f"{tmp_path}/part.parquet")
    with pytest.raises(InputError, match=r"part\.parquet holds no set of judgements"):
        open_judgements(f"{tmp_path}/part.parquet")


def test_id_that_is_no_text_is_told_where_it_cannot_be_written(tmp_path: Path) -> None:
    lines = [("a\ud800", "a judge", b"{}")]
    with pytest.raises(InputError, match=r"not text; write to FILE\.json"):
        write_judgement_file(lines, f"{tmp_path}/said.parquet")
    assert list(tmp_path.iterdir()) == []
