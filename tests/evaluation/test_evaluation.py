"""One detector compared with gold labels, by hand arithmetic."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import pytest

from assay import (
    Annotated,
    Author,
    Example,
    InputError,
    Judgement,
    Judgements,
    Manifest,
    Response,
    Source,
    Unit,
    Verdict,
    taxonomy,
)
from assay.core.verdicts import Attributes, Outcome
from assay.datasets.selection import entry_of
from assay.evaluation.comparison import make_report
from assay.evaluation.evaluate import Evaluation, Settings, evaluate, evaluate_each
from assay.evaluation.items import examples_to_judge, find_items
from assay.evaluation.policy import GoldPolicy
from assay.evaluation.references import recorded_judgements
from assay.metrics import Resampling
from tests.evaluation.opinions import Make, annotate, predicted, says, scores

GRAY7, NLI, FAITHBENCH = taxonomy("gray7"), taxonomy("nli"), taxonomy("faithbench")
FEW = Resampling(replicates=50)
SENTENCES = GoldPolicy(unit="sentence")
SETTINGS = Settings(SENTENCES, resampling=FEW)


def on(annotated: Sequence[Annotated], policy: GoldPolicy = SENTENCES) -> Evaluation:
    """The evaluation of the recorded detector."""
    return evaluate(annotated, recorded_judgements("j", "d", annotated), policy, resampling=FEW)


def labelled(*names: str) -> Callable[[Unit], Outcome]:
    """A detector that gives the sentences these labels of gray7."""
    return lambda unit: Verdict(unit.id, GRAY7[names[int(unit.id[1:]) - 1]])


def test_figures_come_from_the_counted_items_only(make_annotated: Make) -> None:
    # counted: contradicting .2 (right), fabricated .9 (wrong), explicit .9 .8 (right), implicit .1
    # (wrong); ambiguous and no-fact are left out. recall 1/2, specificity 2/3.
    labels = "contradicting fabricated explicitly-supported explicitly-supported"
    result = on(
        [
            make_annotated("a", labels, ".2 .9 .9 .8"),
            make_annotated("b", "implicitly-supported ambiguous no-fact", ".1 .9 .9"),
        ]
    )
    assert result.n == 5
    assert result.figures["balanced accuracy"].value == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert result.figures["recall"].value == pytest.approx(1 / 2)
    assert result.figures["precision"].value == pytest.approx(1 / 2)
    assert result.figures["balanced accuracy"].n == 5


def test_n_is_what_a_figure_is_a_share_of(make_annotated: Make) -> None:
    # Gold: 1 unfaithful and 4 faithful; called unfaithful: the first three.
    labels = "fabricated " + " ".join(["explicitly-supported"] * 4)
    result = on([make_annotated("a", labels, ".1 .2 .3 .8 .9")])
    n = {name: each.n for name, each in result.figures.items()}
    assert (n["precision"], n["recall"], n["specificity"]) == (3, 1, 4)
    assert (n["balanced accuracy"], n["F1"], n["AUROC"]) == (5, 5, 5)


def test_nothing_is_an_error_where_the_gold_label_is_left_out_or_a_verdict_is_missing(
    make_annotated: Make,
) -> None:
    labels = "fabricated explicitly-supported fabricated ambiguous explicitly-supported"
    result = on([make_annotated("a", labels, ".9 .9 - .1 .1")])
    assert [each.is_error for each in result.judged] == [True, False, False, False, True]


def test_ranking_loss_uses_every_gold_label(make_annotated: Make) -> None:
    # order: contradicting < ambiguous < explicit; said: faithful, unfaithful, faithful.
    # pairs (higher, lower): (amb, con) wrong 1, (exp, con) tie 0.5, (exp, amb) right 0 -> 1.5 / 3
    result = on([make_annotated("a", "contradicting ambiguous explicitly-supported", ".9 .1 .9")])
    assert result.figures["ranking loss"].value == pytest.approx(0.5)
    assert result.figures["ranking loss"].n == 3


def test_failures_are_counted_and_never_scored(make_annotated: Make) -> None:
    result = on([make_annotated("a", "fabricated explicitly-supported fabricated", "- .9 .")])
    assert result.failures == {"parse": 1, "missing": 1}
    assert result.coverage == pytest.approx(1 / 3)
    assert result.figures["recall"].value is None
    assert result.figures["recall"].n == 0


def test_an_empty_class_makes_the_metric_undefined_with_n(make_annotated: Make) -> None:
    result = on([make_annotated("a", "explicitly-supported implicitly-supported", ".9 .8")])
    assert result.figures["balanced accuracy"].value is None
    assert result.figures["balanced accuracy"].n == 2
    assert str(result.figures["AUROC"]) == "undefined n=2"


def test_responses_are_folded_from_their_sentences(make_annotated: Make) -> None:
    annotated = [
        make_annotated("a", "fabricated explicitly-supported", ".2 .9"),
        make_annotated("b", "explicitly-supported explicitly-supported", ".9 .8"),
    ]
    result = on(annotated, GoldPolicy("response"))
    assert [judged.faithful for judged in result.judged] == [False, True]
    assert result.figures["balanced accuracy"].value == 1


def test_a_response_judged_in_part_is_unfaithful_or_a_failure_but_never_faithful(
    make_annotated: Make,
) -> None:
    annotated = [
        make_annotated("bad", "fabricated explicitly-supported", ".2 ."),
        make_annotated("good", "explicitly-supported explicitly-supported", ".9 ."),
        make_annotated("failed", "explicitly-supported explicitly-supported", ".9 -"),
    ]
    result = on(annotated, GoldPolicy("response"))
    assert [judged.faithful for judged in result.judged] == [False, None, None]
    assert result.failures == {"missing": 1, "parse": 1}


@pytest.mark.parametrize("unit", ["response", "sentence"])
def test_figures_with_and_without_a_band_are_of_the_same_items(
    make_annotated: Make, unit: Literal["response", "sentence"]
) -> None:
    annotated = [
        make_annotated("bad", "fabricated explicitly-supported", ".2 -"),
        make_annotated("good", "explicitly-supported explicitly-supported", ".9 .8"),
        make_annotated("failed", "explicitly-supported explicitly-supported", ".9 -"),
    ]
    plain = recorded_judgements("j", "d", annotated)

    def unsure(outcome: Outcome) -> Outcome:
        if not isinstance(outcome, Verdict):
            return outcome
        return replace(outcome, attributes=Attributes(unsure=True))

    banded = [replace(each, outcomes=tuple(unsure(one) for one in each.outcomes)) for each in plain]
    policy = GoldPolicy(unit)
    first, second = (
        evaluate(annotated, said, policy, resampling=FEW)
        for said in (plain, replace(plain, read=lambda: banded))
    )
    assert second.to_dict() == first.to_dict()
    assert second.coverage == pytest.approx(2 / 3)
    assert second.figures["recall"].value == 1


def judged_claims(example: Example, *labels: str) -> Judgements:
    """What a detector of claims says: each is a part of the first sentence."""
    (sentence, *_) = example.units
    units = [Unit(f"s1.c{n}", "claim", f"claim {n}", (), "s1") for n in range(len(labels))]
    said = tuple(Verdict(unit.id, NLI[name]) for unit, name in zip(units, labels, strict=True))
    judgement = Judgement(example.id, Author("claims"), (sentence, *units), said)
    manifest = Manifest(Author("claims"), unit_kind="claim")
    return Judgements("claims", manifest, lambda: [judgement])


def test_claims_are_folded_into_the_sentence_that_they_are_parts_of(make_annotated: Make) -> None:
    each = make_annotated("a", "fabricated explicitly-supported")
    result = evaluate([each], judged_claims(each.example, "entailment", "neutral"), SENTENCES)
    first, second = result.judged
    assert first.outcome.label == "neutral"
    assert second.outcome.note == "claims says nothing of it"
    assert result.failures == {"missing": 1}


@pytest.mark.parametrize("with_sentence", [False, True])
def test_claims_of_another_sentence_under_the_same_id_are_not_mistaken(
    with_sentence: bool, make_annotated: Make
) -> None:
    each = make_annotated("a", "fabricated explicitly-supported")
    second = each.example.units[1]
    claim = Unit("s1.c1", "claim", "claim", second.spans, "s1")
    units = (replace(second, id="s1"), claim) if with_sentence else (claim,)
    judgement = Judgement("a", Author("x"), units, (Verdict("s1.c1", NLI["entailment"]),))
    said = Judgements("x", Manifest(Author("x"), unit_kind="claim"), lambda: [judgement])
    result = evaluate([each], said, SENTENCES)
    assert result.failures == {"missing": 2}
    assert result.judged[0].outcome.note == "x is about another text"


def test_claims_need_not_cover_the_response(make_annotated: Make) -> None:
    each = make_annotated("a", "explicitly-supported explicitly-supported")
    said = judged_claims(each.example, "entailment")
    assert [one.faithful for one in evaluate([each], said).judged] == [True]


def test_parts_of_what_was_judged_do_not_count_for_the_response(make_annotated: Make) -> None:
    each = make_annotated("a", "explicitly-supported")
    (sentence,) = each.example.units
    claim = Unit("s1.c1", "claim", "claim", (), "s1")
    outcomes = (
        Verdict("s1", GRAY7["explicitly-supported"]),
        Verdict("s1.c1", GRAY7["fabricated"]),
    )
    judgement = Judgement("a", Author("x"), (sentence, claim), outcomes)
    said = Judgements("x", Manifest(Author("x")), lambda: [judgement])
    assert [one.faithful for one in evaluate([each], said).judged] == [True]


def test_another_sentence_under_the_same_id_is_missing_and_not_mistaken(
    make_annotated: Make,
) -> None:
    each = make_annotated("a", "fabricated explicitly-supported")
    first, second = each.example.units
    swapped = replace(each.example, units=(replace(second, id="s1"), replace(first, id="s2")))
    said = predicted([Annotated(swapped)], scores(".1 .9"))
    result = evaluate([each], said, SENTENCES)
    assert result.failures == {"missing": 2}
    assert "is about another text: its s1 reads" in result.judged[0].outcome.note


def test_a_verdict_on_a_response_that_was_shorter_then_is_missing(make_annotated: Make) -> None:
    each = make_annotated("a", "explicitly-supported explicitly-supported")
    before = Unit.response(each.example.units[0].text)
    judgement = Judgement("a", Author("x"), (before,), (Verdict("response", score=1.0),))
    manifest = Manifest(Author("x"), unit_kind="response")
    result = evaluate([each], Judgements("x.json", manifest, lambda: [judgement]))
    assert result.failures == {"missing": 1}
    assert result.judged[0].outcome.note == "x.json is about another text"


def test_ids_that_repeat_are_refused(make_annotated: Make) -> None:
    twice = [make_annotated("a", "fabricated", ".2"), make_annotated("a", "fabricated", ".9")]
    with pytest.raises(InputError, match="1 ids appear twice"):
        on(twice)


def test_predictions_for_examples_that_are_not_there_are_refused(make_annotated: Make) -> None:
    here, gone = make_annotated("a", "fabricated"), make_annotated("b", "fabricated")
    said = predicted([here, gone], scores(".1"))
    with pytest.raises(
        InputError, match=r"file\.json: 1 examples are not in the corpus, first 'b'"
    ):
        evaluate([here], said, SENTENCES)
    other_split = replace(SETTINGS, entries=(entry_of(here), entry_of(gone)))
    assert evaluate_each("d", [here], [said], other_split)[0].coverage == 1


def test_a_reading_that_fits_no_label_is_refused(make_annotated: Make) -> None:
    annotated = [make_annotated("a", "fabricated", ".2")]
    settings = Settings(GoldPolicy("sentence", "corpus", "faithjudge"), resampling=FEW)
    with pytest.raises(InputError, match="the gold labels here are gray7"):
        make_report("d", annotated, [recorded_judgements("j", "d", annotated)], settings)


def test_examples_without_a_gold_label_are_told(make_annotated: Make) -> None:
    labelled = make_annotated("a", "fabricated", ".2")
    bare = Annotated(replace(labelled.example, id="b"))
    said = recorded_judgements("j", "d", [labelled])
    report = make_report("d", [labelled, bare], [said], SETTINGS)
    assert report.reading.endswith("1 of 2 examples have no gold label")


def test_one_run_can_be_shown_under_two_folds(make_annotated: Make) -> None:
    annotated = [make_annotated("a", "fabricated explicitly-supported", ".4 .9")]
    settings = Settings(rules=("worst", "mean"), resampling=FEW)
    said = recorded_judgements("j", "d", annotated)
    worst, mean = evaluate_each("d", annotated, [said], settings)
    assert (worst.detector, mean.detector) == ("j (worst)", "j (mean)")
    assert (worst.judged[0].faithful, mean.judged[0].faithful) == (False, True)


def test_intervals_resample_sources(make_annotated: Make) -> None:
    labels, said = "fabricated explicitly-supported", ".2 .9"
    alone = on([make_annotated(f"{n}", labels, said, source=f"{n}") for n in range(10)])
    together = on([make_annotated(f"{n}", labels, said, source="same") for n in range(10)])
    # Beta(10.5, 0.5) or, with the specificity's half, a little less: 0.78 at 2.5 % at most
    assert 0.6 < (alone.figures["recall"].low or 0) < 0.8
    assert together.figures["recall"].low is None


def test_class_f1_needs_the_same_menu(make_annotated: Make) -> None:
    annotated = [make_annotated("a", "fabricated explicitly-supported", ".1 .9")]
    said = predicted(annotated, labelled("fabricated", "fabricated"))
    result = evaluate(annotated, said, SENTENCES, resampling=FEW)
    assert result.class_f1["fabricated"].value == pytest.approx(2 / 3)
    assert result.class_f1["explicitly-supported"].value == 0
    assert on(annotated).class_f1 == {}


def test_the_reading_is_described_and_the_best_are_marked(make_annotated: Make) -> None:
    labels = "fabricated explicitly-supported"
    annotated = [make_annotated(f"{n}", labels, ".2 .9") for n in range(20)]
    wrong = predicted(annotated, scores(".9 .9"), "wrong.json")
    report = make_report(
        "d", annotated, [recorded_judgements("j", "d", annotated), wrong], SETTINGS
    )
    assert "verigray" in report.reading
    assert "predictions read the same way" in report.reading
    assert report.best == ("j",)
    assert [each.detector for each in report.evaluations] == ["j", "wrong.json"]


def test_nothing_to_evaluate_and_missing_gold_are_told(make_annotated: Make) -> None:
    each = make_annotated("a", "fabricated", ".2")
    with pytest.raises(InputError, match="nothing to evaluate"):
        evaluate_each("d", [each], [], SETTINGS)
    with pytest.raises(InputError, match="d has no gold labels at sentence level"):
        evaluate_each("d", [Annotated(each.example)], [predicted([each], scores("1"))], SETTINGS)


def test_seconds_and_cost_are_those_of_the_predictions(make_annotated: Make) -> None:
    annotated = [make_annotated("a", "fabricated", ".2")]
    said = replace(recorded_judgements("j", "d", annotated), seconds=2.5, cost=0.01)
    result = evaluate(annotated, said, SENTENCES)
    assert (result.seconds, result.cost) == (2.5, 0.01)


def test_equals_are_both_the_best_where_chance_cannot_be_told(make_annotated: Make) -> None:
    annotated = [make_annotated("a", "fabricated explicitly-supported", ".2 .9", source="one")]
    same = predicted(annotated, scores(".2 .9"), "same.json")
    report = make_report("d", annotated, [recorded_judgements("j", "d", annotated), same], SETTINGS)
    assert report.ranks == (1, 1)
    assert report.best == ("j", "same.json")


def test_a_detector_is_given_the_units_of_its_kind_that_have_gold(make_annotated: Make) -> None:
    first = make_annotated("a", "fabricated explicitly-supported")
    bare = Annotated(make_annotated("b", "fabricated").example)
    items = find_items([first, bare], SENTENCES)
    (named,) = examples_to_judge(items, [first, bare], "sentence")
    assert named == first.example
    (own,) = examples_to_judge(items, [first, bare], "claim")
    assert own.units == ()


# Readings: gold and predictions of one taxonomy are read alike.


def whole(number: int, label: str) -> Annotated:
    example = Example(f"{number}", Source("s", id=f"{number}"), Response("It sat."))
    return annotate(example, says(Unit.response("It sat."), FAITHBENCH[label]))


def ternary(annotated: Sequence[Annotated]) -> Judgements:
    """A run that returns exactly the gold."""
    said = [replace(each.gold[0], author=Author("ternary")) for each in annotated]
    manifest = Manifest(Author("ternary"), unit_kind="response", taxonomy="faithbench")
    return Judgements("run:ternary", manifest, lambda: said)


@pytest.mark.parametrize("reading", ["", "faithbench", "faithbench-strict", "faithjudge"])
def test_a_run_that_returns_the_gold_of_faithbench_scores_one(reading: str) -> None:
    labels = ("consistent", "benign", "questionable", "unwanted", "unwanted.intrinsic")
    annotated = [whole(number, label) for number, label in enumerate(labels * 3)]
    policy = GoldPolicy("response", reading=reading)
    result = evaluate(annotated, ternary(annotated), policy, resampling=FEW)
    assert result.figures["balanced accuracy"].value == 1
    assert result.coverage == 1


def test_detectors_of_several_taxonomies_stand_in_one_table_under_a_label_threshold(
    make_annotated: Make,
) -> None:
    annotated = [make_annotated("a", "fabricated explicitly-supported", ".2 .9")]
    gray7 = predicted(annotated, labelled("no-fact", "implicitly-supported"), "gray7.json")
    entailed = {"s1": "neutral", "s2": "entailment"}
    nli = predicted(annotated, lambda unit: Verdict(unit.id, NLI[entailed[unit.id]]), "nli.json")
    scored = recorded_judgements("j", "d", annotated)
    settings = replace(SETTINGS, threshold="implicitly-supported")
    report = make_report("d", annotated, [gray7, nli, scored], settings)
    values = [each.figures["balanced accuracy"].value for each in report.evaluations]
    assert values == [1, 1, 1]
    assert "faithful from implicitly-supported upwards" in report.reading


@pytest.mark.parametrize("threshold", ["implicitly-suported", "fabricated"])
def test_a_label_that_no_prediction_can_have_is_refused_as_threshold(
    threshold: str, make_annotated: Make
) -> None:
    annotated = [make_annotated("a", "fabricated")]
    said = predicted(annotated, lambda unit: Verdict(unit.id, NLI["neutral"]))
    message = f"no prediction can have the threshold '{threshold}': they are labels of nli"
    with pytest.raises(InputError, match=message):
        evaluate(annotated, said, SENTENCES, threshold=threshold)


def test_a_label_threshold_beside_scores_only_is_refused(make_annotated: Make) -> None:
    annotated = [make_annotated("a", "fabricated", ".4")]
    said = recorded_judgements("j", "d", annotated)
    with pytest.raises(InputError, match="they are scores"):
        evaluate(annotated, said, SENTENCES, threshold="fabricated")
