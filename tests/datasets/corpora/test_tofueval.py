"""TofuEval, on tables in the form of its release."""

from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.datasets.corpora.tofueval import CARD, PARTS
from assay.datasets.corpus import Corpus
from tests.datasets.corpora.opinions import gold_of

COLUMNS = "doc_id,annotation_id,topic,model_name,sent_idx,summ_sent,sent_label,exp,type\n"
ROWS = (
    "d1,0,cats,Model-A,1,Bob stayed.,no,Bob left.,Extrinsic Information\n"
    "d1,0,cats,Model-A,0,Ann left.,yes,,\n"
    "d1,0,cats,Model-B,0,Ann left.,yes,,\n"
)


def write(folder: Path, rows: str = ROWS, dialogue: str = "d1") -> Corpus:
    (folder / "factual_consistency").mkdir()
    for part, split in PARTS:
        key = "doc_id" if part == "mediasum" else "meeting_id"
        (folder / f"{part}_{split}_doc.csv").write_text(f"{key},source\n{dialogue},A: hi\n")
        path = folder / f"factual_consistency/{part}_factual_eval_{split}.csv"
        path.write_text(COLUMNS + rows, encoding="utf-8")
    return Corpus(CARD, folder)


def test_the_rows_of_a_summary_are_joined_in_order(tmp_path: Path) -> None:
    first, second, *_ = write(tmp_path)
    assert first.example.response.text == "Ann left. Bob stayed."
    assert (first.example.response.model, second.example.response.model) == ("Model-A", "Model-B")
    assert (first.example.question, first.example.source.text, first.example.split) == (
        "cats",
        "A: hi",
        "dev",
    )
    assert [str(verdict.label) for verdict in gold_of(first)] == ["faithful", "unfaithful"]
    assert gold_of(first)[1].note == "Extrinsic Information\nBob left."


def test_both_parts_and_splits_are_read(tmp_path: Path) -> None:
    examples = list(write(tmp_path))
    assert {(annotated.example.task, annotated.example.split) for annotated in examples} == set(
        PARTS
    )
    assert len({annotated.id for annotated in examples if annotated.example.split == "dev"}) == 4
    assert len({annotated.example.source.id for annotated in examples}) == 2


def test_a_summary_without_its_dialogue_is_skipped_and_counted(tmp_path: Path) -> None:
    corpus = write(tmp_path, dialogue="d2")
    assert not list(corpus)
    assert corpus.repairs.counts == {"no-dialogue": 8}


def test_a_sentence_without_a_label_gives_no_verdict(tmp_path: Path) -> None:
    corpus = write(tmp_path, "d1,0,cats,Model-A,0,Ann left.,,,\n")
    annotated = next(iter(corpus))
    assert (len(annotated.example.units), annotated.gold) == (1, ())
    assert corpus.repairs.counts == {"sentence-without-label": 1}


@pytest.mark.parametrize(
    "row", ["d1,0,t,m,0,Ann left.,maybe,,\n", "d1,0,t,m,one,Ann left.,yes,,\n"]
)
def test_a_row_that_cannot_be_read_raises(row: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"mediasum_factual_eval_dev\.csv"):
        list(write(tmp_path, row))
