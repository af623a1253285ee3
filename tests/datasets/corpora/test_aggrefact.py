"""AggreFact, on a table in the form of its release."""

import csv
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.datasets.corpora.aggrefact import CARD
from assay.datasets.corpus import Corpus
from tests.datasets.corpora.opinions import gold_of, recorded_of

ROW = {
    "dataset": "FRANK",
    "origin": "xsum",
    "id": "7",
    "doc": "Ann left.",
    "summary": "Ann is gone.",
    "model_name": "BART",
    "label": "1",
    "cut": "test",
    "DAE_score": "0.75",
    "DAE_label": "1",
    "QAFactEval_score": "3.5",
    "QAFactEval_label": "0",
}


def write(folder: Path, **more: Any) -> Corpus:
    row = ROW | more
    with (folder / "aggre_fact_final.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerow(row)
    return Corpus(CARD, folder)


def test_a_row_is_a_judged_summary(tmp_path: Path) -> None:
    [annotated] = write(tmp_path)
    assert (str(gold_of(annotated)[0].label), gold_of(annotated)[0].unit.text) == (
        "faithful",
        "Ann is gone.",
    )
    assert (annotated.example.split, annotated.example.task, annotated.example.response.model) == (
        "test",
        "FRANK-xsum",
        "BART",
    )


def test_a_metric_has_a_decision_and_a_score(tmp_path: Path) -> None:
    [annotated] = write(tmp_path)
    said = recorded_of(annotated)[0]
    assert said.verdict
    assert (said.author, str(said.label), said.score) == ("dae", "faithful", 0.75)


def test_a_score_beyond_the_range_leaves_the_decision(tmp_path: Path) -> None:
    corpus = write(tmp_path)
    [annotated] = corpus
    said = recorded_of(annotated)[1]
    assert said.verdict
    assert (said.author, str(said.label), said.score) == ("qafacteval", "unfaithful", None)
    assert corpus.repairs.counts == {"score-beyond-range": 1}


def test_without_a_decision_the_score_is_left_or_nothing(tmp_path: Path) -> None:
    [annotated] = write(tmp_path, cut="val", DAE_label="", QAFactEval_label="")
    dae, qafacteval = recorded_of(annotated)
    assert dae.verdict
    assert (dae.label, dae.score) == (None, 0.75)
    assert qafacteval.failure
    assert qafacteval.reason == "missing"


def test_an_empty_summary_is_skipped_and_counted(tmp_path: Path) -> None:
    corpus = write(tmp_path, summary=" ")
    assert not list(corpus)
    assert corpus.repairs.counts == {"empty-text": 1}


def test_another_label_raises(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'2' is not one of"):
        list(write(tmp_path, label="2"))
