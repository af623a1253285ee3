"""AttributionBench, on tables in the form of its release."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.datasets.corpora.attributionbench import CARD
from assay.datasets.corpus import Corpus
from tests.datasets.corpora.opinions import gold_of

NAME = "test_ood_all_subset_balanced.jsonl"


def write(folder: Path, name: str = NAME, **more: Any) -> Corpus:
    row = {
        "question": "Who left?",
        "claim": "Ann left.",
        "claim_raw_string": "Ann left [1].",
        "response": "Ann left [1]. Bob stayed [2].",
        "references": ["Ann went away.", "Bob is here."],
        "citation_links": [],
        "webpage_references": [],
        "attribution_label": "attributable",
        "src_dataset": "Some",
        "id": "Some_1",
    }
    (folder / name).write_text(json.dumps(row | more), encoding="utf-8")
    return Corpus(CARD, folder)


def test_a_claim_is_judged_against_its_references(tmp_path: Path) -> None:
    [annotated] = write(tmp_path)
    assert (annotated.example.response.text, annotated.example.question) == (
        "Ann left.",
        "Who left?",
    )
    assert (str(gold_of(annotated)[0].label), annotated.example.task) == ("faithful", "Some")
    source = annotated.example.source
    texts = [source.text[passage.start : passage.end] for passage in source.passages]
    assert texts == ["Ann went away.", "Bob is here."]


def test_not_attributable_is_unfaithful(tmp_path: Path) -> None:
    [annotated] = write(tmp_path, attribution_label="not attributable")
    assert str(gold_of(annotated)[0].label) == "unfaithful"


@pytest.mark.parametrize(
    ("name", "split"),
    [(NAME, "test_ood"), ("test_all.jsonl", "test"), ("merged_train.jsonl", "train")],
)
def test_the_name_of_a_table_tells_the_split(name: str, split: str, tmp_path: Path) -> None:
    assert [annotated.example.split for annotated in write(tmp_path, name)] == [split]


@pytest.mark.parametrize("more", [{"references": [""]}, {"references": []}, {"claim": " "}])
def test_what_cannot_be_used_is_skipped_and_counted(more: Any, tmp_path: Path) -> None:
    corpus = write(tmp_path, **more)
    assert not list(corpus)
    assert corpus.repairs.counts == {"empty-text": 1}


@pytest.mark.parametrize("more", [{"references": "x"}, {"attribution_label": "odd"}, {"claim": 1}])
def test_what_cannot_be_read_raises(more: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=NAME):
        list(write(tmp_path, **more))
