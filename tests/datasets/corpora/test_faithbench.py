"""FaithBench in its three releases."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.units import Unit
from assay.datasets.corpora.faithbench import ANNOTATED, CSV, PAPER, RELEASE, RELEASED
from assay.datasets.corpus import Corpus
from assay.evaluation.gold import gold_labels
from tests.datasets.corpora.opinions import Said, gold_of, recorded_of

SOURCE, SUMMARY = "Ann has two cats.", " Ann has three cats and a dog."


def annotation(*labels: str, start: int | None = 9, end: int | None = 14, **more: Any) -> Any:
    span = None if start is None else SUMMARY[start:end]
    place = {"summary_span": span, "summary_start": start, "summary_end": end}
    return {"annotator_name": "Eve Adams", "label": list(labels), "note": "why", **place, **more}


def released(*annotations: Any, **scores: Any) -> Any:
    about = {"summarizer": "m", "hhemv1": 0.25, "true_nli": 1, **scores}
    texts = {"source": SOURCE, "summary": SUMMARY}
    return {"sample_id": 0, **texts, "annotations": list(annotations), "metadata": about}


def read_release(folder: Path, *samples: Any) -> tuple[list[Annotated], Counter[str]]:
    """The examples of batch 1 when these are its samples, and all repairs."""
    (folder / "data_for_release").mkdir()
    for batch in RELEASED:
        rows = list(samples) if batch == 1 else [released()]
        path = folder / f"data_for_release/batch_{batch}.json"
        path.write_text(json.dumps({"samples": rows}), encoding="utf-8")
    corpus = Corpus(RELEASE, folder)
    return list(corpus)[: len(samples)], corpus.repairs.counts


def test_a_marked_span_is_a_verdict_with_its_annotator_note_and_evidence(tmp_path: Path) -> None:
    place: Any = {"source_span": "two", "source_start": 8, "source_end": 11}
    [annotated], repairs = read_release(
        tmp_path, released(annotation("Unwanted", "Unwanted.Intrinsic", **place))
    )
    whole, span = gold_of(annotated)
    assert (str(whole.label), whole.author) == ("unwanted", "gold")
    assert (str(span.label), span.author) == ("unwanted.intrinsic", "eve")
    assert (span.unit.kind, span.unit.text, span.note) == ("span", "three", "why")
    assert (span.id, span.attributes.explanation) == ("p1", "")  # one word explains nothing
    assert [each.text for each in span.evidence] == ["two"]
    assert not repairs


def test_a_summary_without_annotations_is_consistent(tmp_path: Path) -> None:
    [annotated], _ = read_release(tmp_path, released())
    [verdict] = gold_of(annotated)
    assert (verdict.unit.kind, str(verdict.label)) == ("response", "consistent")
    assert verdict.unit.text == SUMMARY
    assert annotated.id == "1-0"


def test_mixed_classes_have_the_worst_and_keep_all(tmp_path: Path) -> None:
    [annotated], repairs = read_release(
        tmp_path, released(annotation("Benign", "Unwanted.Extrinsic"))
    )
    span = gold_of(annotated)[1]
    assert str(span.label) == "unwanted.extrinsic"
    assert [each.label.name for each in span.interpretations] == ["benign", "unwanted.extrinsic"]
    assert repairs == {"mixed-classes": 1, "sub-label-without-parent": 1}


def test_both_kinds_of_unwanted_are_unwanted(tmp_path: Path) -> None:
    labels = ("Unwanted", "Unwanted.Intrinsic", "Unwanted.Extrinsic")
    [annotated], repairs = read_release(tmp_path, released(annotation(*labels)))
    assert str(gold_of(annotated)[1].label) == "unwanted"
    assert repairs == {"both-kinds": 1}


def test_a_misspelt_label_is_read_and_counted(tmp_path: Path) -> None:
    [annotated], repairs = read_release(
        tmp_path, released(annotation("Unwanted", "Unwanted.Instrinsic"))
    )
    assert str(gold_of(annotated)[1].label) == "unwanted.intrinsic"
    assert repairs == {"misspelt-label": 1}


def test_an_annotation_without_a_label_gives_no_verdict(tmp_path: Path) -> None:
    [annotated], repairs = read_release(tmp_path, released(annotation()))
    said = [(each.author, each.id, str(each.label)) for each in gold_of(annotated)]
    # Whose only annotation has no label found nothing wrong, as the authors' code has it.
    assert said == [("gold", "response", "consistent"), ("eve", "response", "consistent")]
    assert repairs == {"annotation-without-label": 1, "silent-annotator": 1}


def test_an_annotation_without_a_span_is_about_the_whole(tmp_path: Path) -> None:
    [annotated], repairs = read_release(tmp_path, released(annotation("Benign", start=None)))
    assert [(each.id, each.text, each.unit.spans, each.author) for each in gold_of(annotated)] == [
        ("response", SUMMARY, Unit.response(SUMMARY).spans, "gold"),
        ("p1", "", (), "eve"),
    ]
    assert repairs == {"annotation-without-span": 1}


def test_offsets_that_do_not_fit_are_corrected(tmp_path: Path) -> None:
    moved = annotation("Benign") | {"summary_start": 0, "summary_end": 5}
    [annotated], repairs = read_release(tmp_path, released(moved))
    assert gold_of(annotated)[1].unit.start == 9
    assert repairs == {"quote-moved": 1}


def test_predictions_are_recorded_and_a_missing_one_is_a_failure(tmp_path: Path) -> None:
    [annotated], _ = read_release(tmp_path, released(true_nli=None))
    score, missing = recorded_of(annotated)
    assert score.verdict
    assert (score.author, score.score) == ("hhem-1", 0.25)
    assert missing.failure
    assert (missing.author, missing.reason) == ("true-nli", "missing")


def test_who_marked_nothing_but_works_on_the_batch_calls_a_summary_consistent(
    tmp_path: Path,
) -> None:
    by_bob = annotation("Unwanted") | {"annotator_name": "Bob"}
    first, second = released(annotation("Benign")), released(by_bob) | {"sample_id": 1}
    examples, repairs = read_release(tmp_path, first, second)
    said = [[(each.author, str(each.label)) for each in gold_of(one)] for one in examples]
    assert said == [
        [("gold", "benign"), ("eve", "benign"), ("bob", "consistent")],
        [("gold", "unwanted"), ("bob", "unwanted"), ("eve", "consistent")],
    ]
    assert repairs == {"silent-annotator": 2}


def test_who_marked_hardly_anything_in_a_batch_has_no_say_in_the_rest(tmp_path: Path) -> None:
    by_bob = annotation("Unwanted") | {"annotator_name": "Bob"}
    rows = [released(annotation("Benign"), *([by_bob] if n == 0 else [])) for n in range(5)]
    examples, repairs = read_release(tmp_path, *(r | {"sample_id": n} for n, r in enumerate(rows)))
    # Eve marked 5 of 5, Bob 1 of 5, which is less than a quarter.
    said = [[each.author for each in gold_of(one)] for one in examples]
    assert said == [["gold", "eve", "bob"], *[["gold", "eve"]] * 4]
    assert not repairs


def test_an_unknown_label_raises(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown faithbench label 'Odd'"):
        read_release(tmp_path, released(annotation("Odd")))


def write_paper(folder: Path, *samples: Any) -> Corpus:
    (folder / "paper_annotations").mkdir()
    selection = {"skip_samples": {"1": [1]}, "selected_annotators": {"1": ["eve"]}}
    (folder / "paper_annotations/selection.json").write_text(json.dumps(selection))
    for batch in ANNOTATED:
        rows = samples if batch == 1 else [paper_sample()]
        path = folder / f"paper_annotations/batch_{batch}_annotation.json"
        path.write_text(json.dumps(rows))
    table = f"source,summary,model,HHEMv1,gpt-4\n{SOURCE},{SUMMARY},m,0.5,1\n"
    (folder / "examples_to_annotate.csv").write_text(table)
    return Corpus(PAPER, folder)


def paper_sample(*annotations: Any, number: int = 0, row: int = 0) -> Any:
    texts = {"source": SOURCE, "summary": SUMMARY, "meta_model": "m", "meta_sample_id": row}
    return {"sample_id": number, **texts, "annotations": list(annotations)}


def test_the_paper_skips_samples_and_selects_annotators(tmp_path: Path) -> None:
    other = annotation("Unwanted") | {"annotator_name": "Bob"}
    kept = paper_sample(annotation("Benign"), other)
    corpus = write_paper(tmp_path, kept, paper_sample(number=1))
    first = next(iter(corpus))
    assert [str(verdict.label) for verdict in gold_of(first)] == ["benign"] * 2
    assert [outcome.author for outcome in recorded_of(first)] == ["hhem-1", "gpt-4"]
    list(corpus)
    assert corpus.repairs.counts == {"sample-skipped": 1, "annotator-not-selected": 1}


def test_predictions_on_a_slightly_other_text_are_counted(tmp_path: Path) -> None:
    corpus = write_paper(tmp_path, paper_sample() | {"summary": SUMMARY.strip()})
    next(iter(corpus))
    assert corpus.repairs.counts["other-white-space"] == 1


def test_a_sample_that_is_not_in_the_candidate_pool_raises(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no row 7"):
        list(write_paper(tmp_path, paper_sample(row=7)))


def worst_labels(examples: list[Annotated]) -> Counter[str]:
    return Counter(
        verdict.label.name
        for annotated in examples
        for verdict in gold_of(annotated)
        if verdict.unit.kind == "response" and verdict.author == "gold" and verdict.label
    )


def spans_of(examples: list[Annotated]) -> list[Said]:
    return [
        each for annotated in examples for each in gold_of(annotated) if each.unit.kind == "span"
    ]


@pytest.mark.shared_data
def test_the_release_has_the_published_counts(corpora_root: Path) -> None:
    corpus = Corpus(RELEASE, corpora_root / RELEASE.folder)
    examples = list(corpus)
    assert len(examples) == len({annotated.id for annotated in examples}) == 750
    assert set(Counter(annotated.example.source.id for annotated in examples).values()) == {10}
    assert worst_labels(examples) == {
        "unwanted": 439,
        "consistent": 175,
        "questionable": 72,
        "benign": 64,
    }
    # 2,189 annotations, of which 981 point into the source, less 3 (1) without a label
    assert len(spans_of(examples)) == 2_186
    assert sum(bool(verdict.evidence) for verdict in spans_of(examples)) == 980
    assert corpus.repairs.counts == {
        "silent-annotator": 669,
        "annotation-without-label": 3,
        "mixed-classes": 51,
        "sub-label-without-parent": 14,
        "both-kinds": 1,
    }


@pytest.mark.shared_data
def test_majority_of_the_release_is_of_those_who_worked_on_a_batch(corpora_root: Path) -> None:
    examples = Corpus(RELEASE, corpora_root / RELEASE.folder)
    pooled = (gold_labels(each, "response", "majority")[0][1] for each in examples)
    assert Counter(label.parent or label.name for label in pooled) == {
        "unwanted": 375,
        "questionable": 62,
        "benign": 78,
        "consistent": 235,
    }


@pytest.mark.shared_data
def test_the_release_records_eight_detectors(corpora_root: Path) -> None:
    examples = list(Corpus(RELEASE, corpora_root / RELEASE.folder))
    outcomes = [outcome for annotated in examples for outcome in recorded_of(annotated)]
    assert set(Counter(outcome.author for outcome in outcomes).values()) == {750}
    assert len(outcomes) == 8 * 750
    missing = [outcome.author for outcome in outcomes if outcome.failure]
    assert missing == ["true-nli"] * 2


@pytest.mark.shared_data
def test_the_release_names_fourteen_annotators(corpora_root: Path) -> None:
    examples = list(Corpus(RELEASE, corpora_root / RELEASE.folder))
    spans = [
        (annotated.example.split, each) for annotated in examples for each in spans_of([annotated])
    ]
    assert len({verdict.author for _, verdict in spans}) == 14
    assert len({(split, verdict.author) for split, verdict in spans}) == 42


@pytest.mark.shared_data
def test_texts_keep_their_white_space(corpora_root: Path) -> None:
    examples = list(Corpus(RELEASE, corpora_root / RELEASE.folder))
    texts = [annotated.example.response.text for annotated in examples]
    assert sum(text != text.lstrip() for text in texts) == 144
    marked = [verdict.unit.text for verdict in spans_of(examples)]
    assert sum(text != text.strip() for text in marked) == 349


@pytest.mark.shared_data
def test_the_table_has_the_published_counts(corpora_root: Path) -> None:
    examples = list(Corpus(CSV, corpora_root / CSV.folder))
    assert len(examples) == 800
    assert len({annotated.example.source.id for annotated in examples}) == 80
    assert worst_labels(examples) == {
        "unwanted": 485,
        "consistent": 174,
        "questionable": 77,
        "benign": 64,
    }


@pytest.mark.shared_data
def test_the_table_keeps_both_labels_of_each_row(corpora_root: Path) -> None:
    with (corpora_root / "faithbench/FaithBench.csv").open(encoding="utf-8", newline="") as file:
        pairs = Counter(
            (row["worst-label"].lower(), row["best-label"].lower()) for row in csv.DictReader(file)
        )
    examples = Corpus(CSV, corpora_root / CSV.folder)
    assert pairs == Counter(
        tuple(verdict.label.name for verdict in gold_of(annotated) if verdict.label)
        for annotated in examples
    )


@pytest.mark.shared_data
def test_the_paper_has_the_published_counts(corpora_root: Path) -> None:
    corpus = Corpus(PAPER, corpora_root / PAPER.folder)
    examples = list(corpus)
    assert len(examples) == 750
    assert worst_labels(examples) == {
        "unwanted": 424,
        "consistent": 175,
        "questionable": 77,
        "benign": 74,
    }
    assert corpus.repairs.counts == {
        "sample-skipped": 50,
        "annotator-not-selected": 294,
        "silent-annotator": 583,
        "misspelt-label": 714,
        "mixed-classes": 48,
        "sub-label-without-parent": 14,
        "annotation-without-label": 6,
        "annotation-without-span": 2,
        "other-white-space": 468,
    }


@pytest.mark.shared_data
def test_the_paper_reproduces_a_cell_of_table_2(corpora_root: Path) -> None:
    # HHEM-2.1-Open: balanced accuracy 51.98, faithful from 0.5, consistent and benign positive
    right: dict[bool, list[bool]] = {True: [], False: []}
    for annotated in Corpus(PAPER, corpora_root / PAPER.folder):
        label = gold_of(annotated)[0].label
        gold = label is not None and label.name in ("consistent", "benign")
        said = next(each for each in recorded_of(annotated) if each.author == "hhem-2.1-open")
        assert said.verdict
        right[gold].append(((said.score or 0) >= 0.5) == gold)
    recalls = [sum(each) / len(each) for each in right.values()]
    assert round(50 * sum(recalls), 2) == 51.98
