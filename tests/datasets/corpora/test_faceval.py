"""FacEval: rows, kinds of error, dialogues as passages."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.datasets.corpora.faceval import CARD, load
from assay.datasets.corpus import Corpus, Repairs
from tests.datasets.corpora.opinions import gold_of

ROW = {
    "": "0",
    "DocID": "13",
    "Dialogue": "Ann: I sat.\nBob: Me too.",
    "Model": "co-ref bart large",
    "Summary": "Ann, Bob sat.",
    **dict.fromkeys(("SubObjE", "ProE", "NegE", "ParE", "HalE", "OtherE", "w/ Error"), "no"),
}


def read(folder: Path, repairs: Repairs, **changes: str) -> Annotated:
    path = folder / CARD.files[0].path
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, ROW)
        writer.writeheader()
        writer.writerow({**ROW, **changes})
    return next(load(folder, repairs))


@pytest.mark.shared_data
def test_rows_and_errors_are_the_stated_ones(corpora_root: Path) -> None:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    labels = Counter(str(gold_of(annotated)[0].label) for annotated in examples)
    assert labels == {"unfaithful": 294, "faithful": 456}
    assert len({annotated.example.source.id for annotated in examples}) == 150
    kinds = Counter(kind for each in examples for kind in gold_of(each)[0].note.split(", ") if kind)
    assert kinds == {
        "SubObjE": 120,
        "ParE": 113,
        "ProE": 51,
        "NegE": 47,
        "HalE": 41,
        "OtherE": 30,
    }
    assert sum(len(annotated.example.source.passages) for annotated in examples) == 8850
    assert not corpus.repairs.counts


def test_kinds_of_error_are_the_note(tmp_path: Path) -> None:
    repairs = Repairs()
    annotated = read(tmp_path, repairs, **{"ProE": "yes", "HalE": "yes", "w/ Error": "yes"})
    assert (str(gold_of(annotated)[0].label), gold_of(annotated)[0].note) == (
        "unfaithful",
        "ProE, HalE",
    )
    assert (annotated.id, annotated.example.response.model) == (
        "13-co-ref_bart_large",
        "co-ref bart large",
    )
    assert not repairs.counts


def test_each_line_of_the_dialogue_is_a_passage(tmp_path: Path) -> None:
    source = read(tmp_path, Repairs()).example.source
    assert [source.text[each.start : each.end] for each in source.passages] == [
        "Ann: I sat.",
        "Bob: Me too.",
    ]


def test_a_kind_that_does_not_fit_the_verdict_is_counted(tmp_path: Path) -> None:
    repairs = Repairs()
    assert str(gold_of(read(tmp_path, repairs, ProE="yes"))[0].label) == "faithful"
    assert repairs.counts == {"kind-disagrees": 1}


def test_a_cell_that_is_neither_yes_nor_no_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'maybe' is not one of 'yes', 'no'"):
        read(tmp_path, Repairs(), NegE="maybe")
