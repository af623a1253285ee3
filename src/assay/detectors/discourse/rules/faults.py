"""What a rule finds wrong."""

from dataclasses import dataclass
from typing import Literal

from assay.core.spans import Span


@dataclass(frozen=True, slots=True)
class Fault:
    """A discourse error as a rule sees it: its labels, why, and the passages that show it."""

    label: Literal["fabricated", "contradicting"]
    error: str
    why: str
    evidence: tuple[Span, ...]
