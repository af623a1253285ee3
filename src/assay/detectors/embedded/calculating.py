"""The effect of a calculation on the model's opinion of a sentence.

Scores move no further than the calculation goes: one that is beyond doubt to the edge of the band,
where verdicts are sure, any other to the middle of the band's half on its side of the threshold. A
figure that could be neither confirmed nor refuted leaves the score inside the band, in which no
verdict is sure. A model without a band has only the two sides of the threshold.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.examples import Example
from assay.core.texts import Span
from assay.core.units import Unit
from assay.detectors.embedded.calibration import Calibration
from assay.detectors.embedded.marking import spans_in
from assay.text.calculations.checking import Calculation, check_figures
from assay.text.differences import align_with

FIGURE_OPEN = "Not sure: it states a figure that the source lacks and that could not be recomputed."
FIGURE_LOOSE = "Not sure: another calculation may be meant."
FIGURE_ALONE = "Not sure: its figures follow, but the source lacks other words of it."
_LEAST = 0.0001  # the last digit of a score
_MOST_MISSING = 0.5  # of the content words of a sentence that its source may put otherwise
_MOST_OPERANDS = 6  # among the evidence


@dataclass(frozen=True, slots=True)
class Reckoned:
    """A calculation about a sentence, the score it leads to, and whether that is sure."""

    calculation: Calculation
    entailed: float
    figures: tuple[Span, ...] = ()  # that it is about
    doubt: str = ""  # why it is not sure

    @property
    def is_sure(self) -> bool:
        """True if nothing else may be meant or said."""
        return not self.doubt

    @property
    def is_settled(self) -> bool:
        """True if the label follows from the calculation."""
        return self.calculation.outcome != "open"

    def marks(self, own: Sequence[Span]) -> tuple[Span, ...]:
        """The words to mark: a refuted figure alone, and never one that is confirmed."""
        if self.calculation.outcome == "wrong":
            return self.figures or tuple(own)
        if self.calculation.outcome == "open":
            return tuple(own)
        return tuple(each for each in own if not any(map(each.overlaps, self.figures)))

    @property
    def evidence(self) -> tuple[Span, ...]:
        """The places of the operands in the source."""
        return self.calculation.operands[:_MOST_OPERANDS]

    def __str__(self) -> str:
        said = self.calculation.reason
        match self.calculation.outcome:
            case "right":
                seems = "follows" if self.is_sure else "seems to follow"
                return f"It {seems} from figures of the source: {said}."
            case "wrong":
                lead = "Figures of the source lead to another result"
                return f"{lead if self.is_sure else f'Perhaps {lead.lower()}'}: {said}."
        return ""


def reckon(
    unit: Unit,
    example: Example,
    entailed: float,
    calibration: Calibration,
    language: str = "en",
) -> Reckoned | None:
    """The effect of the source's figures on a sentence; None if it states none of its own."""
    found = check_figures(unit.text, example.source, example.question, language)
    if found is None or (found.outcome == "open" and not found.is_cued):
        return None
    figures = tuple(span for each in found.figures for span in spans_in(unit, *each))
    if found.outcome == "open":
        return Reckoned(found, _inside(entailed, calibration), figures, FIGURE_OPEN)
    loose = "" if found.is_firm else FIGURE_LOOSE
    if found.outcome == "wrong":
        return Reckoned(found, _below(entailed, calibration, firmly=found.is_firm), figures, loose)
    if not _is_about_figures(unit, example, found, language):
        return Reckoned(found, _inside(entailed, calibration), figures, FIGURE_ALONE)
    if calibration.is_faithful(entailed) and not calibration.is_unsure(entailed):
        return Reckoned(found, entailed, figures)
    return Reckoned(found, _above(entailed, calibration, firmly=found.is_firm), figures, loose)


def _is_about_figures(unit: Unit, example: Example, found: Calculation, language: str) -> bool:
    """True if the source has the names and most words that a sentence has beside figures."""
    rest, at = [], 0
    for start, end in sorted(found.figures):
        rest.append(unit.text[at:start])
        at = max(at, end)
    text = " ".join((*rest, unit.text[at:]))
    aligned = align_with(text, [example.source.text, example.question], language)
    known, missing = len(text.split()), len(aligned.missing_words)
    return not aligned.missing_names and missing <= _MOST_MISSING * max(known, 1)


def _inside(entailed: float, calibration: Calibration) -> float:
    """A score inside the band, on its own side of the threshold."""
    low, high = calibration.unsure
    if not calibration.has_band:
        return entailed
    if calibration.is_faithful(entailed):
        return max(min(entailed, high - _LEAST), calibration.threshold)
    return min(max(entailed, low + _LEAST), calibration.threshold - _LEAST)


def _below(entailed: float, calibration: Calibration, *, firmly: bool) -> float:
    low, threshold = calibration.unsure[0], calibration.threshold
    if firmly or not calibration.has_band:
        return max(0.0, min(entailed, low, threshold - _LEAST))
    return _inside(min(entailed, (low + threshold) / 2), calibration)


def _above(entailed: float, calibration: Calibration, *, firmly: bool) -> float:
    high, threshold = calibration.unsure[1], calibration.threshold
    return max(entailed, threshold, high if firmly else (high + threshold) / 2)
