"""From logits to scores, and from scores to what is faithful, unfaithful or not sure."""

import json
from pathlib import Path
from typing import Self

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.core.results import Result
from assay.core.verdicts import NOT_SURE
from assay.detectors.combinators.cascade import cascade
from assay.detectors.combinators.consultation import consult
from assay.detectors.combinators.vote import vote
from assay.detectors.discourse.offline import OfflineDiscourse
from assay.detectors.embedded.calibration import Calibration, log_odds, margin
from assay.detectors.embedded.detector import EmbeddedDetector
from assay.detectors.local import FittedCalibration, LocalOptions
from assay.detectors.overlap import OverlapDetector
from assay.knowledge.sources import KnowledgePassage
from tests.detectors.checking import check_with, only_verdict
from tests.detectors.embedded.conftest import TinyModel

SOURCE = "The harbour of Otranto opened in 1986."
EVERYTHING = (0.0, 1.0)


def detector(folder: Path, unsure: tuple[float, float] = EVERYTHING) -> EmbeddedDetector:
    version = EmbeddedDetector(str(folder)).author.version
    made = FittedCalibration("embedded", version, Calibration(1.0, 0.0, 0.5, unsure))
    return EmbeddedDetector(str(folder), LocalOptions(calibration=made))


def judge(folder: Path, response: str, unsure: tuple[float, float] = EVERYTHING) -> Result:
    return check_with(detector(folder, unsure), SOURCE, response)


def test_an_older_card_has_the_usual_threshold_and_no_band() -> None:
    made = Calibration.read({"scale": 0.4, "shift": 0.1})
    assert made == Calibration(0.4, 0.1, 0.5, (0.5, 0.5))
    assert not any(made.is_unsure(score / 100) for score in range(101))


def test_card_with_a_threshold_alone_has_no_band() -> None:
    made = Calibration.read({"scale": 1, "shift": 0, "threshold": 0.3})
    assert (made.threshold, made.unsure) == (0.3, (0.3, 0.3))
    assert Calibration.read(made.card()) == made


@pytest.mark.parametrize("unsure", [(0.6, 0.7), (0.2, 0.4), (-0.1, 0.6), (0.4, 1.1)])
def test_band_holds_the_threshold(unsure: tuple[float, float]) -> None:
    with pytest.raises(InputError, match="does not hold the threshold"):
        Calibration(1, 0, 0.5, unsure)


@pytest.mark.parametrize(("scale", "shift"), [(0, 0), (-1, 0), (float("inf"), 0), (1, np.nan)])
def test_scale_is_above_0(scale: float, shift: float) -> None:
    with pytest.raises(InputError, match="finite"):
        Calibration(scale, shift)


def test_edges_of_the_band_are_sure() -> None:
    made = Calibration(1, 0, 0.5, (0.4, 0.6))
    assert [made.is_unsure(score) for score in (0.4, 0.41, 0.5, 0.59, 0.6)] == [
        False,
        True,
        True,
        True,
        False,
    ]


def test_band_moves_with_the_threshold_in_log_odds() -> None:
    moved = Calibration(1, 0, 0.5, (0.3, 0.6)).at(0.8)
    assert moved.threshold == 0.8
    by = log_odds(0.8)  # since the log-odds of one half are 0
    assert log_odds(moved.unsure[0]) == pytest.approx(log_odds(0.3) + by, abs=1e-4)
    assert log_odds(moved.unsure[1]) == pytest.approx(log_odds(0.6) + by, abs=1e-4)


def test_margin_is_the_log_odds_of_a_softmax() -> None:
    logits = np.array([1.2, -0.3, 0.4])
    chances = np.exp(logits) / np.exp(logits).sum()
    assert margin(logits.tolist()) == pytest.approx(log_odds(float(chances[0])))


@pytest.mark.parametrize(
    ("bias", "label", "note"),
    [
        ((9, 0, 0), "implicitly-supported", "The source seems to entail it in other words;"),
        ((0, 9, 0), "fabricated", "The source does not seem to say so."),
        ((0, 0, 9), "contradicting", "Perhaps a conflict: the source says 1986 where the"),
    ],
)
def test_unsure_verdict_keeps_the_label_of_the_tree_and_says_so_first(
    tiny_model: TinyModel, bias: tuple[float, float, float], label: str, note: str
) -> None:
    result = judge(tiny_model(bias), "The harbour of Otranto opened in 1987.")
    verdict = only_verdict(result)
    assert (str(verdict.label), verdict.coarse) == (label, "not-sure")
    assert verdict.attributes.unsure is True
    assert verdict.note.startswith(f"{NOT_SURE} {note}")
    assert verdict.confidence is not None
    assert verdict.confidence <= 0.5
    assert (result.response.coarse, str(result.label)) == ("not-sure", label)
    said = json.loads(result.to_json())
    assert said["response"]["unsure"] is True
    assert said["units"][0]["verdict"]["attributes"] == {"unsure": True}


def test_words_alone_never_make_it_explicit(tiny_model: TinyModel) -> None:
    folder = tiny_model((9.0, 0.0, 0.0))
    assert str(only_verdict(judge(folder, SOURCE, (0.5, 0.5))).label) == "explicitly-supported"
    assert str(only_verdict(judge(folder, SOURCE, (0.5, 1.0))).label) == "implicitly-supported"


def test_sure_verdict_says_nothing_of_it(tiny_model: TinyModel) -> None:
    result = judge(tiny_model((9.0, 0.0, 0.0)), "The harbour opened in 1986.", (0.4, 0.6))
    assert only_verdict(result).attributes.unsure is None
    assert "unsure" not in json.loads(result.to_json())["response"]


def test_cascade_asks_the_second_detector_where_the_first_is_unsure(
    tiny_model: TinyModel,
) -> None:
    folder = tiny_model((9.0, 0.0, 0.0))
    both = cascade(detector(folder), OverlapDetector(), below=0.0)
    assert (
        only_verdict(check_with(both, SOURCE, SOURCE)).note
        == only_verdict(check_with(OverlapDetector(), SOURCE, SOURCE)).note
    )
    sure = cascade(detector(folder, (0.5, 0.5)), OverlapDetector(), below=0.0)
    assert "The source entails it" in only_verdict(check_with(sure, SOURCE, SOURCE)).note


def test_majority_is_unsure_only_if_each_of_it_is(tiny_model: TinyModel) -> None:
    folder = tiny_model((9.0, 0.0, 0.0))
    unsure, sure = detector(folder), detector(folder, (0.5, 0.5))
    text = "The harbour opened in 1986 at noon."  # the words are not all there: one label
    assert only_verdict(check_with(vote(unsure, unsure), SOURCE, text)).attributes.unsure is True
    assert only_verdict(check_with(vote(unsure, sure), SOURCE, text)).attributes.unsure is None


def discourse(folder: Path, unsure: tuple[float, float]) -> OfflineDiscourse:
    version = EmbeddedDetector(str(folder)).author.version
    made = FittedCalibration("embedded", version, Calibration(1.0, 0.0, 0.5, unsure))
    return OfflineDiscourse(str(folder), LocalOptions(calibration=made))


def test_discourse_keeps_what_its_model_is_unsure_of(tiny_model: TinyModel) -> None:
    found = discourse(tiny_model((0.0, 9.0, 0.0)), EVERYTHING)
    result = check_with(found, SOURCE, "The harbour sank and the mayor left.")
    sentence = result.sentences[0]
    assert sentence.coarse == "not-sure"
    assert sentence.note.startswith(NOT_SURE)


@pytest.mark.parametrize("bias", [(9.0, 0.0, 0.0), (0.0, 9.0, 0.0)])
def test_unsure_parts_of_a_sentence_say_so_once(
    tiny_model: TinyModel, bias: tuple[float, float, float]
) -> None:
    found = discourse(tiny_model(bias), EVERYTHING)
    result = check_with(found, SOURCE, "The harbour sank because the mayor left.")
    assert {"claim", "relation"} <= {each.kind for each in result.units}
    for each in result.units:
        assert each.coarse == "not-sure"
        assert each.note.startswith(NOT_SURE)
        assert each.note.count(NOT_SURE) == 1


@pytest.mark.parametrize("bias", [(9.0, 0.0, 0.0), (0.0, 9.0, 0.0)])
def test_rule_of_thumb_makes_a_sentence_sure_on_either_side_of_the_threshold(
    tiny_model: TinyModel, bias: tuple[float, float, float]
) -> None:
    found = discourse(tiny_model(bias), EVERYTHING)
    source = "The town may open the library again in June."
    (sentence,) = check_with(found, source, "The town opens the library again in June.").sentences
    assert (sentence.coarse, NOT_SURE in sentence.note) == ("unfaithful", False)


def test_rule_of_thumb_that_overturns_the_model_is_its_own_reason(tiny_model: TinyModel) -> None:
    found = discourse(tiny_model((9.0, 0.0, 0.0)), EVERYTHING)
    source = "The town may open the library again in June."
    (sentence,) = check_with(found, source, "The town opens the library again in June.").sentences
    assert (str(sentence.label), sentence.coarse) == ("fabricated", "unfaithful")


class Shelf:
    """A place that has one passage for every query."""

    name, digest = "the shelf", ""

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        return (KnowledgePassage("Otranto has a lighthouse by the harbour.", "Otranto"),)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        return None


def test_outside_knowledge_that_leaves_it_unsure_settles_nothing(tiny_model: TinyModel) -> None:
    unsure = detector(tiny_model((0.0, 9.0, 0.0)))
    verdict = only_verdict(check_with(consult(unsure, Shelf()), SOURCE, "It has a lighthouse."))
    assert (str(verdict.label), verdict.coarse) == ("fabricated", "not-sure")
    assert "Together with what the shelf says it is not sure" in verdict.note
    assert verdict.answers is not None
    assert verdict.answers.entailed_with_knowledge is None


def test_calibration_tells_itself_in_words() -> None:
    assert str(Calibration(1, 0)) == "faithful from a score of 0.50 on"
    assert str(Calibration(1, 0, 0.4, (0.3, 0.55))) == (
        "faithful from a score of 0.40 on, not sure between 0.30 and 0.55"
    )
