"""True additions made false: what is asked again, what counts as found, and hand arithmetic."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import pytest

from assay.core.examples import Example, Judgement
from assay.core.taxonomies import BINARY, FINAL4, GRAY7
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Failure, Verdict
from assay.detectors.units import response_unit, sentence_units
from assay.evaluate.errors.alternatives import Proposer
from assay.evaluate.errors.counterfactuals import Target, try_counterfactuals
from assay.evaluate.errors.explaining import from_gold
from assay.evaluate.errors.explanations import Proposal
from assay.evaluate.errors.finding import Finder
from assay.evaluate.errors.targets import choose_targets, described_targets, labelled_targets
from assay.evaluate.localization.cases import make_cases
from assay.evaluate.localization.gold import gold_inconsistencies
from assay.evaluate.localization.inconsistencies import Inconsistency
from assay.evaluate.localization.offline import OfflineMatcher
from assay.llm.client import CallError, Request
from assay.llm.scripted import Line, Scripted
from tests.evaluate.errors.cases import CARGO, PLACE, gold_of, missed
from tests.evaluate.localization.stories import WRECK, judged, unit

MATCHER = OfflineMatcher()
TRUE = FINAL4["extrinsic-correct"]


@dataclass(frozen=True)
class Notices:
    """Finds the words that it is told to look for, and nothing else."""

    words: tuple[str, ...]
    unit_kind: UnitKind = "response"
    name: str = "notices"
    taxonomy = BINARY

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        for example in examples:
            text = example.response.text
            found = [word for word in self.words if word in text]
            yield judged(example, [unit(f"It says {word}.", word, response=text) for word in found])


def targets(*found: bool | None) -> list[Target]:
    error, other = Inconsistency(PLACE, TRUE), Inconsistency(CARGO)
    return [Target(WRECK, error, (other,), each) for each in found]


def proposing(*given: str) -> Proposer:
    return Proposer(Scripted(lambda _: json.dumps({"alternatives": given})))


def test_false_words_that_are_noticed_count_as_found() -> None:
    found = try_counterfactuals(
        targets(False, False, True),
        proposing("in Nordia"),
        Notices(("Nordia",)),
        Finder("error", MATCHER),
    )
    # 1 of 3 was found while it was true; all 3 once it is false, and so the 2 that were missed.
    assert found.before.value == pytest.approx(1 / 3)
    assert found.before.n == found.after.n == 3
    assert (found.after.value, found.after_missed.value, found.after_missed.n) == (1.0, 1.0, 2)
    trial = found.trials[0]
    text = WRECK.response.text
    assert trial.changed.response.text == text.replace("in Vardia", "in Nordia")
    assert trial.changed.id != WRECK.id
    assert (trial.target.found, trial.found) == (False, True)


def test_prediction_about_another_error_does_not_count() -> None:
    found = try_counterfactuals(
        targets(False), proposing("in the Far East"), Notices(("silver",)), Finder("error", MATCHER)
    )
    assert (found.after.value, found.after.n) == (0.0, 1)


def test_changed_example_carries_its_errors_at_their_new_places() -> None:
    found = try_counterfactuals(
        targets(False), proposing("in the Far East"), Notices(()), Finder("error", MATCHER)
    )
    gold = gold_inconsistencies(found.trials[0].changed)
    assert gold is not None
    assert [error.unit.spans[0].text for error in gold] == ["in the Far East", "silver"]
    assert gold[0].category == FINAL4["extrinsic-wrong"]


def test_what_has_no_place_or_no_new_words_is_counted() -> None:
    def script(request: Request) -> Line:
        return CallError("refused", "no")

    nowhere = replace(targets(False)[0], error=Inconsistency(Unit("inconsistency", "x"), TRUE))
    found = try_counterfactuals(
        [*targets(False), nowhere],
        Proposer(Scripted(script)),
        Notices(()),
        Finder("error", MATCHER),
    )
    assert (found.targets, found.unplaced, found.proposal_failures) == (2, 1, {"refused": 1})
    assert (found.after.value, found.after.n) == (None, 0)


def test_what_was_not_judged_both_times_is_left_out_of_all_figures() -> None:
    found = try_counterfactuals(
        targets(None, True), proposing("in Nordia"), Notices(("Nordia",)), Finder("error", MATCHER)
    )
    assert (found.before.n, found.after.n, found.unjudged) == (1, 1, 1)


def test_errors_are_targets_by_the_gold_or_as_they_were_explained() -> None:
    example = gold_of((PLACE, "extrinsic-correct"), (CARGO, ""))
    cases = make_cases([judged(example, [PLACE])], MATCHER)
    (only,) = described_targets(cases, [])
    assert (only.error.unit, only.found, only.others[0].unit) == (PLACE, True, CARGO)
    item = replace(missed(CARGO), example=example)
    explained = replace(from_gold([item])[0], proposal=Proposal(TRUE, "m"))
    both = described_targets(cases, [explained])
    assert [(t.error.unit, t.found) for t in both] == [(PLACE, True), (CARGO, False)]


def said(example: Example, label: str | None) -> Judgement:
    (sentence,) = sentence_units(example)
    outcome = Verdict(sentence, GRAY7[label]) if label else Failure(sentence, "parse")
    return Judgement(example, (outcome,), 1)


@pytest.mark.parametrize(
    ("label", "found"), [("fabricated", True), ("explicitly-supported", False), (None, None)]
)
def test_sentence_counts_by_its_label(label: str | None, found: bool | None) -> None:
    finder = Finder("sentence", MATCHER)
    assert finder.find_all([(said(WRECK, label), Inconsistency(PLACE), ())]) == [found]


def test_response_counts_by_its_label() -> None:
    finder = Finder("response", MATCHER)
    verdict = Verdict(response_unit(WRECK), BINARY["unfaithful"])
    judgement = Judgement(WRECK, (verdict,), 1)
    assert finder.find_all([(judgement, Inconsistency(PLACE), ())]) == [True]


def test_targets_of_sentence_judges_are_those_that_the_gold_calls_true() -> None:
    example = gold_of((PLACE, "extrinsic-correct"), (CARGO, "extrinsic-wrong"))
    plain = replace(WRECK, id="plain")
    judgements = [said(each, "fabricated") for each in (example, plain)]
    (target,) = labelled_targets(judgements, Finder("sentence", MATCHER))
    assert (target.error.unit, target.found) == (PLACE, True)


def test_of_a_sentence_judge_only_the_sentences_count() -> None:
    whole = Verdict(response_unit(WRECK), GRAY7["fabricated"])
    judgement = said(WRECK, "explicitly-supported")
    both = replace(judgement, outcomes=(*judgement.outcomes, whole))
    finder = Finder("sentence", MATCHER)
    assert finder.find_all([(both, Inconsistency(PLACE), ())]) == [False]


def test_places_that_overlap_are_replaced_as_one() -> None:
    spans = (*unit("", "Vardia").spans, *PLACE.spans, *unit("", "Guards").spans)
    error = Inconsistency(replace(PLACE, spans=spans), TRUE)
    found = try_counterfactuals(
        [Target(WRECK, error, (), False)],
        proposing("Wardens", "in Nordia"),
        Notices(()),
        Finder("error", MATCHER),
    )
    text = WRECK.response.text.replace("Guards in Vardia", "Wardens in Nordia")
    assert found.unplaced == 0
    assert found.trials[0].changed.response.text == text


def test_sample_of_targets_is_chosen_by_seed() -> None:
    many = targets(*[False] * 9)
    assert len(choose_targets(many, 4, 0)) == 4
    assert choose_targets(many, None, 0) == many
