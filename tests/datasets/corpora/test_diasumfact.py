"""DiaSumFact: errors of sentences and the words that are marked for them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.verdicts import Attributes
from assay.datasets.corpora.diasumfact import CARD, load
from assay.datasets.corpus import Corpus, Repairs
from tests.datasets.corpora.opinions import gold_of

NONE = {"error_class": "No Error", "error_span": "", "intrinsic/extrinsic": "n/a", "comment": ""}


def error(span: str, name: str = "EntE", kind: str = "n/a", comment: str = "") -> dict[str, str]:
    return {
        "error_class": name,
        "error_span": span,
        "intrinsic/extrinsic": kind,
        "comment": comment,
    }


def read(
    folder: Path,
    repairs: Repairs,
    text: str,
    *judged: tuple[str, list[dict[str, str]]],
    query: str = "Who sat?",
) -> Annotated:
    sentences = [{"sentence": sentence, "annotation": errors} for sentence, errors in judged]
    annotations: dict[str, Any] = {
        "bart": {"model_prediction": text, "sentence_annotations": sentences}
    }
    dialogue = {
        "utterances": ["Ann: I sat. ", "Bob: Me too."],
        "query": query,
        "dataset_name": "QMSum",
        "annotations": annotations,
    }
    (folder / CARD.files[0].path).write_text(json.dumps({"1-5": dialogue}), encoding="utf-8")
    return next(load(folder, repairs))


@pytest.mark.shared_data
def test_summaries_sentences_and_errors_are_the_stated_ones(corpora_root: Path) -> None:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    assert len(examples) == 475
    dialogues = {(each.example.source.id, each.example.task) for each in examples}
    assert Counter(task for _, task in dialogues) == {"QMSum": 60, "SAMSum": 59}
    gold = [verdict for annotated in examples for verdict in gold_of(annotated)]
    sentences = Counter(str(each.label) for each in gold if each.unit.kind == "sentence")
    assert sentences == {"faithful": 853, "unfaithful": 487}
    # 555 errors, 13 of them without marked words.
    assert sum(each.unit.kind == "span" for each in gold) == 555 - 13
    assert corpus.repairs.counts == {
        "query-not-given": 295,
        "sentence-unlocated": 2,
        "span-not-given": 13,
        "span-whole-sentence": 6,
        "span-unlocated": 5,
        "span-repeated": 30,
    }


def test_each_utterance_is_a_passage(tmp_path: Path) -> None:
    source = read(tmp_path, Repairs(), "Ann sat.", ("Ann sat.", [NONE])).example.source
    assert source.text == "Ann: I sat. \nBob: Me too."
    assert [(each.name, each.start, each.end) for each in source.passages] == [
        ("utterance 1", 0, 12),
        ("utterance 2", 13, 25),
    ]


def test_an_error_makes_its_sentence_and_its_words_unfaithful(tmp_path: Path) -> None:
    repairs = Repairs()
    judged = [("Ann sat.", [NONE]), ("Tim sat.", [error("Tim", kind="extrinsic", comment="Bob.")])]
    annotated = read(tmp_path, repairs, "Ann sat. Tim sat.", *judged)
    assert [(each.unit.text, str(each.label), each.note) for each in gold_of(annotated)] == [
        ("Ann sat.", "faithful", ""),
        ("Tim sat.", "unfaithful", "EntE (extrinsic): Bob."),
        ("Tim", "unfaithful", "EntE (extrinsic): Bob."),
    ]
    span = gold_of(annotated)[2]
    assert (span.unit.start, span.attributes) == (9, Attributes("Bob.", category="EntE"))
    assert not repairs.counts


def test_several_errors_are_all_in_the_note(tmp_path: Path) -> None:
    errors = [error("Tim"), error("sat", "PredE")]
    first, *spans = gold_of(read(tmp_path, Repairs(), "Tim sat.", ("Tim sat.", errors)))
    assert first.note == "EntE\nPredE"
    assert [span.note for span in spans] == ["EntE", "PredE"]
    assert first.attributes.category == "EntE, PredE"
    assert [(span.id, span.unit.parent) for span in spans] == [("s1.p1", "s1"), ("s1.p2", "s1")]


@pytest.mark.parametrize(
    ("quote", "found", "counts"),
    [
        ("", None, {"span-not-given": 1}),
        ("the whole sentence", "He sat, he lay.", {"span-whole-sentence": 1}),
        ("he stood", "he stood", {"span-unlocated": 1}),
        (" ", " ", {"span-repeated": 1}),
    ],
)
def test_marked_words_that_are_odd_are_counted(
    quote: str, found: str | None, counts: dict[str, int], tmp_path: Path
) -> None:
    repairs = Repairs()
    text = "He sat, he lay."
    _, *spans = gold_of(read(tmp_path, repairs, text, (text, [error(quote)])))
    assert [span.unit.text for span in spans] == ([found] if found else [])
    assert repairs.counts == counts


def test_a_sentence_beyond_the_end_has_no_span(tmp_path: Path) -> None:
    repairs = Repairs()
    annotated = read(tmp_path, repairs, "Ann", ("Ann sat.", [error("sat")]))
    assert [verdict.unit.spans for verdict in gold_of(annotated)] == [(), ()]
    assert repairs.counts == {"sentence-unlocated": 1, "span-unlocated": 1}


def test_a_query_that_is_not_given_is_no_question(tmp_path: Path) -> None:
    repairs = Repairs()
    assert read(tmp_path, repairs, "Ann.", ("Ann.", [NONE]), query="n/a").example.question == ""
    assert repairs.counts == {"query-not-given": 1}
    assert read(tmp_path, Repairs(), "Ann.", ("Ann.", [NONE])).example.question == "Who sat?"


def test_an_unknown_class_of_error_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"annotations\.json: 'NewE' is not one of"):
        read(tmp_path, Repairs(), "Ann.", ("Ann.", [error("Ann", "NewE")]))
