"""FaithBench by sentences."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.verdicts import Failure, Verdict
from assay.datasets.corpora.faithbench_sentence_files import FOLDER
from assay.datasets.corpora.faithbench_sentences import CARD
from assay.datasets.corpus import Corpus

SUMMARY = " Ann has a cat. It is red. It is red. Bob left. "
PLACES = [[" Ann has a cat.", 0, 14], ["It is red.", 16, 25], ["It is red.", 27, 36]]


def write(folder: Path, *, places: Any = None, labels: Any = None, claims: Any = None) -> Corpus:
    (folder / FOLDER).mkdir()
    listed = [*PLACES, ["Bob left. ", 0, 3]] if places is None else places
    said = {
        " Ann has a cat.": {"labels": ["Consistent"], "HHEMv1": 0.5, "o3-mini": 1},
        "It is red.": {"labels": labels or ["Benign"], "HHEMv1": 0.25},
    }
    claimed = {" Ann has a cat.": claims or {"claims": [], "claim_preds": []}}
    files: dict[str, Any] = {
        "detectors_sent_level_preds.json": {"0": said},
        "summary_sent_list.jsonl": {"meta_id": 0, "summary": SUMMARY, "sent_list": listed},
        "processed_ragas_claim_level_preds.jsonl": {"meta_id": 0, "results": claimed},
        "processed_trulens_claim_level_preds.jsonl": {"meta_id": 0, "results": claimed},
        "ragas_claim_level_preds.jsonl": [{"statement": "A cat.", "reason": "seen", "verdict": 1}],
    }
    for name, value in files.items():
        (folder / FOLDER / name).write_text(json.dumps(value), encoding="utf-8")
    table = f"source,summary,model\nA source.,{SUMMARY},m\n"
    (folder / "examples_to_annotate.csv").write_text(table, encoding="utf-8")
    return Corpus(CARD, folder)


def test_an_inclusive_end_is_made_exclusive(tmp_path: Path) -> None:
    corpus = write(tmp_path)
    [example] = corpus
    assert [unit.text for unit in example.units] == [" Ann has a cat.", "It is red."]
    assert [(unit.start, unit.end) for unit in example.units] == [(0, 15), (16, 26)]
    assert corpus.repairs.counts["inclusive-end"] == 2


def test_a_repeated_sentence_has_its_first_place(tmp_path: Path) -> None:
    corpus = write(tmp_path)
    list(corpus)
    assert corpus.repairs.counts["repeated-sentence"] == 1


def test_a_sentence_with_wrong_offsets_is_searched(tmp_path: Path) -> None:
    corpus = write(tmp_path, places=[PLACES[0], ["It is red.", 3, 9]])
    list(corpus)
    assert corpus.repairs.counts == {"inclusive-end": 1, "sentence-moved": 1}


def test_a_sentence_that_is_not_in_the_summary_has_no_span(tmp_path: Path) -> None:
    corpus = write(tmp_path, places=[PLACES[0], ["It is blue.", 3, 9]])
    [example] = corpus
    assert [unit.start for unit in example.units] == [0, None]
    assert corpus.repairs.counts["sentence-unlocated"] == 1


def test_pooled_labels_have_the_worst_and_keep_all(tmp_path: Path) -> None:
    [example] = write(tmp_path, labels=["Benign", "Unwanted.Instrinsic", "Unwanted"])
    verdict = example.gold[1]
    assert str(verdict.label) == "unwanted.intrinsic"
    assert [str(each.label) for each in verdict.interpretations] == ["benign", "unwanted.intrinsic"]


def test_a_detector_that_a_sentence_lacks_is_missing(tmp_path: Path) -> None:
    [example] = write(tmp_path)
    said = [outcome for outcome in example.recorded if outcome.judge == "o3-mini"]
    assert [type(outcome) for outcome in said] == [Verdict, Failure]


def test_claims_are_units_of_their_own_at_their_sentence(tmp_path: Path) -> None:
    [example] = write(tmp_path, claims={"claims": ["A cat.", "One."], "claim_preds": [1, 0]})
    said = [outcome for outcome in example.recorded if outcome.judge == "ragas"]
    first, second, none = said
    assert isinstance(first, Verdict)
    assert (first.unit.kind, first.unit.text, first.note) == ("claim", "A cat.", "seen")
    assert first.unit.spans == second.unit.spans == example.units[0].spans
    assert (none.unit, isinstance(none, Failure)) == (example.units[1], True)


def test_a_claim_without_a_prediction_is_missing(tmp_path: Path) -> None:
    [example] = write(tmp_path, claims={"claims": ["A cat."], "claim_preds": []})
    said = next(outcome for outcome in example.recorded if outcome.unit.kind == "claim")
    assert isinstance(said, Failure)


def test_a_sample_without_texts_raises(tmp_path: Path) -> None:
    corpus = write(tmp_path)
    path = tmp_path / FOLDER / "detectors_sent_level_preds.json"
    path.write_text('{"7": {}}', encoding="utf-8")
    with pytest.raises(InputError, match="sample '7' is not in the other files"):
        list(corpus)


def test_a_sentence_that_is_not_listed_has_no_span(tmp_path: Path) -> None:
    corpus = write(tmp_path, places=PLACES[:1])
    [example] = corpus
    assert [unit.start for unit in example.units] == [0, None]
    assert corpus.repairs.counts == {"inclusive-end": 1, "sentence-unlocated": 1}


@pytest.fixture(scope="module")
def released(corpora_root: Path) -> Corpus:
    return Corpus(CARD, corpora_root / CARD.folder)


@pytest.fixture(scope="module")
def examples(released: Corpus) -> list[Example]:
    return list(released)


@pytest.mark.shared_data
def test_the_release_has_the_published_counts(released: Corpus, examples: list[Example]) -> None:
    assert len(examples) == 800
    assert sum(len(example.units) for example in examples) == 3_767
    assert all(unit.spans for example in examples for unit in example.units)
    labels = Counter(str(verdict.label) for example in examples for verdict in example.gold)
    assert labels.total() == 3_767
    assert labels["consistent"] == 2_487
    assert released.repairs.counts == {
        "inclusive-end": 3_752,
        "sentence-moved": 15,
        "repeated-sentence": 1,
        "misspelt-label": 553,
        "sub-label-without-parent": 6,
    }


@pytest.mark.shared_data
def test_every_detector_is_recorded(examples: list[Example]) -> None:
    outcomes = [outcome for example in examples for outcome in example.recorded]
    counts = Counter((outcome.judge, outcome.unit.kind) for outcome in outcomes)
    on_sentences = {judge for (judge, kind), count in counts.items() if count == 3_767}
    assert len(on_sentences) == 17
    assert counts["ragas", "claim"] == 8_820
    assert counts["trulens", "claim"] == 3_490
    failures = Counter(outcome.judge for outcome in outcomes if isinstance(outcome, Failure))
    assert failures == {"o3-mini": 694, "ragas": 366, "trulens": 350, "true-nli": 22}


@pytest.mark.shared_data
@pytest.mark.parametrize(("judge", "accuracy"), [("ragas", 60.25), ("trulens", 55.71)])
def test_claims_are_joined_to_their_sentences(
    examples: list[Example], judge: str, accuracy: float
) -> None:
    # A sentence is consistent if all its claims are 1; benign counts as hallucinated.
    right: dict[bool, list[bool]] = {True: [], False: []}
    for example in examples:
        bad = {each.unit.start for each in example.recorded if each.judge == judge and doubts(each)}
        for verdict in example.gold:
            gold = str(verdict.label) == "consistent"
            right[gold].append((verdict.unit.start not in bad) == gold)
    assert round(50 * sum(sum(each) / len(each) for each in right.values()), 2) == accuracy


def doubts(outcome: Verdict | Failure) -> bool:
    if isinstance(outcome, Failure):
        return False
    return str(outcome.label) == "unfaithful" if outcome.label else outcome.score != 1
