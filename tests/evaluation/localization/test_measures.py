"""Cases, figures by hand arithmetic, and the binarized reading."""

import asyncio
from dataclasses import replace

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Judgement
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.texts import Span
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Failure, Verdict
from assay.evaluation.localization.evaluation import Selected, evaluate_localizer, evaluate_whole
from assay.evaluation.localization.gold import STRICT
from assay.evaluation.localization.inconsistencies import predicted_inconsistencies
from assay.evaluation.localization.matchers import LlmMatcher, OfflineMatcher
from assay.evaluation.localization.matching import Case, Matcher, match_predictions
from assay.evaluation.localization.measures import Localization, measure
from assay.llm.client import Scripted
from assay.metrics import Hits, Resampling
from assay.text.sentences import response_unit, sentence_units
from tests.evaluation.localization.stories import (
    WRECK,
    failed,
    gold,
    judged,
    predictions,
    said,
    unit,
)

COUNTRY = unit("It adds that this was in Vardia.", "Vardia")
CARGO = unit("The wreck held no silver.", "silver")
COAST = unit("The coast is not the southern one.", "southern coast")
ALONE = Resampling(replicates=50)

Pair = tuple[Annotated, Judgement]


def example(name: str, *errors: Unit, source: str = "") -> Annotated:
    wreck = replace(WRECK, id=name, source=replace(WRECK.source, id=source or name))
    return gold(wreck, *errors)


def found(name: str, errors: list[Unit], said: list[Unit], category: str = "") -> Pair:
    """An example with gold errors, and what a localizer said of it."""
    annotated = example(name, *errors)
    return annotated, judged(annotated, said, category=category or "extrinsic-wrong")


def cases(*pairs: Pair, matcher: Matcher | None = None) -> list[Case]:
    corpus = [annotated for annotated, _ in pairs]
    given = predictions(*(judgement for _, judgement in pairs))
    return asyncio.run(match_predictions(corpus, given, matcher or OfflineMatcher()))


def measured(*pairs: Pair) -> Localization:
    return measure("j", "offline", cases(*pairs), ALONE)


def test_errors_are_added_up_before_they_are_divided() -> None:
    one = found("1", [COUNTRY, CARGO], [COUNTRY])  # 1 found, 1 predicted, 2 gold
    two = found("2", [COAST], [COAST, CARGO, COUNTRY])  # 1 found, 3 predicted, 1 gold
    three = found("3", [], [])  # nothing at all
    told = measured(one, two, three)
    assert told.hits == Hits(found=2, predicted=4, gold=3)
    # 2/4, 2/3 and 2 x 2 / (4 + 3).
    assert told.figures["precision"].value == pytest.approx(1 / 2)
    assert told.figures["recall"].value == pytest.approx(2 / 3)
    assert told.figures["F1"].value == pytest.approx(4 / 7)
    assert {estimate.n for estimate in told.figures.values()} == {3}
    assert told.coverage == 1.0


def test_interval_resamples_sources_and_not_examples() -> None:
    annotated = [example(str(n), COUNTRY, source="s") for n in range(4)]
    same = [(each, judged(each, [COUNTRY])) for each in annotated]
    assert measured(*same).figures["recall"].low is None
    other = example("other", CARGO, source="t")
    recall = measured(*same, (other, judged(other, []))).figures["recall"]
    assert recall.value == 4 / 5
    # Four of five items would be 0.38 to 0.96 by Wilson; two sources say less.
    assert (recall.low or 0) < 0.2
    assert (recall.high or 0) > 0.95


def test_error_that_is_found_twice_counts_once() -> None:
    again = unit("This was never in Vardia.", "in Vardia")
    told = measured(found("1", [COUNTRY], [COUNTRY, again]))
    assert told.hits == Hits(found=1, predicted=2, gold=1)


def test_failures_of_the_detector_are_counted_beside_the_figures() -> None:
    two, three = example("2", CARGO), example("3")
    told = measured(
        found("1", [COUNTRY], [COUNTRY]), (two, failed(two)), (three, failed(three, "refused"))
    )
    assert told.coverage == pytest.approx(1 / 3)
    assert told.failures == {"parse": 1, "refused": 1}
    assert told.hits == Hits(1, 1, 1)
    assert told.matcher_failures == {}


def test_example_that_the_predictions_say_nothing_of_is_a_failure() -> None:
    corpus = [example("1", COUNTRY), example("2", COUNTRY)]
    given = predictions(judged(corpus[0], [COUNTRY]))
    told = asyncio.run(match_predictions(corpus, given, OfflineMatcher()))
    assert [each.failure and each.failure.reason for each in told] == [None, "missing"]


def test_failures_of_the_matcher_are_counted_apart() -> None:
    pairs = [found(str(n), [COUNTRY], [COUNTRY]) for n in range(2)]
    right = '{"A": "A"}'
    matcher = LlmMatcher(Scripted([right, "?", "?"]))
    told = measure("j", matcher.name, cases(*pairs, matcher=matcher), ALONE)
    assert told.coverage == pytest.approx(1 / 2)
    assert (told.failures, told.matcher_failures) == ({}, {"parse": 1})
    assert told.hits == Hits(1, 1, 1)


def test_nothing_measured_is_undefined_and_no_crash() -> None:
    lost = example("1", COUNTRY)
    told = measured((lost, failed(lost)))
    assert told.coverage == 0.0
    assert [estimate.value for estimate in told.figures.values()] == [None, None, None]
    assert measured().coverage is None


def test_recall_is_told_by_kind_and_precision_by_category() -> None:
    one = found("1", [COUNTRY, CARGO], [COUNTRY, COAST], "extrinsic-wrong")
    two = found("2", [COAST], [COAST], "intrinsic-alteration")
    told = measured(one, two)
    # Gold: three alterations, labelled unfaithful, of which two are found.
    assert told.by_kind["intrinsic-alteration"].value == pytest.approx(2 / 3)
    assert told.by_kind["intrinsic-alteration"].n == 3
    assert told.by_kind["unfaithful"].value == pytest.approx(2 / 3)
    assert told.by_category["extrinsic-wrong"].value == pytest.approx(1 / 2)
    assert told.by_category["intrinsic-alteration"].value == 1.0
    assert set(told.by_category) == {"extrinsic-wrong", "intrinsic-alteration"}


def test_repetition_is_not_right_in_its_category_either() -> None:
    again = unit("This was never in Vardia.", "in Vardia")
    told = measured(found("1", [COUNTRY], [COUNTRY, again]))
    assert told.by_category["extrinsic-wrong"].value == pytest.approx(1 / 2)


def test_case_knows_what_was_missed_and_what_was_made_up() -> None:
    (case,) = cases(found("1", [COUNTRY, CARGO], [COAST, CARGO]))
    assert [each.description for each in case.missed] == [COUNTRY.text]
    assert [each.description for each in case.unmatched] == [COAST.text]
    lost = example("1", COUNTRY)
    (broken,) = cases((lost, failed(lost)))
    assert (broken.missed, broken.unmatched, broken.hits) == ((), (), None)


def test_parts_without_a_verdict_are_counted_where_the_response_is_measured() -> None:
    annotated = example("1", COUNTRY)
    lost = Unit("c1", "claim", "It rained."), Failure("c1", "parse")
    told = measured((annotated, judged(annotated, [COUNTRY], lost)))
    assert (told.unchecked, told.coverage) == (1, 1.0)


# What a judgement says is wrong.

(SENTENCE,) = sentence_units(WRECK)


def test_unfaithful_sentences_stand_in_where_nothing_is_described() -> None:
    judgement = said(WRECK, [SENTENCE], [Verdict("s1", GRAY7["fabricated"])])
    (told,) = predicted_inconsistencies(judgement)  # type: ignore[misc]
    assert told.is_made
    assert told.unit.spans == SENTENCE.spans
    nothing = said(WRECK, [SENTENCE], [Verdict("s1", GRAY7["no-fact"])])
    assert predicted_inconsistencies(nothing) == ()


def test_wrong_part_of_a_sentence_counts_instead_of_the_sentence() -> None:
    place = Span.cut(WRECK.response.text, 0, 6, "response")
    claim = Unit("s1.c1", "claim", "It sank.", (place,), parent="s1")
    wrong, right = GRAY7["fabricated"], GRAY7["explicitly-supported"]
    for label, spans in ((wrong, claim.spans), (right, SENTENCE.spans)):
        verdicts = [Verdict("s1", wrong), Verdict("s1.c1", label)]
        (told,) = predicted_inconsistencies(  # type: ignore[misc]
            said(WRECK, [SENTENCE, claim], verdicts)
        )
        assert told.unit.spans == spans


def test_detector_of_sentences_that_fails_in_part_has_found_nothing_for_sure() -> None:
    text = WRECK.response.text
    units = [
        Unit.at("sentence", Span.cut(text, 0, 6, "response"), "s1"),
        Unit.at("sentence", Span.cut(text, 7, 20, "response"), "s2"),
    ]
    lost = Failure("s2", "language", "it is Danish")
    bad = said(WRECK, units, [Verdict("s1", GRAY7["fabricated"]), lost])
    good = said(WRECK, units, [Verdict("s1", GRAY7["explicitly-supported"]), lost])
    assert isinstance(predicted_inconsistencies(bad), tuple)
    failure = predicted_inconsistencies(good)
    assert isinstance(failure, Failure)
    assert (failure.reason, failure.detail) == ("language", "it is Danish")


def test_detector_that_says_only_that_something_is_wrong_is_refused() -> None:
    verdict = Verdict(RESPONSE, BINARY["unfaithful"])
    with pytest.raises(InputError, match="not what is wrong with it"):
        predicted_inconsistencies(said(WRECK, [response_unit(WRECK)], [verdict]))


# The binarized reading.


def test_at_least_one_inconsistency_makes_the_response_unfaithful() -> None:
    pairs = [
        found("1", [COUNTRY], [COAST]),
        found("2", [CARGO], []),
        found("3", [], []),
        found("4", [], [COUNTRY]),
    ]
    corpus = [annotated for annotated, _ in pairs]
    given = predictions(*(judgement for _, judgement in pairs))
    evaluation = evaluate_whole(corpus, given, ALONE, STRICT)
    # Gold: two unfaithful, of which one is called so; two faithful, of which one is called so.
    assert evaluation.figures["balanced accuracy"].value == pytest.approx(1 / 2)
    assert evaluation.figures["F1"].value == pytest.approx(1 / 2)
    assert (evaluation.n, evaluation.coverage) == (4, 1.0)


def test_response_without_a_verdict_lowers_the_coverage_of_the_binarized_reading() -> None:
    corpus = [example("1", COUNTRY), example("2")]
    given = predictions(failed(corpus[0]), judged(corpus[1], []))
    evaluation = evaluate_whole(corpus, given, ALONE, STRICT)
    assert (evaluation.coverage, evaluation.failures) == (1 / 2, {"parse": 1})


def test_report_has_the_errors_found_and_the_verdicts_of_both_detectors() -> None:
    pairs = [found("1", [COUNTRY], [COUNTRY]), found("2", [], [])]
    corpus = tuple(annotated for annotated, _ in pairs)
    given = predictions(*(judgement for _, judgement in pairs), detector="a")
    others = predictions(judged(corpus[0], []), failed(corpus[1]), detector="b")
    selected = Selected(corpus, unknown=3, outside=4)
    report = asyncio.run(evaluate_localizer("d", selected, given, OfflineMatcher(), binary=others))
    assert report.localization.hits == Hits(1, 1, 1)
    assert (report.localization.detector, report.binarized.detector) == ("run:a", "run:a")
    assert report.binary is not None
    assert report.binary.failures == {"parse": 1}
    assert (report.unknown, report.outside, report.is_complete) == (3, 4, False)
