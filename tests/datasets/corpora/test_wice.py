"""WiCE: claims with supporting sentences, sub-claims with unsupported words."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.datasets.corpora.wice import CARD, TOKENS, load, load_tokens
from assay.datasets.corpus import Corpus, Repairs
from tests.datasets.corpora.opinions import gold_of

ROW = {
    "label": "partially_supported",
    "supporting_sentences": [[2], [0, 2]],
    "claim": " A big cat sat.",
    "evidence": ["The cat.", "", "It sat."],
    "meta": {"id": "dev1"},
}
TOKEN_ROW = {
    **ROW,
    "claim_tokens": ["A", "big", "cat", "sat", "."],
    "non_supported_spans": [True, True, False, True, False],
}


def write(folder: Path, row: dict[str, Any]) -> Path:
    for file in (*CARD.files, *TOKENS.files):
        (folder / file.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.path).write_text(json.dumps(row), encoding="utf-8")
    return folder


def read_claim(folder: Path, **changes: Any) -> Annotated:
    return next(load(write(folder, {**ROW, **changes}), Repairs()))


def read_tokens(folder: Path, repairs: Repairs, **changes: Any) -> Annotated:
    return next(load_tokens(write(folder, {**TOKEN_ROW, **changes}), repairs))


@pytest.mark.shared_data
def test_claims_are_the_stated_ones(corpora_root: Path) -> None:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    words = Counter((each.example.split, gold_of(each)[0].note.split(";")[0]) for each in examples)
    assert words == {
        ("dev", "supported"): 115,
        ("dev", "partially_supported"): 191,
        ("dev", "not_supported"): 43,
        ("test", "supported"): 111,
        ("test", "partially_supported"): 215,
        ("test", "not_supported"): 32,
    }
    labels = Counter(str(gold_of(each)[0].label) for each in examples)
    assert labels == {"faithful": 115 + 111, "unfaithful": 191 + 43 + 215 + 32}
    assert len({each.example.source.id for each in examples}) == 349 + 355
    assert not corpus.repairs.counts


@pytest.mark.shared_data
def test_sub_claims_are_the_stated_ones(corpora_root: Path) -> None:
    corpus = Corpus(TOKENS, corpora_root / TOKENS.folder)
    examples = list(corpus)
    assert Counter(each.example.split for each in examples) == {
        "train": 374,
        "dev": 124,
        "test": 105,
    }
    assert {str(verdict.label) for each in examples for verdict in gold_of(each)} == {"unfaithful"}
    assert all(len(gold_of(each)) > 1 for each in examples)
    assert not corpus.repairs.counts


@pytest.mark.shared_data
def test_a_claim_and_its_sub_claims_share_the_page(corpora_root: Path) -> None:
    pages = {each.id: each.example.source.id for each in Corpus(CARD, corpora_root / CARD.folder)}
    for each in Corpus(TOKENS, corpora_root / TOKENS.folder):
        claim = each.id.partition("-")[0]
        assert each.example.split == "train" or pages[claim] == each.example.source.id


def test_supporting_sentences_are_the_evidence(tmp_path: Path) -> None:
    annotated = read_claim(tmp_path)
    (verdict,) = gold_of(annotated)
    assert annotated.example.source.text == "The cat.\n\nIt sat."
    assert [(span.start, span.text) for span in verdict.evidence] == [
        (0, "The cat."),
        (10, "It sat."),
    ]
    assert verdict.note == "partially_supported; 2; 0 2"
    assert str(verdict.label) == "unfaithful"
    assert verdict.unit.text == " A big cat sat."


def test_a_claim_without_evidence_has_none(tmp_path: Path) -> None:
    (verdict,) = gold_of(read_claim(tmp_path, supporting_sentences=[[]], label="not_supported"))
    assert (verdict.evidence, verdict.note) == ((), "not_supported")


def test_runs_of_unsupported_tokens_are_spans(tmp_path: Path) -> None:
    repairs = Repairs()
    whole, *runs = gold_of(read_tokens(tmp_path, repairs))
    assert whole.unit.kind == "response"
    assert [(run.unit.text, run.unit.start) for run in runs] == [("A big", 1), ("sat", 11)]
    assert not repairs.counts


def test_a_token_that_is_not_in_the_claim_is_counted(tmp_path: Path) -> None:
    repairs = Repairs()
    tokens = ["A", "huge", "cat", "sat", "."]
    _, *runs = gold_of(read_tokens(tmp_path, repairs, claim_tokens=tokens))
    assert [run.unit.text for run in runs] == ["A", "sat"]
    assert repairs.counts == {"token-unlocated": 1}


@pytest.mark.parametrize("numbers", [[[3]], [[-1]], [["0"]]])
def test_a_sentence_that_does_not_exist_is_refused(
    numbers: list[list[Any]], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"dev\.jsonl"):
        read_claim(tmp_path, supporting_sentences=numbers)


def test_judgements_that_are_too_few_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="5 tokens have 1 judgements"):
        read_tokens(tmp_path, Repairs(), non_supported_spans=[True])
