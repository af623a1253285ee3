"""GrayFacts: every statement is ambiguous."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.datasets.corpora.grayfacts import CARD, load
from assay.datasets.corpus import Corpus, Repairs
from tests.datasets.corpora.opinions import gold_of

ROW = {
    "topic": "hover",
    "statement": "A cat sat.",
    "reference_documents": ["The cat.", "It sat."],
    "label": "AMBIG",
    "category": "num_hops_2",
    "additional_info": {"original_label": "NS"},
}


def read(folder: Path, **changes: Any) -> Annotated:
    path = folder / CARD.files[0].path
    path.write_text(json.dumps({**ROW, **changes}), encoding="utf-8")
    return next(load(folder, Repairs()))


@pytest.mark.shared_data
def test_all_are_ambiguous_and_keep_their_old_label(corpora_root: Path) -> None:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    assert Counter(str(gold_of(annotated)[0].label) for annotated in examples) == {"ambiguous": 159}
    notes = Counter(gold_of(annotated)[0].note for annotated in examples)
    assert notes == {"originally NS": 139, "originally S": 20}
    assert len({annotated.example.source.id for annotated in examples}) == 154
    assert not corpus.repairs.counts


def test_documents_are_passages(tmp_path: Path) -> None:
    annotated = read(tmp_path)
    assert annotated.example.source.text == "The cat.\n\nIt sat."
    assert [each.name for each in annotated.example.source.passages] == ["document 1", "document 2"]
    assert (annotated.id, annotated.example.task) == ("0", "hover/num_hops_2")


def test_another_label_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"grayfacts\.jsonl: 'S' is not one of 'AMBIG'"):
        read(tmp_path, label="S")
