"""BUMP: pairs, names of errors, recorded scores."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.examples import Annotated
from assay.datasets.corpora.bump import CARD, load
from assay.datasets.corpus import Corpus, Repairs
from tests.datasets.corpora.opinions import gold_of, recorded_of

ROW = {
    "id": 0,
    "article_id": 12,
    "article": "The cat sat.",
    "reference_summary": "A cat sat.",
    "edited_summary": "A dog sat.",
    "error_type": "Extrinsic Entity",
    "scores": {"DAE_edited": 0.25, "DAE_reference": 0.75, "BLEU_edited": 5, "BLEU_reference": 6},
}


def read(folder: Path, repairs: Repairs, **changes: Any) -> tuple[Annotated, Annotated]:
    for file in CARD.files:
        (folder / file.path).write_text(json.dumps([{**ROW, **changes}]), encoding="utf-8")
    reference, edited, *_ = load(folder, repairs)
    return reference, edited


@pytest.mark.shared_data
def test_pairs_and_repairs_are_the_stated_ones(corpora_root: Path) -> None:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    counts = Counter(
        (each.example.task, str(verdict.label)) for each in examples for verdict in gold_of(each)
    )
    assert counts == {
        ("task1", "faithful"): 693,
        ("task1", "unfaithful"): 693,
        ("task2", "faithful"): 196,
        ("task2", "unfaithful"): 196,
    }
    assert corpus.repairs.counts == {"bleu-left-out": 2 * (693 + 196)}
    assert {len(recorded_of(each)) for each in examples} == {11}


@pytest.mark.shared_data
def test_both_members_of_a_pair_share_the_source(corpora_root: Path) -> None:
    examples = list(Corpus(CARD, corpora_root / CARD.folder))
    for reference, edited in zip(examples[::2], examples[1::2], strict=True):
        assert reference.example.source == edited.example.source
        assert reference.id.removesuffix("reference") == edited.id.removesuffix("edited")
    assert len({each.example.source.id for each in examples}) == 198


@pytest.mark.shared_data
def test_most_metrics_prefer_the_reference(corpora_root: Path) -> None:
    examples = [e for e in Corpus(CARD, corpora_root / CARD.folder) if e.example.task == "task1"]
    wins: Counter[str] = Counter()
    for reference, edited in zip(examples[::2], examples[1::2], strict=True):
        for good, bad in zip(recorded_of(reference), recorded_of(edited), strict=True):
            assert good.verdict
            assert bad.verdict
            assert good.author == bad.author
            wins[good.author] += (good.score or 0) > (bad.score or 0)
    assert wins["bartscore"] > wins["coco"] > wins["dae"] > wins["factcc"] > len(examples) / 4


def test_a_pair_is_two_examples(tmp_path: Path) -> None:
    reference, edited = read(tmp_path, Repairs())
    assert (reference.id, edited.id) == ("task1-0-reference", "task1-0-edited")
    assert (str(gold_of(reference)[0].label), str(gold_of(edited)[0].label)) == (
        "faithful",
        "unfaithful",
    )
    assert gold_of(edited)[0].note == "Extrinsic Entity"


def test_the_corrected_error_comes_first(tmp_path: Path) -> None:
    _, edited = read(tmp_path, Repairs(), corrected_error_type="Coreference Error")
    assert gold_of(edited)[0].note == "Coreference Error (prescribed: Extrinsic Entity)"
    _, edited = read(tmp_path, Repairs(), corrected_error_type="Extrinsic Entity")
    assert gold_of(edited)[0].note == "Extrinsic Entity"


def test_scores_are_recorded_and_bleu_is_left_out(tmp_path: Path) -> None:
    repairs = Repairs()
    _, edited = read(tmp_path, repairs)
    (score,) = recorded_of(edited)
    assert score.verdict
    assert (score.author, score.score) == ("dae", 0.25)
    assert repairs.counts == {"bleu-left-out": 4}


def test_a_score_that_is_not_a_number_is_a_failure(tmp_path: Path) -> None:
    _, edited = read(tmp_path, Repairs(), scores={"DAE_edited": "high"})
    assert recorded_of(edited)[0].failure
