"""Calibration: from logits to a score, and which scores count as faithful or not sure."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from assay.core.errors import InputError

EVEN = 0.5
_LEAST = 1e-6  # the nearest that a threshold comes to 0 and to 1


@dataclass(frozen=True, slots=True)
class Calibration:
    """From the logit of being entailed to a probability, and from that to a verdict.

    A sentence is faithful from `threshold` on. Between the two edges of `unsure`, which lie around
    it, the verdict says that it is not sure; edges that are equal leave no such band.
    """

    scale: float
    shift: float
    threshold: float = EVEN
    unsure: tuple[float, float] = (EVEN, EVEN)

    def __post_init__(self) -> None:
        low, high = self.unsure
        if not (math.isfinite(self.scale) and self.scale > 0 and math.isfinite(self.shift)):
            raise InputError("a calibration needs a finite shift and a finite scale above 0")
        if not 0 <= low <= self.threshold <= high <= 1:
            raise InputError(
                f"the band of unsure scores, {low} to {high}, does not hold the threshold"
                f" {self.threshold}",
                field="calibration",
            )

    def __str__(self) -> str:
        low, high = self.unsure
        band = f", not sure between {low:.2f} and {high:.2f}" if low < high else ""
        return f"faithful from a score of {self.threshold:.2f} on{band}"

    @property
    def has_band(self) -> bool:
        """True if some scores are not sure."""
        return self.unsure[0] < self.unsure[1]

    @classmethod
    def read(cls, card: Mapping[str, Any]) -> "Calibration":
        """The calibration of a model's card; an older card has neither threshold nor band."""
        threshold = float(card.get("threshold", EVEN))
        low, high = map(float, card.get("unsure", (threshold, threshold)))
        return cls(float(card["scale"]), float(card["shift"]), threshold, (low, high))

    def card(self) -> dict[str, Any]:
        """The dict that `read` takes."""
        return {**asdict(self), "unsure": list(self.unsure)}

    def chances(self, logits: Iterable[float]) -> tuple[float, float, float]:
        """The probabilities of entailed, neutral and contradicted."""
        entailed, neutral, contradicted = map(float, logits)
        chance = logistic(self.scale * margin((entailed, neutral, contradicted)) + self.shift)
        against = logistic(contradicted - neutral)
        return chance, (1 - chance) * (1 - against), (1 - chance) * against

    def is_faithful(self, score: float) -> bool:
        """True if a score counts as faithful."""
        return score >= self.threshold

    def is_unsure(self, score: float) -> bool:
        """True if a score lies inside the band, edges excluded."""
        low, high = self.unsure
        return low < score < high

    def at(self, threshold: float) -> "Calibration":
        """The same with another threshold; the band moves with it, as wide in log-odds as it was.

        >>> Calibration(1, 0, 0.5, (0.25, 0.75)).at(0.75).unsure
        (0.5, 0.9)
        """
        by = log_odds(threshold) - log_odds(self.threshold)
        low, high = (round(logistic(log_odds(edge) + by), 6) for edge in self.unsure)
        return replace(
            self, threshold=threshold, unsure=(min(low, threshold), max(high, threshold))
        )


def margin(logits: Iterable[float]) -> float:
    """The log-odds of being entailed that the network itself gives."""
    entailed, neutral, contradicted = map(float, logits)
    larger = max(neutral, contradicted)
    return entailed - larger - math.log1p(math.exp(-abs(neutral - contradicted)))


def logistic(value: float) -> float:
    """The probability of some log-odds."""
    return (1 + math.tanh(value / 2)) / 2


def log_odds(chance: float) -> float:
    """The log-odds of a probability, which are finite also at its ends."""
    kept = min(max(chance, _LEAST), 1 - _LEAST)
    return math.log(kept / (1 - kept))
