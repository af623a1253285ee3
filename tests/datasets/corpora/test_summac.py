"""SummaC: six members, their labels and explanations."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from assay.datasets.corpora.summac import CARD, load
from assay.datasets.corpus import Corpus
from assay.datasets.repairs import Repairs

ROW = {
    "dataset": "frank",
    "file": "1.txt",
    "document": "The cat sat.",
    "claim": "A cat",
    "label": 1,
}


def write(folder: Path, *rows: object) -> Path:
    with gzip.open(folder / CARD.files[0].path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return folder


@pytest.mark.shared_data
def test_members_have_the_stated_rows_and_errors(corpora_root: Path) -> None:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    rows = Counter(example.task for example in examples)
    bad = Counter(each.task for each in examples if str(each.gold[0].label) == "unfaithful")
    assert {name: (rows[name], bad[name]) for name in rows} == {
        "cogensumm": (1281, 644),
        "factcc": (931, 132),
        "frank": (671, 448),
        "summeval": (850, 102),
        "xsumfaith": (1247, 1120),
        "polytope": (123, 81),
    }
    assert corpus.repairs.counts == {"escaped-quote": 525}
    assert sum(bool(each.gold[0].note) for each in examples) == 1341
    assert len({each.source.id for each in examples}) == 1265


def test_the_explanation_is_the_note(tmp_path: Path) -> None:
    first, second = load(
        write(tmp_path, {**ROW, "label": 0, "human_explanation": "It is a dog."}, ROW), Repairs()
    )
    assert (str(first.gold[0].label), first.gold[0].note) == ("unfaithful", "It is a dog.")
    assert (str(second.gold[0].label), second.gold[0].note) == ("faithful", "")
    assert first.source.id == second.source.id


def test_escaped_quotes_are_counted_and_kept(tmp_path: Path) -> None:
    repairs = Repairs()
    example = next(load(write(tmp_path, {**ROW, "claim": "the cat\\'s mat"}), repairs))
    assert example.response.text == "the cat\\'s mat"
    assert repairs.counts == {"escaped-quote": 1}
