"""DeFacto: verdicts with explanation, instruction, correction and located evidence."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.examples import Annotated
from assay.core.verdicts import Attributes
from assay.datasets.corpora.defacto import CARD, load
from assay.datasets.corpus import Corpus, Repairs
from tests.datasets.corpora.opinions import gold_of

FEEDBACK = {
    "summary": "A cat sat.",
    "evidence": "The cat sat.",
    "explanation": "It is a cat.",
    "instruction": "Replace the dog with a cat.",
    "instruction_list": ["Replace the dog with a cat."],
}
ROW = {
    "article": "It rained. The cat sat.",
    "abstract": "Rain.",
    "candidate": "A dog sat.",
    "doc_id": 7,
    "has_error": True,
    "intrinsic_error": True,
    "extrinsic_error": False,
    "feedback": FEEDBACK,
}


def read(folder: Path, repairs: Repairs, **changes: Any) -> Annotated:
    for file in CARD.files:
        (folder / file.path).write_text(json.dumps({**ROW, **changes}), encoding="utf-8")
    return next(load(folder, repairs))


@pytest.mark.shared_data
def test_rows_errors_and_repairs_are_the_stated_ones(corpora_root: Path) -> None:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    counts = Counter(
        (each.example.split, str(verdict.label)) for each in examples for verdict in gold_of(each)
    )
    assert counts == {
        ("train", "unfaithful"): 701,
        ("train", "faithful"): 299,
        ("val", "unfaithful"): 341,
        ("val", "faithful"): 145,
    }
    # 24 + 9 pieces of evidence; 3 + 5 corrections of faithful summaries, and one null in train.
    assert corpus.repairs.counts == {
        "evidence-unlocated": 33,
        "correction-without-error": 8,
        "correction-null": 1,
    }
    assert sum(len(verdict.evidence) for each in examples for verdict in gold_of(each)) == 1486 - 33


@pytest.mark.shared_data
def test_one_article_is_in_both_splits(corpora_root: Path) -> None:
    examples = list(Corpus(CARD, corpora_root / CARD.folder))
    train, val = (
        {each.example.source.id for each in examples if each.example.split == split}
        for split in ("train", "val")
    )
    assert (len(train), len(val), len(train & val)) == (1000, 486, 1)


def test_the_attributes_and_the_note_hold_the_feedback(tmp_path: Path) -> None:
    repairs = Repairs()
    (verdict,) = gold_of(read(tmp_path, repairs))
    assert verdict.note.splitlines() == [
        "error: intrinsic",
        "explanation: It is a cat.",
        "instruction: Replace the dog with a cat.",
        "corrected: A cat sat.",
    ]
    assert verdict.attributes == Attributes(
        explanation="It is a cat.",
        correction="A cat sat.",
        instruction="Replace the dog with a cat.",
        category="intrinsic",
    )
    assert not repairs.counts


def test_the_evidence_is_a_span_of_the_article(tmp_path: Path) -> None:
    (verdict,) = gold_of(read(tmp_path, Repairs()))
    (span,) = verdict.evidence
    assert (span.side, span.start, span.end) == ("source", 11, 23)


def test_evidence_that_is_not_in_the_article_is_cited(tmp_path: Path) -> None:
    repairs = Repairs()
    (verdict,) = gold_of(read(tmp_path, repairs, feedback={**FEEDBACK, "evidence": "The cat lay."}))
    assert verdict.evidence == ()
    assert verdict.note.endswith("evidence: The cat lay.")
    assert verdict.attributes.cited == "The cat lay."
    assert repairs.counts == {"evidence-unlocated": 1}


@pytest.mark.parametrize(
    ("correction", "counts"),
    [
        ("", {}),
        ("A cat lay.", {"correction-without-error": 1}),
        (None, {"correction-null": 1}),
    ],
)
def test_a_correction_of_a_faithful_summary_is_counted(
    correction: str | None, counts: dict[str, int], tmp_path: Path
) -> None:
    repairs = Repairs()
    feedback = {**FEEDBACK, "summary": correction}
    read(tmp_path, repairs, has_error=False, intrinsic_error=False, feedback=feedback)
    assert repairs.counts == counts
