"""LFQA-Verification: answers, their documents, three annotators per sentence."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.datasets.corpora.lfqa import CARD, load
from assay.datasets.corpus import Corpus
from assay.datasets.repairs import Repairs

DOCUMENTS = [
    {"doc_id": "a", "title": "Cats", "text": "They sit."},
    {"doc_id": "b", "title": "Dogs", "text": "They run."},
]
SYSTEMS = ("alpaca", "alpaca_wdoc", "gpt3", "gpt3_wdoc", "gpt3_whudoc", "webgpt")


def read(
    folder: Path, repairs: Repairs, answer: str, *judged: tuple[str, list[str]]
) -> list[Example]:
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
    assert Counter(example.response.model for example in examples) == dict.fromkeys(SYSTEMS, 100)
    assert sum(len(example.units) for example in examples) == 3993
    gold = [verdict for example in examples for verdict in example.gold]
    assert Counter(each.note for each in gold if each.judge) == {
        "supported": 6920,
        "not_supported": 4004,
        "partially": 1055,
    }
    assert Counter(each.judge for each in gold) == {
        "": 3993 - 136,
        "annotator 1": 3993,
        "annotator 2": 3993,
        "annotator 3": 3993,
    }
    assert Counter(each.note for each in gold if not each.judge) == {
        "supported": 2290,
        "not_supported": 1333,
        "partially": 234,
    }
    assert {str(each.label) for each in gold if each.note == "partially"} == {"unfaithful"}
    assert corpus.repairs.counts == {"no-majority": 136}


@pytest.mark.shared_data
def test_answers_to_a_question_share_their_documents(corpora_root: Path) -> None:
    examples = list(Corpus(CARD, corpora_root / CARD.folder))
    human = {each.source.id for each in examples if each.response.model == "gpt3_whudoc"}
    others = {each.source.id for each in examples if each.response.model != "gpt3_whudoc"}
    assert (len(human), len(others), len(human & others)) == (100, 100, 0)


@pytest.mark.shared_data
def test_supported_sentences_use_the_words_of_the_documents_chosen(corpora_root: Path) -> None:
    examples = list(Corpus(CARD, corpora_root / CARD.folder))
    documents = {example.source.id: example.source.text for example in examples}
    shares: dict[str, list[float]] = {"own": [], "other": []}
    for example in examples:
        kind, _, number = example.source.id.partition("-")
        other = documents[f"{'human' if kind == 'webgpt' else 'webgpt'}-{number}"]
        for verdict in example.gold:
            words = [word for word in verdict.unit.text.lower().split() if len(word) > 4]
            if verdict.judge or verdict.note != "supported" or not words:
                continue
            for name, text in (("own", example.source.text), ("other", other)):
                shares[name].append(sum(word in text.lower() for word in words) / len(words))
    assert sum(shares["own"]) > 1.5 * sum(shares["other"])


def test_documents_stand_under_their_titles(tmp_path: Path) -> None:
    examples = read(tmp_path, Repairs(), "Yes. No.", ("Yes.", ["supported"] * 3))
    source = examples[0].source
    assert source.text == "Cats\nThey sit.\n\nDogs\nThey run."
    assert [each.name for each in source.passages] == ["Cats", "Dogs"]
    by_model = {each.response.model: each.source for each in examples}
    assert by_model["gpt3_whudoc"].id == "human-3"
    assert by_model["gpt3"] is by_model["webgpt"]


def test_the_word_stays_in_the_note(tmp_path: Path) -> None:
    labels = ["partially", "supported", "partially"]
    example = read(tmp_path, Repairs(), "Yes.", ("Yes.", labels))[0]
    assert [(each.judge, str(each.label), each.note) for each in example.gold] == [
        ("", "unfaithful", "partially"),
        ("annotator 1", "unfaithful", "partially"),
        ("annotator 2", "faithful", "supported"),
        ("annotator 3", "unfaithful", "partially"),
    ]
    assert example.question == "Do cats sit?"


def test_three_words_have_no_majority(tmp_path: Path) -> None:
    repairs = Repairs()
    labels = ["partially", "supported", "not_supported"]
    example = read(tmp_path, repairs, "Yes.", ("Yes.", labels))[0]
    assert [each.judge for each in example.gold] == ["annotator 1", "annotator 2", "annotator 3"]
    assert repairs.counts == {"no-majority": 6}


def test_a_sentence_that_is_not_in_the_answer_has_no_span(tmp_path: Path) -> None:
    repairs = Repairs()
    example = read(tmp_path, repairs, " Yes. ", ("No.", ["supported"] * 3))[0]
    assert example.response.text == " Yes. "
    assert example.units[0].spans == ()
    assert repairs.counts == {"sentence-unlocated": 6}


def test_an_answer_that_is_missing_is_named(tmp_path: Path) -> None:
    read(tmp_path, Repairs(), "Yes.", ("Yes.", ["supported"]))
    (tmp_path / "answers.json").write_text('[{"question_id": 4}]', encoding="utf-8")
    with pytest.raises(InputError, match=r"annotations-alpaca\.json: question 3 has no answer"):
        list(load(tmp_path, Repairs()))
