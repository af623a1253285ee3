"""StorySumm."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.datasets.corpora.storysumm import CARD
from assay.datasets.corpus import Corpus
from tests.datasets.corpora.opinions import gold_of


def record(**more: Any) -> Any:
    return {
        "label": 0,
        "difficulty": "hard",
        "story": "A story.",
        "summary": ["Ann left.", "Bob stayed."],
        "errors": [1, 0],
        "story-id": 3,
        "explanations": ["Bob left."],
        "split": "val",
        "model": "m",
        **more,
    }


def write(folder: Path, content: str) -> Corpus:
    (folder / "storysumm.json").write_text(content, encoding="utf-8")
    return Corpus(CARD, folder)


def test_a_zero_is_an_error_with_its_explanation(tmp_path: Path) -> None:
    [annotated] = write(tmp_path, json.dumps({"x": record()}))
    whole, first, second = gold_of(annotated)
    assert (str(whole.label), whole.note) == ("unfaithful", "difficulty: hard")
    assert (str(first.label), first.note) == ("faithful", "")
    assert (str(second.label), second.note) == ("unfaithful", "Bob left.")
    assert annotated.example.response.text == "Ann left. Bob stayed."
    assert [verdict.unit for verdict in (first, second)] == list(annotated.example.units)


def test_a_stray_quote_at_the_end_of_a_line_is_taken_out(tmp_path: Path) -> None:
    text = json.dumps({"x": record()}, indent=1).replace('"Ann left.",', '"Ann left.", "')
    with pytest.raises(ValueError, match="control character"):
        json.loads(text)
    corpus = write(tmp_path, text)
    assert [annotated.example.response.text for annotated in corpus] == ["Ann left. Bob stayed."]
    assert corpus.repairs.counts == {"stray-quote": 1}


def test_any_other_damage_raises(tmp_path: Path) -> None:
    text = json.dumps({"x": record()}, indent=1)[:-3]
    with pytest.raises(InputError, match=r"storysumm\.json is not JSON"):
        list(write(tmp_path, text))


def test_labels_that_do_not_fit_the_sentences_are_dropped(tmp_path: Path) -> None:
    corpus = write(tmp_path, json.dumps({"x": record(errors=[0])}))
    [annotated] = corpus
    assert [verdict.unit.kind for verdict in gold_of(annotated)] == ["response"]
    assert len(annotated.example.units) == 2
    assert corpus.repairs.counts == {"labels-do-not-fit": 1}


def test_explanations_that_do_not_fit_are_on_the_summary(tmp_path: Path) -> None:
    corpus = write(tmp_path, json.dumps({"x": record(errors=[1, 1])}))
    [annotated] = corpus
    assert gold_of(annotated)[0].note == "difficulty: hard\nBob left."
    assert corpus.repairs.counts == {"loose-explanation": 1}


def test_a_label_that_is_neither_raises(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="2 is not one of 1, 0"):
        list(write(tmp_path, json.dumps({"x": record(errors=[1, 2])})))


@pytest.mark.shared_data
def test_the_release_has_the_published_counts(corpora_root: Path) -> None:
    corpus = Corpus(CARD, corpora_root / CARD.folder)
    examples = list(corpus)
    assert len(examples) == 96
    assert len({annotated.example.source.id for annotated in examples}) == 32
    assert Counter(
        (annotated.example.split, str(gold_of(annotated)[0].label)) for annotated in examples
    ) == {
        ("val", "unfaithful"): 25,
        ("val", "faithful"): 8,
        ("test", "unfaithful"): 35,
        ("test", "faithful"): 28,
    }
    sentences = Counter(
        str(each.label) for annotated in examples for each in gold_of(annotated)[1:]
    )
    # 86 errors of 578 labels; the 6 labels that do not fit are dropped
    assert sentences == {"unfaithful": 86, "faithful": 486}
    assert corpus.repairs.counts == {
        "stray-quote": 1,
        "labels-do-not-fit": 1,
        "loose-explanation": 1,
    }


@pytest.mark.shared_data
def test_the_mended_file_says_the_same(corpora_root: Path, tmp_path: Path) -> None:
    released = corpora_root / CARD.folder
    mended = Corpus(CARD, tmp_path)
    (tmp_path / "storysumm.json").write_bytes((released / "storysumm_repaired.json").read_bytes())
    assert list(mended) == list(Corpus(CARD, released))
    assert "stray-quote" not in mended.repairs.counts
