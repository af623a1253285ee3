"""One detector held against gold labels, by hand arithmetic."""

from collections.abc import Callable

import pytest

from assay.core import Example, InputError, Unit, Verdict, taxonomy
from assay.core.verdicts import Failure
from assay.evaluate.board import Settings, evaluate_judges, make_report
from assay.evaluate.evaluation import Evaluation, evaluate
from assay.evaluate.items import Reading, find_items
from assay.evaluate.judged import says_faithful
from assay.evaluate.predictions import recorded_predictions
from assay.metrics import Resampling

GRAY7 = taxonomy("gray7")
Make = Callable[..., Example]
FEW = Resampling(replicates=50)
SENTENCES = Reading(unit="sentence")


def on(examples: list[Example], reading: Reading = SENTENCES) -> Evaluation:
    items = find_items(examples, reading)
    return evaluate(items, recorded_predictions(examples, "j", items), resampling=FEW)


def test_figures_come_from_the_counted_items_only(make_example: Make) -> None:
    # counted: contradicting .2 (right), fabricated .9 (wrong), explicit .9 .8 (right), implicit .1
    # (wrong); ambiguous and no-fact are left out. recall 1/2, specificity 2/3.
    labels = "contradicting fabricated explicitly-supported explicitly-supported"
    result = on(
        [
            make_example("a", labels, ".2 .9 .9 .8"),
            make_example("b", "implicitly-supported ambiguous no-fact", ".1 .9 .9"),
        ]
    )
    assert result.n == 5
    assert result.figures["balanced accuracy"].value == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert result.figures["recall"].value == pytest.approx(1 / 2)
    assert result.figures["precision"].value == pytest.approx(1 / 2)
    assert result.figures["balanced accuracy"].n == 5


def test_ranking_loss_uses_every_gold_label(make_example: Make) -> None:
    # order: contradicting < ambiguous < explicit; said: faithful, unfaithful, faithful.
    # pairs (higher, lower): (amb, con) wrong 1, (exp, con) tie 0.5, (exp, amb) right 0 -> 1.5 / 3
    result = on([make_example("a", "contradicting ambiguous explicitly-supported", ".9 .1 .9")])
    assert result.figures["ranking loss"].value == pytest.approx(0.5)
    assert result.figures["ranking loss"].n == 3


def test_failures_are_counted_and_never_scored(make_example: Make) -> None:
    result = on([make_example("a", "fabricated explicitly-supported fabricated", "- .9 .")])
    assert result.failures == {"parse": 1, "missing": 1}
    assert result.coverage == pytest.approx(1 / 3)
    assert result.figures["recall"].value is None
    assert result.figures["recall"].n == 1


def test_an_empty_class_makes_the_metric_undefined_with_n(make_example: Make) -> None:
    result = on([make_example("a", "explicitly-supported implicitly-supported", ".9 .8")])
    assert result.figures["balanced accuracy"].value is None
    assert result.figures["balanced accuracy"].n == 2
    assert str(result.figures["AUROC"]) == "undefined n=2"


def test_responses_are_folded_from_their_sentences(make_example: Make) -> None:
    examples = [
        make_example("a", "fabricated explicitly-supported", ".2 .9"),
        make_example("b", "explicitly-supported explicitly-supported", ".9 .8"),
    ]
    result = on(examples, Reading(unit="response"))
    assert [judged.faithful for judged in result.judged] == [False, True]
    assert result.figures["balanced accuracy"].value == 1


def test_a_response_judged_in_part_is_unfaithful_or_a_failure_but_never_faithful(
    make_example: Make,
) -> None:
    examples = [
        make_example("bad", "fabricated explicitly-supported", ".2 ."),
        make_example("good", "explicitly-supported explicitly-supported", ".9 ."),
        make_example("failed", "explicitly-supported explicitly-supported", ".9 -"),
    ]
    result = on(examples, Reading(unit="response"))
    assert [judged.faithful for judged in result.judged] == [False, None, None]
    assert result.failures == {"missing": 1, "parse": 1}


def test_ids_that_repeat_are_refused(make_example: Make) -> None:
    twice = [make_example("a", "fabricated", ".2"), make_example("a", "fabricated", ".9")]
    with pytest.raises(InputError, match="1 ids appear twice"):
        evaluate_judges("d", twice, ["j"], Settings(SENTENCES))


def test_a_reading_that_fits_no_label_is_refused(make_example: Make) -> None:
    with pytest.raises(InputError, match="the gold labels here are gray7"):
        make_report(
            "d",
            [make_example("a", "fabricated", ".2")],
            ["j"],
            Settings(Reading("sentence", "corpus", "faithjudge"), resampling=FEW),
        )


def test_examples_without_a_gold_label_are_told(make_example: Make) -> None:
    labelled = make_example("a", "fabricated", ".2")
    bare = Example("b", labelled.source, labelled.response)
    report = make_report("d", [labelled, bare], ["j"], Settings(SENTENCES, resampling=FEW))
    assert report.reading.endswith("1 of 2 examples have no gold label")


def test_one_run_can_be_shown_under_two_folds(make_example: Make) -> None:
    examples = [make_example("a", "fabricated explicitly-supported", ".4 .9")]
    settings = Settings(Reading(unit="response"), rules=("worst", "mean"), resampling=FEW)
    worst, mean = evaluate_judges("d", examples, ["j"], settings)
    assert (worst.detector, mean.detector) == ("j (worst)", "j (mean)")
    assert (worst.judged[0].faithful, mean.judged[0].faithful) == (False, True)


def test_intervals_resample_sources(make_example: Make) -> None:
    labels, scores = "fabricated explicitly-supported", ".2 .9"
    alone = on([make_example(f"{n}", labels, scores, source=f"{n}") for n in range(10)])
    together = on([make_example(f"{n}", labels, scores, source="same") for n in range(10)])
    assert alone.figures["recall"].low == 1
    assert together.figures["recall"].low is None


@pytest.mark.parametrize(
    ("label", "threshold", "faithful"),
    [
        ("implicitly-supported", None, True),
        ("out-dependent", None, False),
        ("no-fact", None, True),
        ("no-fact", "implicitly-supported", False),
        ("out-dependent", "out-dependent", True),
        ("ambiguous", "no-fact", False),
    ],
)
def test_labels_are_read_by_threshold(label: str, threshold: str | None, faithful: bool) -> None:
    assert says_faithful(Verdict(Unit("sentence", "x"), GRAY7[label]), threshold) is faithful


def test_scores_are_read_by_threshold_and_failures_not_at_all() -> None:
    unit = Unit("sentence", "x")
    assert says_faithful(Verdict(unit, score=0.4), 0.3) is True
    assert says_faithful(Verdict(unit, score=0.4)) is False
    assert says_faithful(Failure(unit, "parse")) is None
    with pytest.raises(InputError, match="scores only"):
        says_faithful(Verdict(unit, score=0.4), "fabricated")


def test_class_f1_needs_the_same_menu(make_example: Make) -> None:
    example = make_example("a", "fabricated explicitly-supported", ". .")
    said = tuple(Verdict(u, GRAY7["fabricated"], judge="labels") for u in example.units)
    labelled = Example(
        "a", example.source, example.response, units=example.units, gold=example.gold, recorded=said
    )
    settings = Settings(SENTENCES, resampling=FEW)
    result = evaluate_judges("d", [labelled], ["labels"], settings)[0]
    assert result.class_f1["fabricated"].value == pytest.approx(2 / 3)
    assert result.class_f1["explicitly-supported"].value == 0
    assert on([make_example("b", "fabricated", ".1")]).class_f1 == {}


def test_the_reading_is_described_and_the_best_are_marked(make_example: Make) -> None:
    examples = [make_example(f"{n}", "fabricated explicitly-supported", ".2 .9") for n in range(20)]
    report = make_report("d", examples, ["j", "overlap"], Settings(SENTENCES, resampling=FEW))
    assert "verigray" in report.reading
    assert report.best == ("j",)


def test_unknown_judges_and_missing_gold_are_told(make_example: Make) -> None:
    example = make_example("a", "fabricated", ".2")
    with pytest.raises(InputError, match="overlap"):
        evaluate_judges("d", [example], ["overlp"], Settings(SENTENCES))
    bare = Example("a", example.source, example.response)
    with pytest.raises(InputError, match="no gold labels"):
        evaluate_judges("d", [bare], ["overlap"], Settings(SENTENCES))


def test_a_reading_that_is_not_binary_is_refused(make_example: Make) -> None:
    with pytest.raises(InputError, match="does not say which labels are faithful"):
        find_items(
            [make_example("a", "fabricated", ".2")], Reading("sentence", "worst", "gray7-nli")
        )
