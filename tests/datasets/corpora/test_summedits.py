"""SummEdits: labels by domain, kinds of edit, documents that share summaries."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.datasets.corpora.summedits import CARD, load
from assay.datasets.corpus import Corpus, Repairs
from tests.datasets.corpora.opinions import gold_of

ROW = {
    "id": "made_up_1_og",
    "doc": "The cat sat.",
    "summary": "A cat sat.",
    "label": 1,
    "edit_types": [],
    "split": "test",
}


def write(folder: Path, row: dict[str, Any]) -> Path:
    for file in CARD.files:
        (folder / file.path).write_text(json.dumps([row]), encoding="utf-8")
    return folder


@pytest.mark.shared_data
def test_domains_have_the_stated_rows(corpora_root: Path) -> None:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    assert Counter(annotated.example.task for annotated in examples) == {
        "ectsum": 668,
        "podcast": 500,
        "sales_email": 613,
        "samsum": 664,
        "scitldr": 466,
    }
    labels = Counter(str(verdict.label) for annotated in examples for verdict in gold_of(annotated))
    assert labels == {"faithful": 971, "unfaithful": 1940}
    assert Counter(annotated.example.split for annotated in examples) == {
        "evaluation": 609,
        "test": 2302,
    }
    assert corpus.repairs.counts == {"edit-missing": 65, "edit-on-faithful": 35}


@pytest.mark.shared_data
def test_a_domain_has_few_documents(corpora_root: Path) -> None:
    pairs = {
        (each.example.task, each.example.source.id)
        for each in Corpus(CARD, corpora_root / CARD.folder)
    }
    assert Counter(task for task, _ in pairs) == {
        "ectsum": 22,
        "podcast": 21,
        "sales_email": 21,
        "samsum": 22,
        "scitldr": 17,
    }


def test_the_source_is_named_by_the_id_without_its_end(tmp_path: Path) -> None:
    annotated = next(load(write(tmp_path, ROW), Repairs()))
    assert (annotated.id, annotated.example.source.id) == ("made_up_1_og", "made_up_1")


def test_kinds_of_edit_are_the_note(tmp_path: Path) -> None:
    row = {**ROW, "label": 0, "edit_types": ["antonym_swap", "entity_modification"]}
    (verdict,) = gold_of(next(load(write(tmp_path, row), Repairs())))
    assert str(verdict.label) == "unfaithful"
    assert verdict.note == "antonym_swap, entity_modification"


@pytest.mark.parametrize(
    ("label", "edits", "name"),
    [(0, [], "edit-missing"), (1, ["antonym_swap"], "edit-on-faithful")],
)
def test_a_kind_of_edit_that_does_not_fit_is_counted(
    label: int, edits: list[str], name: str, tmp_path: Path
) -> None:
    repairs = Repairs()
    next(load(write(tmp_path, {**ROW, "label": label, "edit_types": edits}), repairs))
    assert repairs.counts == {name: 1}


def test_an_unknown_label_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"summedits_ectsum.json: 2 is not one of 1, 0"):
        next(load(write(tmp_path, {**ROW, "label": 2}), Repairs()))
