"""The effect of a calculation on a verdict: its label, score, reason, evidence and marks."""

import pytest

from assay.core.examples import Example
from assay.core.texts import Response, Source
from assay.core.verdicts import Verdict
from assay.detectors.embedded.calculating import FIGURE_ALONE, FIGURE_LOOSE, FIGURE_OPEN
from assay.detectors.embedded.calibration import Calibration
from assay.detectors.embedded.verdicts import Assessment, verdict_on
from assay.text.languages import find_languages
from assay.text.sentences import sentence_units

BAND = Calibration(1, 0, 0.5, (0.2, 0.7))
NO_BAND = Calibration(1, 0)
TABLE = "| Branch | Staff |\n|---|---|\n| Harbour | 12 |\n| Station | 15 |\n| Old Town | 9 |"
HALLS = "The lower hall seats 112 people and the upper hall 19."


def judged(sentence: str, source: str, entailed: float, calibration: Calibration = BAND) -> Verdict:
    example = Example("1", Source(source), Response(sentence))
    (unit,) = sentence_units(example)
    rest = (1 - entailed) / 2
    found = Assessment(entailed, rest, rest, (), len(source))
    return verdict_on(unit, found, example, calibration, languages=find_languages(example, [unit]))


@pytest.mark.parametrize("entailed", [0.01, 0.4, 0.6, 0.99])
def test_a_right_total_is_supported_whatever_the_model_says(entailed: float) -> None:
    verdict = judged("The branches have 36 staff altogether.", TABLE, entailed)
    assert str(verdict.label) == "implicitly-supported"
    assert not verdict.attributes.unsure
    assert verdict.note == "It follows from figures of the source: 12 + 15 + 9 = 36."
    assert verdict.score is not None
    assert verdict.score >= BAND.unsure[1]


@pytest.mark.parametrize("entailed", [0.01, 0.4, 0.6, 0.99])
def test_a_wrong_total_contradicts_whatever_the_model_says(entailed: float) -> None:
    verdict = judged("The branches have 46 staff altogether.", TABLE, entailed)
    assert str(verdict.label) == "contradicting"
    assert not verdict.attributes.unsure
    assert "12 + 15 + 9 = 36, not 46" in verdict.note
    assert [span.text for span in verdict.marks] == ["46"]
    assert [span.text for span in verdict.evidence] == ["12", "15", "9"]
    assert verdict.score is not None
    assert verdict.score <= BAND.unsure[0]


def test_without_a_band_scores_keep_to_their_side_of_the_threshold() -> None:
    right = judged("The branches have 36 staff altogether.", TABLE, 0.1, NO_BAND)
    wrong = judged("The branches have 46 staff altogether.", TABLE, 0.9, NO_BAND)
    assert str(right.label) == "implicitly-supported"
    assert str(wrong.label) == "contradicting"
    assert (right.score, wrong.score) == (0.5, 0.4999)


def test_a_calculation_that_may_be_another_is_not_sure() -> None:
    verdict = judged("Both halls seat 131 people.", HALLS, 0.05)
    assert str(verdict.label) == "implicitly-supported"
    assert verdict.attributes.unsure
    assert verdict.note.startswith(FIGURE_LOOSE)
    assert "112 + 19 = 131" in verdict.note


@pytest.mark.parametrize("entailed", [0.01, 0.99])
def test_a_figure_that_cannot_be_recomputed_is_never_sure(entailed: float) -> None:
    verdict = judged("The gap amounts to 977 chairs.", HALLS, entailed)
    assert verdict.attributes.unsure
    assert verdict.note.startswith(FIGURE_OPEN)
    assert BAND.is_unsure(verdict.score or 0)
    assert BAND.is_faithful(verdict.score or 0) == (entailed > 0.5)


def test_a_name_that_the_source_lacks_keeps_a_right_figure_from_being_sure() -> None:
    verdict = judged("The branches of Kessler have 36 staff altogether.", TABLE, 0.05)
    assert verdict.coarse == "not-sure"
    assert verdict.leaning == "unfaithful"
    assert verdict.note.startswith(FIGURE_ALONE)


@pytest.mark.parametrize(
    "sentence", ["Harbour has 12 staff.", "The station is large.", "Harbour has 15 staff."]
)
def test_sentences_without_a_computed_figure_keep_their_verdict(sentence: str) -> None:
    verdict = judged(sentence, TABLE, 0.123)
    assert verdict.score == 0.123
    assert verdict.evidence == ()


def test_a_wrong_rank_contradicts() -> None:
    verdict = judged("Old Town has the most staff.", TABLE, 0.9)
    assert str(verdict.label) == "contradicting"
    assert [span.text for span in verdict.marks] == ["most"]
