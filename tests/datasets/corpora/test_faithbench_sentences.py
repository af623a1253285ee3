"""FaithBench by sentences."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.datasets.corpora.faithbench_sentences import CARD, FOLDER
from assay.datasets.corpus import Corpus
from tests.datasets.corpora.opinions import Said, gold_of, recorded_of

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
    [annotated] = corpus
    assert [unit.text for unit in annotated.example.units] == [" Ann has a cat.", "It is red."]
    assert [(unit.start, unit.end) for unit in annotated.example.units] == [(0, 15), (16, 26)]
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
    [annotated] = corpus
    assert [unit.start for unit in annotated.example.units] == [0, None]
    assert corpus.repairs.counts["sentence-unlocated"] == 1


def test_pooled_labels_have_the_worst_and_keep_all(tmp_path: Path) -> None:
    [annotated] = write(tmp_path, labels=["Benign", "Unwanted.Instrinsic", "Unwanted"])
    verdict = gold_of(annotated)[1]
    assert str(verdict.label) == "unwanted.intrinsic"
    assert [str(each.label) for each in verdict.interpretations] == ["benign", "unwanted.intrinsic"]


def test_a_detector_that_a_sentence_lacks_is_missing(tmp_path: Path) -> None:
    [annotated] = write(tmp_path)
    said = [outcome for outcome in recorded_of(annotated) if outcome.author == "o3-mini"]
    assert [bool(each.verdict) for each in said] == [True, False]


def test_claims_are_units_of_their_own_at_their_sentence(tmp_path: Path) -> None:
    [annotated] = write(tmp_path, claims={"claims": ["A cat.", "One."], "claim_preds": [1, 0]})
    said = [outcome for outcome in recorded_of(annotated) if outcome.author == "ragas"]
    first, second, none = said
    assert first.verdict
    assert (first.unit.kind, first.unit.text, first.note) == ("claim", "A cat.", "seen")
    assert first.unit.spans == second.unit.spans == annotated.example.units[0].spans
    assert (first.id, second.id, first.unit.parent) == ("s1.c1", "s1.c2", "s1")
    assert (none.unit, none.reason) == (annotated.example.units[1], "missing")
    ragas = next(each for each in annotated.recorded if each.author.name == "ragas")
    assert ragas.units[0] == annotated.example.units[0]


def test_a_claim_without_a_prediction_is_missing(tmp_path: Path) -> None:
    [annotated] = write(tmp_path, claims={"claims": ["A cat."], "claim_preds": []})
    said = next(outcome for outcome in recorded_of(annotated) if outcome.unit.kind == "claim")
    assert said.failure


def test_a_sample_without_texts_raises(tmp_path: Path) -> None:
    corpus = write(tmp_path)
    path = tmp_path / FOLDER / "detectors_sent_level_preds.json"
    path.write_text('{"7": {}}', encoding="utf-8")
    with pytest.raises(InputError, match="sample '7' is not in the other files"):
        list(corpus)


def test_a_sentence_that_is_not_listed_has_no_span(tmp_path: Path) -> None:
    corpus = write(tmp_path, places=PLACES[:1])
    [annotated] = corpus
    assert [unit.start for unit in annotated.example.units] == [0, None]
    assert corpus.repairs.counts == {"inclusive-end": 1, "sentence-unlocated": 1}


@pytest.fixture(scope="module")
def released(corpora_root: Path) -> Corpus:
    return Corpus(CARD, corpora_root / CARD.folder)


@pytest.fixture(scope="module")
def examples(released: Corpus) -> list[Annotated]:
    return list(released)


@pytest.mark.shared_data
def test_the_release_has_the_published_counts(released: Corpus, examples: list[Annotated]) -> None:
    assert len(examples) == 800
    assert sum(len(annotated.example.units) for annotated in examples) == 3_767
    assert all(unit.spans for annotated in examples for unit in annotated.example.units)
    labels = Counter(str(verdict.label) for annotated in examples for verdict in gold_of(annotated))
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
def test_every_detector_is_recorded(examples: list[Annotated]) -> None:
    outcomes = [outcome for annotated in examples for outcome in recorded_of(annotated)]
    counts = Counter((outcome.author, outcome.unit.kind) for outcome in outcomes)
    on_sentences = {name for (name, kind), count in counts.items() if count == 3_767}
    assert len(on_sentences) == 17
    assert counts["ragas", "claim"] == 8_820
    assert counts["trulens", "claim"] == 3_490
    failures = Counter(outcome.author for outcome in outcomes if outcome.failure)
    assert failures == {"o3-mini": 694, "ragas": 366, "trulens": 350, "true-nli": 22}


@pytest.mark.shared_data
@pytest.mark.parametrize(("detector", "accuracy"), [("ragas", 60.25), ("trulens", 55.71)])
def test_claims_are_joined_to_their_sentences(
    examples: list[Annotated], detector: str, accuracy: float
) -> None:
    # A sentence is consistent if all its claims are 1; benign counts as hallucinated.
    right: dict[bool, list[bool]] = {True: [], False: []}
    for annotated in examples:
        bad = {
            each.unit.parent
            for each in recorded_of(annotated)
            if each.author == detector and doubts(each)
        }
        for verdict in gold_of(annotated):
            gold = str(verdict.label) == "consistent"
            right[gold].append((verdict.id not in bad) == gold)
    assert round(50 * sum(sum(each) / len(each) for each in right.values()), 2) == accuracy


def doubts(said: Said) -> bool:
    if said.failure:
        return False
    return str(said.label) == "unfaithful" if said.label else said.score != 1
