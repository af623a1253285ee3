"""Runs over a sample or a part of the data, measured on what they were meant to judge."""

from dataclasses import replace

import pytest

from assay import (
    Annotated,
    Author,
    InputError,
    Manifest,
)
from assay.datasets.selection import choose_positions, entry_of
from assay.evaluation.comparison import make_report
from assay.evaluation.evaluate import Settings, evaluate
from assay.evaluation.policy import GoldPolicy
from assay.evaluation.references import recorded_judgements
from assay.metrics import Resampling
from tests.evaluation.opinions import Make, predicted, scores

FEW = Resampling(replicates=50)
SENTENCES = GoldPolicy(unit="sentence")
SETTINGS = Settings(SENTENCES, resampling=FEW)


def test_a_run_over_a_sample_is_measured_on_its_sample_only(make_annotated: Make) -> None:
    annotated = [make_annotated(f"{n}", "fabricated", ".2") for n in range(10)]
    chosen = [annotated[place] for place in choose_positions(10, 3, seed=7)]
    manifest = Manifest(Author("x"), examples=10, sample=3, seed=7)
    run = predicted(chosen, scores(".1"), "run:some", manifest)
    other = recorded_judgements("j", "d", annotated)
    report = make_report("d", annotated, [run, other], SETTINGS)
    assert "only the 3 of 10 examples of the run's sample" in report.reading
    assert list(report.examples) == [each.id for each in chosen]
    assert [(len(each.judged), each.coverage) for each in report.evaluations] == [(3, 1), (3, 1)]


def test_a_sample_is_found_by_its_ids_whatever_became_of_the_rows(make_annotated: Make) -> None:
    annotated = [make_annotated(f"{n}", "fabricated", ".2") for n in range(10)]
    ids = ("2", "5", "7", "9")
    manifest = Manifest(Author("x"), examples=8, sample=4, seed=7, example_ids=ids)
    judged = [each for each in annotated if each.id in ("2", "7", "9")]  # 5 was never reached
    run = predicted(judged, scores(".1"), "run:some", manifest)
    report = make_report("d", annotated[::-1], [run], SETTINGS)
    assert list(report.examples) == ["9", "7", "5", "2"]
    (found,) = report.evaluations
    assert (found.coverage, found.failures) == (3 / 4, {"missing": 1})
    assert "only the 4 of 10 examples of the run's sample" in report.reading


def test_examples_without_gold_that_a_run_left_out_are_called_so(make_annotated: Make) -> None:
    labelled = [make_annotated(f"{n}", "fabricated", ".2") for n in range(3)]
    bare = Annotated(make_annotated("bare", "fabricated").example)
    manifest = Manifest(Author("x"), examples=3, example_ids=("0", "1", "2"))
    run = predicted(labelled, scores(".1"), "run:some", manifest)
    reading = make_report("d", [*labelled, bare], [run], SETTINGS).reading
    assert "1 of 4 examples have no gold label" in reading
    assert "sample" not in reading


def test_a_part_of_a_corpus_is_measured_on_what_the_sample_has_of_it(make_annotated: Make) -> None:
    whole = [
        replace(each, example=replace(each.example, task="odd" if n % 2 else "even"))
        for n in range(10)
        for each in [make_annotated(f"{n}", "fabricated", ".2")]
    ]
    odd = whole[1::2]
    chosen = [whole[place] for place in choose_positions(10, 6, seed=7)]
    expected = [each.id for each in chosen if each in odd]
    assert 0 < len(expected) < len(odd)
    manifest = Manifest(Author("x"), examples=10, sample=6, seed=7)
    run = predicted(chosen, scores(".1"), "run:some", manifest)
    entries = tuple(map(entry_of, whole))
    report = make_report("d", odd, [run], replace(SETTINGS, entries=entries))
    assert list(report.examples) == expected
    assert report.evaluations[0].coverage == 1
    assert f"only the {len(expected)} of 5 examples of the run's sample" in report.reading


def test_a_part_that_the_sample_has_nothing_of_is_told(make_annotated: Make) -> None:
    whole = [make_annotated(f"{n}", "fabricated", ".2") for n in range(10)]
    chosen = choose_positions(10, 3, seed=7)
    manifest = Manifest(Author("x"), examples=10, sample=3, seed=7)
    run = predicted([whole[place] for place in chosen], scores(".1"), "run:some", manifest)
    others = [each for place, each in enumerate(whole) if place not in chosen]
    settings = replace(SETTINGS, entries=tuple(map(entry_of, whole)))
    with pytest.raises(InputError, match="the runs leave out all examples of d"):
        make_report("d", others, [run], settings)


def test_a_sample_of_other_data_does_not_choose_here(make_annotated: Make) -> None:
    annotated = [make_annotated(f"{n}", "fabricated", ".2") for n in range(4)]
    manifest = Manifest(Author("x"), examples=10, sample=3, seed=7)
    run = predicted(annotated[:1], scores(".1"), "run:some", manifest)
    assert evaluate(annotated, run, SENTENCES).coverage == pytest.approx(1 / 4)
