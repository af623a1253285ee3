"""QAGS: three workers and their majority per sentence."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.datasets.corpora.qags import CARD, load
from assay.datasets.corpus import Corpus, Repairs
from tests.datasets.corpora.opinions import gold_of


def votes(*words: str) -> list[dict[str, Any]]:
    return [{"worker_id": number, "response": word} for number, word in enumerate(words)]


def read(folder: Path, repairs: Repairs, *sentences: tuple[str, list[dict[str, Any]]]) -> Annotated:
    judged = [{"sentence": text, "responses": given} for text, given in sentences]
    row = {"article": "The cat sat.", "summary_sentences": judged}
    for file in CARD.files:
        (folder / file.path).write_text(json.dumps(row), encoding="utf-8")
    return next(load(folder, repairs))


@pytest.mark.shared_data
def test_rows_workers_and_majorities_are_the_stated_ones(corpora_root: Path) -> None:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    assert Counter(annotated.example.task for annotated in examples) == {"cnndm": 235, "xsum": 239}
    assert sum(len(annotated.example.units) for annotated in examples) == 714 + 239
    gold = [
        (annotated.example.task, verdict)
        for annotated in examples
        for verdict in gold_of(annotated)
    ]
    workers = Counter((task, str(each.label)) for task, each in gold if each.author != "gold")
    # yes 1,543 and 348, no 599 and 369.
    assert workers == {
        ("cnndm", "faithful"): 1543,
        ("cnndm", "unfaithful"): 599,
        ("xsum", "faithful"): 348,
        ("xsum", "unfaithful"): 369,
    }
    pooled = Counter((task, str(each.label)) for task, each in gold if each.author == "gold")
    assert pooled == {
        ("cnndm", "faithful"): 531,
        ("cnndm", "unfaithful"): 183,
        ("xsum", "faithful"): 116,
        ("xsum", "unfaithful"): 123,
    }
    assert not corpus.repairs.counts


def test_sentences_are_joined_by_a_space_and_keep_their_places(tmp_path: Path) -> None:
    annotated = read(tmp_path, Repairs(), ("A cat sat.", votes("yes")), ("It ran.", votes("no")))
    assert annotated.example.response.text == "A cat sat. It ran."
    assert [(unit.start, unit.end) for unit in annotated.example.units] == [(0, 10), (11, 18)]


def test_the_majority_stands_before_the_workers(tmp_path: Path) -> None:
    annotated = read(tmp_path, Repairs(), ("A cat sat.", votes("yes", "no", "yes")))
    assert [(each.author, str(each.label)) for each in gold_of(annotated)] == [
        ("gold", "faithful"),
        ("worker 0", "faithful"),
        ("worker 1", "unfaithful"),
        ("worker 2", "faithful"),
    ]


def test_a_sentence_that_nobody_judged_has_no_verdict(tmp_path: Path) -> None:
    repairs = Repairs()
    assert read(tmp_path, repairs, ("A cat sat.", [])).judgements == ()
    assert repairs.counts == {"unjudged": 1}


def test_a_word_that_is_neither_yes_nor_no_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"mturk_cnndm\.jsonl: 'perhaps' is not one of"):
        read(tmp_path, Repairs(), ("A cat sat.", votes("perhaps")))
