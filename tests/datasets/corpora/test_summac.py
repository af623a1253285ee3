"""SummaC: six members, their labels and explanations."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from assay.datasets.corpora.summac import CARD, load
from assay.datasets.corpus import Corpus, Repairs
from tests.datasets.corpora.opinions import gold_of

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
    rows = Counter(annotated.example.task for annotated in examples)
    bad = Counter(
        each.example.task for each in examples if str(gold_of(each)[0].label) == "unfaithful"
    )
    assert {name: (rows[name], bad[name]) for name in rows} == {
        "cogensumm": (1281, 644),
        "factcc": (931, 132),
        "frank": (671, 448),
        "summeval": (850, 102),
        "xsumfaith": (1247, 1120),
        "polytope": (123, 81),
    }
    assert corpus.repairs.counts == {"escaped-quote": 525}
    assert sum(bool(gold_of(each)[0].note) for each in examples) == 1341
    assert len({each.example.source.id for each in examples}) == 1265


def test_the_explanation_is_the_note(tmp_path: Path) -> None:
    first, second = load(
        write(tmp_path, {**ROW, "label": 0, "human_explanation": "It is a dog."}, ROW), Repairs()
    )
    assert (str(gold_of(first)[0].label), gold_of(first)[0].note) == ("unfaithful", "It is a dog.")
    assert (str(gold_of(second)[0].label), gold_of(second)[0].note) == ("faithful", "")
    assert first.example.source.id == second.example.source.id


def test_escaped_quotes_are_counted_and_kept(tmp_path: Path) -> None:
    repairs = Repairs()
    annotated = next(load(write(tmp_path, {**ROW, "claim": "the cat\\'s mat"}), repairs))
    assert annotated.example.response.text == "the cat\\'s mat"
    assert repairs.counts == {"escaped-quote": 1}
