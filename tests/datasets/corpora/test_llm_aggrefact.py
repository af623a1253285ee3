"""LLM-AggreFact, on tables in the form of its release."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.datasets.corpora.llm_aggrefact import CARD
from assay.datasets.corpus import Corpus
from tests.datasets.corpora.opinions import gold_of

ROWS: list[dict[str, Any]] = [
    {"dataset": "A", "doc": "Ann left.", "claim": "Ann is gone.", "label": 1},
    {"dataset": "B", "doc": "Ann left.", "claim": "Ann stayed.", "label": 0},
]
for row in ROWS:
    row["contamination_identifier"] = "mark"


def write(folder: Path, name: str, rows: list[dict[str, Any]]) -> Corpus:
    path = folder / name
    if name.endswith(".parquet"):
        pyarrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.Table.from_pylist(rows), path)
    elif name.endswith(".jsonl"):
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return Corpus(CARD, folder)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_all_forms_say_the_same(suffix: str, tmp_path: Path) -> None:
    first, second = write(tmp_path, f"dev-00000-of-00001.{suffix}", ROWS)
    assert [str(gold_of(each)[0].label) for each in (first, second)] == ["faithful", "unfaithful"]
    assert first.example.source.id == second.example.source.id
    assert (first.id, first.example.split, first.example.task) == (
        "dev-00000-of-00001-0",
        "dev",
        "A",
    )
    assert gold_of(first)[0].unit.text == "Ann is gone."


def test_the_name_of_a_table_tells_the_split(tmp_path: Path) -> None:
    write(tmp_path, "dev.csv", ROWS[:1])
    assert [annotated.example.split for annotated in write(tmp_path, "test.csv", ROWS)] == [
        "dev",
        "test",
        "test",
    ]


def test_an_empty_text_is_skipped_and_counted(tmp_path: Path) -> None:
    corpus = write(tmp_path, "dev.jsonl", [ROWS[0] | {"doc": None}, ROWS[1]])
    assert len(list(corpus)) == 1
    assert corpus.repairs.counts == {"empty-text": 1}


@pytest.mark.parametrize("row", [{"label": 2}, {"label": None}])
def test_another_label_raises(row: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"dev\.jsonl"):
        list(write(tmp_path, "dev.jsonl", [ROWS[0] | row]))


def test_a_table_with_other_columns_raises(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no field 'dataset', only a"):
        list(write(tmp_path, "dev.csv", [{"a": 1}]))


def test_a_broken_parquet_file_is_named(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "dev.parquet").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"dev\.parquet"):
        list(Corpus(CARD, tmp_path))
