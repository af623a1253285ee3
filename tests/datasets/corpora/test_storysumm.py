"""StorySumm."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.pooling import Pool
from assay.datasets.corpora.storysumm import CARD, PLOT, SUBJECTIVE
from assay.datasets.corpus import Card, Corpus, load_corpus
from assay.evaluation.gold import gold_labels
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


ANNOTATIONS = "annotations/upwork_annotations_storysumm.json"


def ballot(worker: str, *answers: str, full: str = "Yes", summary: str = "x", **more: str) -> Any:
    """A worker's row in the file of raw annotations."""
    said = {f"consistent_{number}": answer for number, answer in enumerate(answers)}
    annotation = {**said, "consistent_full": full, "explanation_full": "", **more}
    return {"id": summary, "username": worker, "story": "", "summary": "", "annotation": annotation}


def with_votes(folder: Path, card: Card, *ballots: Any, **more: Any) -> Corpus:
    rows = json.dumps({"x": record(**more)})
    (folder / card.files[0].path).write_text(rows, encoding="utf-8")
    (folder / "annotations").mkdir()
    (folder / ANNOTATIONS).write_text(json.dumps(ballots), encoding="utf-8")
    return Corpus(card, folder)


NA = "N/A, just commentary"
THREE = [
    ballot("1", "No", "No", full="No", explanation_1="Bob left too."),
    ballot("2", "Yes", "No"),
    ballot("3", "Yes", "No"),
]


def test_each_worker_is_an_annotator_with_explanations(tmp_path: Path) -> None:
    [annotated] = with_votes(tmp_path, CARD, *THREE)
    said = [(each.author, each.id, str(each.label)) for each in gold_of(annotated)]
    assert said[:3] == [
        ("gold", "response", "unfaithful"),
        ("gold", "s1", "faithful"),
        ("gold", "s2", "unfaithful"),
    ]
    assert said[3:6] == [
        ("1", "response", "unfaithful"),
        ("1", "s1", "unfaithful"),
        ("1", "s2", "unfaithful"),
    ]
    assert [each.attributes.explanation for each in gold_of(annotated)[3:6]][2] == "Bob left too."
    assert len(said) == 12


@pytest.mark.parametrize(
    ("pool", "labels"),
    [
        ("any", ["unfaithful", "unfaithful"]),
        ("majority", ["faithful", "unfaithful"]),
        ("all", ["faithful", "unfaithful"]),  # unanimity: all three say no to the second
    ],
)
def test_votes_can_be_pooled(pool: Pool, labels: list[str], tmp_path: Path) -> None:
    [annotated] = with_votes(tmp_path, CARD, *THREE)
    found = gold_labels(annotated, "sentence", pool)
    assert [label.name for _, label in found] == labels


def test_commentary_is_no_vote_and_keeps_the_released_label(tmp_path: Path) -> None:
    ballots = [ballot("1", "Yes", NA), ballot("2", "Yes", "No")]
    corpus = with_votes(tmp_path, SUBJECTIVE, *ballots, subjective=[0, 3])
    [annotated] = corpus
    second = [each for each in gold_of(annotated) if each.id == "s2"]
    assert [(each.author, str(each.label)) for each in second] == [
        ("gold", "unfaithful"),
        ("2", "unfaithful"),
    ]
    assert second[0].attributes.category == "subjective 3"
    assert not corpus.repairs.counts


def test_commentary_is_excluded_listed_and_counted(tmp_path: Path) -> None:
    ballots = [ballot("1", "Yes", NA), ballot("2", "Yes", "No")]
    corpus = with_votes(tmp_path, PLOT, *ballots)
    [annotated] = corpus
    assert [each.id for each in gold_of(annotated) if each.unit.kind == "sentence"] == ["s1"] * 3
    assert "commentary, excluded: s2" in gold_of(annotated)[0].note
    assert len(annotated.example.units) == 2
    assert corpus.repairs.counts == {"commentary": 1}
    assert [unit.id for unit, _ in gold_labels(annotated, "sentence", "corpus")] == ["s1"]


def test_votes_that_do_not_fit_are_dropped_and_counted(tmp_path: Path) -> None:
    ballots = [
        ballot("1", "Yes"),
        ballot("2", "Yes", "Yes"),
        ballot("2", "Yes", "No"),
        ballot("3", "Yes", summary="other"),
    ]
    corpus = with_votes(tmp_path, CARD, *ballots)
    [annotated] = corpus
    assert [(each.author, str(each.label)) for each in gold_of(annotated)][3:] == [
        ("2", "faithful"),
        ("2", "faithful"),
        ("2", "unfaithful"),
    ]
    assert corpus.repairs.counts == {
        "judged-twice": 1,
        "votes-do-not-fit": 1,
        "votes-elsewhere": 1,
    }


def test_an_unknown_answer_raises(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'Maybe' is not one of 'Yes', 'No', 'N/A, just comm"):
        list(with_votes(tmp_path, CARD, ballot("1", "Maybe", "Yes")))


def test_exclusions_need_the_votes(tmp_path: Path) -> None:
    (tmp_path / "storysumm").mkdir()
    (tmp_path / "storysumm" / PLOT.files[0].path).write_text(json.dumps({"x": record()}))
    with pytest.raises(InputError, match=r"upwork_annotations_storysumm\.json is missing"):
        load_corpus("storysumm-plot", tmp_path)
