"""FIB: pairs of choices, and the part in which both are consistent."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.datasets.corpora.fib import CARD, load
from assay.datasets.corpus import Corpus, Repairs
from tests.datasets.corpora.opinions import gold_of

ROW = {
    "dataset": "xsum",
    "part": "fib",
    "distractor_model": "bart-base",
    "id": "7",
    "input": "The cat sat.",
    "correct_choice": "A cat sat.",
    "list_choices": ["A dog sat.", "A cat sat."],
    "lbl": 1,
}


def read(folder: Path, repairs: Repairs, **changes: Any) -> list[Annotated]:
    with gzip.open(folder / CARD.files[0].path, "wt", encoding="utf-8") as file:
        file.write(json.dumps({**ROW, **changes}))
    return list(load(folder, repairs))


@pytest.mark.shared_data
def test_rows_labels_and_repairs_are_the_stated_ones(corpora_root: Path) -> None:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    rows = Counter(annotated.example.task.split("/")[0] for annotated in examples)
    assert rows == {"xsum": 2 * 3489, "cnn_dm": 2 * 1532}
    labels = Counter(str(gold_of(annotated)[0].label) for annotated in examples)
    # 5,021 correct choices and 1,392 others that were judged consistent; 3,629 of fib and fir.
    assert labels == {"faithful": 5021 + 1392, "unfaithful": 3629}
    assert corpus.repairs.counts == {
        "both-consistent": 1392,
        "sentence-marks": 2 * 1532,
        "same-choices": 2,
    }
    assert len({annotated.example.source.id for annotated in examples}) == 542


def test_the_correct_choice_is_faithful_and_the_other_is_not(tmp_path: Path) -> None:
    correct, other = read(tmp_path, Repairs())
    assert (correct.example.response.text, str(gold_of(correct)[0].label)) == (
        "A cat sat.",
        "faithful",
    )
    assert (other.example.response.text, str(gold_of(other)[0].label)) == (
        "A dog sat.",
        "unfaithful",
    )
    assert (correct.example.response.model, other.example.response.model) == ("", "bart-base")
    assert correct.example.source == other.example.source


def test_both_choices_of_the_consistent_part_are_faithful(tmp_path: Path) -> None:
    repairs = Repairs()
    pair = read(tmp_path, repairs, part="factually_consistent-model_generated")
    assert [str(gold_of(each)[0].label) for each in pair] == ["faithful", "faithful"]
    assert repairs.counts == {"both-consistent": 1}


def test_marks_and_equal_choices_are_counted_and_kept(tmp_path: Path) -> None:
    repairs = Repairs()
    text = "<t> a cat sat . </t>"
    correct, other = read(tmp_path, repairs, correct_choice=text, list_choices=[text, text])
    assert correct.example.response.text == other.example.response.text == text
    assert repairs.counts == {"sentence-marks": 2, "same-choices": 1}


@pytest.mark.parametrize(
    "changes",
    [{"lbl": 0}, {"lbl": None}, {"list_choices": ["A cat sat."]}, {"list_choices": None}],
)
def test_a_row_that_does_not_name_its_correct_choice_is_refused(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="row 7 does not name its correct choice"):
        read(tmp_path, Repairs(), **changes)


def test_an_unknown_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'factcc' is not one of 'fib'"):
        read(tmp_path, Repairs(), part="factcc")
