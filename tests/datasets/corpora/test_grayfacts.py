"""GrayFacts: every statement is ambiguous."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.datasets.corpora.grayfacts import CARD, load
from assay.datasets.corpus import Corpus
from assay.datasets.repairs import Repairs

ROW = {
    "topic": "hover",
    "statement": "A cat sat.",
    "reference_documents": ["The cat.", "It sat."],
    "label": "AMBIG",
    "category": "num_hops_2",
    "additional_info": {"original_label": "NS"},
}


def read(folder: Path, **changes: Any) -> Example:
    path = folder / CARD.files[0].path
    path.write_text(json.dumps({**ROW, **changes}), encoding="utf-8")
    return next(load(folder, Repairs()))


@pytest.mark.shared_data
def test_all_are_ambiguous_and_keep_their_old_label(corpora_root: Path) -> None:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    assert Counter(str(example.gold[0].label) for example in examples) == {"ambiguous": 159}
    notes = Counter(example.gold[0].note for example in examples)
    assert notes == {"originally NS": 139, "originally S": 20}
    assert len({example.source.id for example in examples}) == 154
    assert not corpus.repairs.counts


def test_documents_are_passages(tmp_path: Path) -> None:
    example = read(tmp_path)
    assert example.source.text == "The cat.\n\nIt sat."
    assert [each.name for each in example.source.passages] == ["document 1", "document 2"]
    assert (example.id, example.task) == ("0", "hover/num_hops_2")


def test_another_label_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"grayfacts\.jsonl: 'S' is not one of 'AMBIG'"):
        read(tmp_path, label="S")
