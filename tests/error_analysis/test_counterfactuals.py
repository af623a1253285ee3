"""True additions made false: what is asked again, what counts as found, and hand arithmetic."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pytest

from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement
from assay.core.taxonomies import BINARY, FINAL4, GRAY7
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Failure, Verdict
from assay.detectors.protocol import Capabilities
from assay.error_analysis.counterfactuals import Counterfactual, try_counterfactuals
from assay.error_analysis.targets import (
    Finder,
    Target,
    described_targets,
    labelled_targets,
    noticed,
)
from assay.evaluation.localization.inconsistencies import Inconsistency
from assay.evaluation.localization.matchers import OfflineMatcher
from assay.evaluation.localization.matching import match_predictions
from assay.llm.client import CallError, ModelClient, Scripted
from assay.text.sentences import response_unit, sentence_units
from tests.error_analysis.cases import CARGO, PLACE, gold_of, missed, proposed, unexplained
from tests.evaluation.localization import stories
from tests.evaluation.localization.stories import JUDGE, WRECK, judged, predictions, unit

MATCHER = OfflineMatcher()
TRUE = FINAL4["extrinsic-correct"]


@dataclass(frozen=True)
class Notices:
    """Finds the words that it is told to look for, and nothing else; last examples come first."""

    words: tuple[str, ...]
    author = JUDGE
    capabilities = Capabilities("response", BINARY, finds_units=True)
    prompt_digests: Mapping[str, str] = ()  # type: ignore[assignment]

    async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        for example in reversed(list(examples)):
            text = example.response.text
            found = [word for word in self.words if word in text]
            yield judged(example, [unit(f"It says {word}.", word, response=text) for word in found])


def targets(*found: bool | None) -> list[Target]:
    error, other = Inconsistency(PLACE, TRUE), Inconsistency(CARGO)
    return [Target(WRECK, error, (other,), each) for each in found]


def proposing(*given: str) -> ModelClient:
    return Scripted(lambda _: json.dumps({"alternatives": given}))


def tried(given: Sequence[Target], client: ModelClient, *noticed: str) -> Counterfactual:
    """The test with a detector that notices these words."""
    finder = Finder("error", MATCHER)
    return asyncio.run(try_counterfactuals(given, client, Notices(noticed), finder))


def test_false_words_that_are_noticed_count_as_found() -> None:
    found = tried(targets(False, False, True), proposing("in Nordia"), "Nordia")
    # 1 of 3 was found while it was true; all 3 once it is false, and so the 2 that were missed.
    assert found.before.value == pytest.approx(1 / 3)
    assert found.before.n == found.after.n == 3
    assert (found.after.value, found.after_missed.value, found.after_missed.n) == (1.0, 1.0, 2)
    trial = found.trials[0]
    text = WRECK.response.text
    assert trial.changed.response.text == text.replace("in Vardia", "in Nordia")
    assert trial.changed.id != WRECK.id
    assert (trial.target.found, trial.found) == (False, True)


def test_words_that_a_person_chose_are_put_in_and_no_model_is_asked() -> None:
    client = Scripted(())
    (target,) = targets(False)
    found = tried([replace(target, words=("in Nordia",))], client, "Nordia")
    (trial,) = found.trials
    assert (trial.found, trial.to_dict()["words_by"], client.requests) == (True, "people", [])
    assert "Guards in Nordia have" in trial.changed.response.text


def test_prediction_about_another_error_does_not_count() -> None:
    found = tried(targets(False), proposing("in the Far East"), "silver")
    assert (found.after.value, found.after.n) == (0.0, 1)


def test_changed_example_carries_its_errors_at_their_new_places() -> None:
    (trial,) = tried(targets(False), proposing("in the Far East")).trials
    errors = (trial.error, *trial.others)
    assert [error.unit.spans[0].text for error in errors] == ["in the Far East", "silver"]
    assert trial.error.category == FINAL4["extrinsic-wrong"]
    for span in (span for error in errors for span in error.unit.spans):
        assert span.verify(trial.changed.response.text) == span


def test_what_has_no_place_or_no_new_words_is_counted() -> None:
    unplaced = Inconsistency(Unit("i1", "inconsistency", "x"), TRUE)
    nowhere = replace(targets(False)[0], error=unplaced)
    client = Scripted(lambda _: CallError("refused", "no"))
    found = tried([*targets(False), nowhere], client)
    assert (found.targets, found.unplaced, found.proposal_failures) == (2, 1, {"refused": 1})
    assert (found.after.value, found.after.n) == (None, 0)


def test_what_was_not_judged_both_times_is_left_out_of_all_figures() -> None:
    found = tried(targets(None, True), proposing("in Nordia"), "Nordia")
    assert (found.before.n, found.after.n, found.unjudged) == (1, 1, 1)


def test_different_words_for_the_same_place_are_trials_of_their_own() -> None:
    words = iter(["in Nordia", "in Sudia"])
    client = Scripted(lambda _: json.dumps({"alternatives": [next(words)]}))
    one, other = tried(targets(False, False), client, "Sudia").trials
    assert one.changed.id != other.changed.id
    assert (one.found, other.found) == (False, True)


def test_errors_are_targets_by_the_gold_or_as_they_were_explained() -> None:
    annotated = gold_of((PLACE, "extrinsic-correct"), (CARGO, ""))
    given = predictions(judged(annotated, [PLACE]))
    cases = asyncio.run(match_predictions([annotated], given, MATCHER))
    (only,) = described_targets(cases, [])
    assert (only.error.description, only.found) == (PLACE.text, True)
    assert [each.description for each in only.others] == [CARGO.text]
    (explained,) = unexplained([missed(CARGO)])
    explained = replace(explained, proposal=proposed("extrinsic-correct"))
    both = described_targets(cases, [explained])
    assert [(each.error.description, each.found) for each in both] == [
        (PLACE.text, True),
        (CARGO.text, False),
    ]


def said(example: Example, label: str | None) -> Judgement:
    (sentence,) = sentence_units(example)
    outcome = Verdict("s1", GRAY7[label]) if label else Failure("s1", "parse")
    return stories.said(example, [sentence], [outcome])


@pytest.mark.parametrize(
    ("label", "found"), [("fabricated", True), ("explicitly-supported", False), (None, None)]
)
def test_sentence_counts_by_its_label(label: str | None, found: bool | None) -> None:
    assert noticed(said(WRECK, label), Inconsistency(PLACE), "sentence") is found


def test_response_counts_by_its_label() -> None:
    verdict = Verdict(RESPONSE, BINARY["unfaithful"])
    judgement = stories.said(WRECK, [response_unit(WRECK)], [verdict])
    assert noticed(judgement, Inconsistency(PLACE), "response") is True


def test_targets_of_sentence_detectors_are_those_that_the_gold_calls_true() -> None:
    annotated = gold_of((PLACE, "extrinsic-correct"), (CARGO, "extrinsic-wrong"))
    plain = Annotated(replace(WRECK, id="plain"))
    given = predictions(*(said(each.example, "fabricated") for each in (annotated, plain)))
    (target,) = labelled_targets([annotated, plain], given, "sentence")
    assert (target.error.description, target.found) == (PLACE.text, True)


def test_of_a_sentence_detector_only_the_sentences_count() -> None:
    judgement = said(WRECK, "explicitly-supported")
    both = replace(
        judgement,
        units=(*judgement.units, response_unit(WRECK)),
        outcomes=(*judgement.outcomes, Verdict(RESPONSE, GRAY7["fabricated"])),
    )
    assert noticed(both, Inconsistency(PLACE), "sentence") is False


def test_places_that_overlap_are_replaced_as_one() -> None:
    spans = (*unit("", "Vardia").spans, *PLACE.spans, *unit("", "Guards").spans)
    error = Inconsistency(replace(PLACE, spans=spans), TRUE)
    found = tried([Target(WRECK, error, (), False)], proposing("Wardens", "in Nordia"))
    text = WRECK.response.text.replace("Guards in Vardia", "Wardens in Nordia")
    assert found.unplaced == 0
    assert found.trials[0].changed.response.text == text
