"""LFQA-Verification: answers, their documents, three annotators per sentence."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.datasets.corpora.lfqa import CARD, load
from assay.datasets.corpus import Corpus, Repairs
from tests.datasets.corpora.opinions import gold_of

DOCUMENTS = [
    {"doc_id": "a", "title": "Cats", "text": "They sit."},
    {"doc_id": "b", "title": "Dogs", "text": "They run."},
]
SYSTEMS = ("alpaca", "alpaca_wdoc", "gpt3", "gpt3_wdoc", "gpt3_whudoc", "webgpt")


def read(
    folder: Path, repairs: Repairs, answer: str, *judged: tuple[str, list[str]]
) -> list[Annotated]:
    annotations = [{"answer": sentence, "labels": labels} for sentence, labels in judged]
    rows: dict[str, dict[str, Any]] = {
        "answers.json": {f"{system}_answer": answer for system in SYSTEMS},
        "docs/docs-webgpt.json": {"docs": DOCUMENTS},
        "docs/docs-human.json": {"docs": DOCUMENTS[:1]},
    }
    for file in CARD.files:
        row = rows.get(file.path, {"question": "Do cats sit?", "annotations": annotations})
        (folder / file.path).parent.mkdir(exist_ok=True)
        (folder / file.path).write_text(json.dumps([{"question_id": 3, **row}]), encoding="utf-8")
    return list(load(folder, repairs))


@pytest.mark.shared_data
def test_sentences_and_annotators_are_the_stated_ones(corpora_root: Path) -> None:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    assert Counter(annotated.example.response.model for annotated in examples) == dict.fromkeys(
        SYSTEMS, 100
    )
    assert sum(len(annotated.example.units) for annotated in examples) == 3993
    gold = [verdict for annotated in examples for verdict in gold_of(annotated)]
    assert Counter(each.note for each in gold if each.author != "gold") == {
        "supported": 6920,
        "not_supported": 4004,
        "partially": 1055,
    }
    assert Counter(each.author for each in gold) == {
        "gold": 3993 - 136,
        "annotator 1": 3993,
        "annotator 2": 3993,
        "annotator 3": 3993,
    }
    assert Counter(each.note for each in gold if each.author == "gold") == {
        "supported": 2290,
        "not_supported": 1333,
        "partially": 234,
    }
    assert {str(each.label) for each in gold if each.note == "partially"} == {"unfaithful"}
    assert corpus.repairs.counts == {"no-majority": 136}


@pytest.mark.shared_data
def test_answers_to_a_question_share_their_documents(corpora_root: Path) -> None:
    examples = list(Corpus(CARD, corpora_root / CARD.folder))
    human = {
        each.example.source.id for each in examples if each.example.response.model == "gpt3_whudoc"
    }
    others = {
        each.example.source.id for each in examples if each.example.response.model != "gpt3_whudoc"
    }
    assert (len(human), len(others), len(human & others)) == (100, 100, 0)


@pytest.mark.shared_data
def test_supported_sentences_use_the_words_of_the_documents_chosen(corpora_root: Path) -> None:
    examples = list(Corpus(CARD, corpora_root / CARD.folder))
    documents = {
        annotated.example.source.id: annotated.example.source.text for annotated in examples
    }
    shares: dict[str, list[float]] = {"own": [], "other": []}
    for annotated in examples:
        kind, _, number = annotated.example.source.id.partition("-")
        other = documents[f"{'human' if kind == 'webgpt' else 'webgpt'}-{number}"]
        for verdict in gold_of(annotated):
            words = [word for word in verdict.unit.text.lower().split() if len(word) > 4]
            if verdict.author != "gold" or verdict.note != "supported" or not words:
                continue
            for name, text in (("own", annotated.example.source.text), ("other", other)):
                shares[name].append(sum(word in text.lower() for word in words) / len(words))
    assert sum(shares["own"]) > 1.5 * sum(shares["other"])


def test_documents_stand_under_their_titles(tmp_path: Path) -> None:
    examples = read(tmp_path, Repairs(), "Yes. No.", ("Yes.", ["supported"] * 3))
    source = examples[0].example.source
    assert source.text == "Cats\nThey sit.\n\nDogs\nThey run."
    assert [each.name for each in source.passages] == ["Cats", "Dogs"]
    by_model = {each.example.response.model: each.example.source for each in examples}
    assert by_model["gpt3_whudoc"].id == "human-3"
    assert by_model["gpt3"] is by_model["webgpt"]


def test_the_word_stays_in_the_note(tmp_path: Path) -> None:
    labels = ["partially", "supported", "partially"]
    annotated = read(tmp_path, Repairs(), "Yes.", ("Yes.", labels))[0]
    assert [(each.author, str(each.label), each.note) for each in gold_of(annotated)] == [
        ("gold", "unfaithful", "partially"),
        ("annotator 1", "unfaithful", "partially"),
        ("annotator 2", "faithful", "supported"),
        ("annotator 3", "unfaithful", "partially"),
    ]
    assert annotated.example.question == "Do cats sit?"


def test_three_words_have_no_majority(tmp_path: Path) -> None:
    repairs = Repairs()
    labels = ["partially", "supported", "not_supported"]
    annotated = read(tmp_path, repairs, "Yes.", ("Yes.", labels))[0]
    assert [each.author for each in gold_of(annotated)] == [
        "annotator 1",
        "annotator 2",
        "annotator 3",
    ]
    assert repairs.counts == {"no-majority": 6}


def test_a_sentence_that_is_not_in_the_answer_has_no_span(tmp_path: Path) -> None:
    repairs = Repairs()
    annotated = read(tmp_path, repairs, " Yes. ", ("No.", ["supported"] * 3))[0]
    assert annotated.example.response.text == " Yes. "
    assert annotated.example.units[0].spans == ()
    assert repairs.counts == {"sentence-unlocated": 6}


def test_an_answer_that_is_missing_is_named(tmp_path: Path) -> None:
    read(tmp_path, Repairs(), "Yes.", ("Yes.", ["supported"]))
    (tmp_path / "answers.json").write_text('[{"question_id": 4}]', encoding="utf-8")
    with pytest.raises(InputError, match=r"annotations-alpaca\.json: question 3 has no answer"):
        list(load(tmp_path, Repairs()))
