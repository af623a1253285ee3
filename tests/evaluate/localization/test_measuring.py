"""Cases, figures by hand arithmetic, and the binarized reading."""

from dataclasses import replace

import pytest

from assay.core.errors import InputError
from assay.core.examples import Example, Judgement
from assay.core.spans import Span
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from assay.detectors.units import response_unit, sentence_units
from assay.evaluate.localization.cases import Case, known_examples, make_cases
from assay.evaluate.localization.evaluation import binarized
from assay.evaluate.localization.hearing import Heard
from assay.evaluate.localization.inconsistencies import localized
from assay.evaluate.localization.llm_matcher import LlmMatcher
from assay.evaluate.localization.measuring import Localization, measure
from assay.evaluate.localization.offline import OfflineMatcher
from assay.llm.scripted import Scripted
from assay.metrics import Hits, Resampling
from tests.evaluate.localization.stories import WRECK, failed, gold, judged, unit

COUNTRY = unit("It adds that this was in Vardia.", "Vardia")
CARGO = unit("The wreck held no silver.", "silver")
COAST = unit("The coast is not the southern one.", "southern coast")
ALONE = Resampling(replicates=50)


def example(name: str, *errors: Unit, source: str = "") -> Example:
    wreck = gold(replace(WRECK, id=name), *errors)
    return replace(wreck, source=replace(wreck.source, id=source or name))


def cases(*judgements: Judgement) -> list[Case]:
    return make_cases(judgements, OfflineMatcher())


def measured(*judgements: Judgement) -> Localization:
    return measure("j", "offline", cases(*judgements), ALONE)


def test_errors_are_added_up_before_they_are_divided() -> None:
    one = judged(example("1", COUNTRY, CARGO), [COUNTRY])  # 1 found, 1 predicted, 2 gold
    two = judged(example("2", COAST), [COAST, CARGO, COUNTRY])  # 1 found, 3 predicted, 1 gold
    three = judged(example("3"), [])  # nothing at all
    found = measured(one, two, three)
    assert found.hits == Hits(found=2, predicted=4, gold=3)
    # 2/4, 2/3 and 2 x 2 / (4 + 3).
    assert found.figures["precision"].value == pytest.approx(1 / 2)
    assert found.figures["recall"].value == pytest.approx(2 / 3)
    assert found.figures["F1"].value == pytest.approx(4 / 7)
    assert {estimate.n for estimate in found.figures.values()} == {3}
    assert found.coverage == 1.0


def test_interval_resamples_sources_and_not_examples() -> None:
    same = [judged(example(str(n), COUNTRY, source="s"), [COUNTRY]) for n in range(4)]
    assert measured(*same).figures["recall"].low is None
    other = judged(example("other", CARGO, source="t"), [])
    recall = measured(*same, other).figures["recall"]
    assert (recall.value, recall.low, recall.high) == (4 / 5, 0.0, 1.0)


def test_error_that_is_found_twice_counts_once() -> None:
    again = unit("This was never in Vardia.", "in Vardia")
    found = measured(judged(example("1", COUNTRY), [COUNTRY, again]))
    assert found.hits == Hits(found=1, predicted=2, gold=1)


def test_failures_of_the_judge_are_counted_beside_the_figures() -> None:
    good = judged(example("1", COUNTRY), [COUNTRY])
    found = measured(good, failed(example("2", CARGO)), failed(example("3"), "refused"))
    assert found.coverage == pytest.approx(1 / 3)
    assert found.failures == {"parse": 1, "refused": 1}
    assert found.hits == Hits(1, 1, 1)
    assert found.matcher_failures == {}


def test_failures_of_the_matcher_are_counted_apart() -> None:
    judgements = [judged(example(str(n), COUNTRY), [COUNTRY]) for n in range(2)]
    right = '{"matches": [{"predicted": "A", "detail": "Vardia", "gold": "A"}]}'
    matcher = LlmMatcher(Scripted([right, "?", "?"]))
    found = measure("j", matcher.name, make_cases(judgements, matcher), ALONE)
    assert found.coverage == pytest.approx(1 / 2)
    assert (found.failures, found.matcher_failures) == ({}, {"parse": 1})
    assert found.hits == Hits(1, 1, 1)


def test_nothing_measured_is_undefined_and_no_crash() -> None:
    found = measured(failed(example("1", COUNTRY)))
    assert found.coverage == 0.0
    assert [estimate.value for estimate in found.figures.values()] == [None, None, None]
    assert measured().coverage is None


def test_recall_is_told_by_kind_and_precision_by_category() -> None:
    one = judged(example("1", COUNTRY, CARGO), [COUNTRY, COAST], category="extrinsic-wrong")
    two = judged(example("2", COAST), [COAST], category="intrinsic-alteration")
    found = measured(one, two)
    # Gold: three alterations, labelled unfaithful, of which two are found.
    assert found.by_kind["intrinsic-alteration"].value == pytest.approx(2 / 3)
    assert found.by_kind["intrinsic-alteration"].n == 3
    assert found.by_kind["unfaithful"].value == pytest.approx(2 / 3)
    assert found.by_category["extrinsic-wrong"].value == pytest.approx(1 / 2)
    assert found.by_category["intrinsic-alteration"].value == 1.0
    assert set(found.by_category) == {"extrinsic-wrong", "intrinsic-alteration"}


def test_repetition_is_not_right_in_its_category_either() -> None:
    again = unit("This was never in Vardia.", "in Vardia")
    found = measured(judged(example("1", COUNTRY), [COUNTRY, again]))
    assert found.by_category["extrinsic-wrong"].value == pytest.approx(1 / 2)


def test_case_knows_what_was_missed_and_what_was_made_up() -> None:
    (case,) = cases(judged(example("1", COUNTRY, CARGO), [COAST, CARGO]))
    assert [each.unit for each in case.missed] == [COUNTRY]
    assert [each.unit for each in case.unmatched] == [COAST]
    (broken,) = cases(failed(example("1", COUNTRY)))
    assert (broken.missed, broken.unmatched, broken.hits) == ((), (), None)


def test_parts_without_a_verdict_are_counted_where_the_response_is_measured() -> None:
    lost = Failure(Unit("claim", "It rained."), "parse")
    found = measured(judged(example("1", COUNTRY), [COUNTRY], lost))
    assert (found.unchecked, found.coverage) == (1, 1.0)


# What a judgement says is wrong.


def test_unfaithful_sentences_stand_in_where_nothing_is_described() -> None:
    (sentence,) = sentence_units(WRECK)
    judgement = Judgement(WRECK, (Verdict(sentence, GRAY7["fabricated"]),), 1)
    (found,) = localized(judgement)  # type: ignore[misc]
    assert found.is_made
    assert found.unit.spans == sentence.spans
    assert localized(Judgement(WRECK, (Verdict(sentence, GRAY7["no-fact"]),), 1)) == ()


def test_wrong_part_of_a_sentence_counts_in_the_place_of_the_sentence() -> None:
    (sentence,) = sentence_units(WRECK)
    claim = Unit("claim", "It sank.", (Span.cut(WRECK.response.text, 0, 6, "response"),))
    wrong = GRAY7["fabricated"]
    judgement = Judgement(WRECK, (Verdict(sentence, wrong), Verdict(claim, wrong)), 1)
    (found,) = localized(judgement)  # type: ignore[misc]
    assert found.unit.spans == claim.spans
    right = Verdict(claim, GRAY7["explicitly-supported"])
    (found,) = localized(Judgement(WRECK, (Verdict(sentence, wrong), right), 1))  # type: ignore[misc]
    assert found.unit.spans == sentence.spans


def test_judge_of_sentences_that_fails_in_part_has_found_nothing_for_sure() -> None:
    whole = response_unit(WRECK).spans[0]
    first = Unit.at("sentence", Span.cut(whole.text, 0, 6, "response"))
    second = Unit.at("sentence", Span.cut(whole.text, 7, 20, "response"))
    bad = Verdict(first, GRAY7["fabricated"])
    lost = Failure(second, "language", "it is Danish")
    good = Verdict(first, GRAY7["explicitly-supported"])
    assert isinstance(localized(Judgement(WRECK, (bad, lost), 1)), tuple)
    failure = localized(Judgement(WRECK, (good, lost), 1))
    assert isinstance(failure, Failure)
    assert (failure.reason, failure.detail) == ("language", "it is Danish")


def test_judge_that_says_only_that_something_is_wrong_is_refused() -> None:
    verdict = Verdict(response_unit(WRECK), BINARY["unfaithful"])
    with pytest.raises(InputError, match="not what is wrong with it"):
        localized(Judgement(WRECK, (verdict,), 1))


# The examples.


def test_examples_of_which_nothing_is_known_are_left_out_and_a_corpus_without_any_is_refused() -> (
    None
):
    unknown = replace(WRECK, gold=(Verdict(response_unit(WRECK), BINARY["unfaithful"]),))
    known = example("1", COUNTRY)
    assert known_examples("d", [unknown, known, example("2")]) == [known, example("2")]
    with pytest.raises(InputError, match="nobody wrote down"):
        known_examples("d", [unknown, example("2")])


# The binarized reading.


def test_at_least_one_inconsistency_makes_the_response_unfaithful() -> None:
    examples = [example("1", COUNTRY), example("2", CARGO), example("3"), example("4")]
    said: list[list[Unit]] = [[COAST], [], [], [COUNTRY]]
    judgements = tuple(judged(one, found) for one, found in zip(examples, said, strict=True))
    evaluation = binarized(Heard("j", "response", BINARY, judgements), examples, ALONE)
    # Gold: two unfaithful, of which one is called so; two faithful, of which one is called so.
    assert evaluation.figures["balanced accuracy"].value == pytest.approx(1 / 2)
    assert evaluation.figures["F1"].value == pytest.approx(1 / 2)
    assert (evaluation.n, evaluation.coverage) == (4, 1.0)


def test_response_without_a_verdict_lowers_the_coverage_of_the_binarized_reading() -> None:
    examples = [example("1", COUNTRY), example("2")]
    judgements = (failed(examples[0]), judged(examples[1], []))
    evaluation = binarized(Heard("j", "response", BINARY, judgements), examples, ALONE)
    assert (evaluation.coverage, evaluation.failures) == (1 / 2, {"parse": 1})
