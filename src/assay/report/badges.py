"""How each class is shown on a page: a tone that the style sheet colours, a symbol and a name."""

from dataclasses import dataclass

from assay.core.labels import Coarse, Label
from assay.core.taxonomies import GRAY7
from assay.core.verdicts import Failure, Outcome
from assay.report import looks

# A tone is named after the gray7 label that has it; other taxonomies go by their coarse reading.
_COARSE_TONES: dict[Coarse, str] = {
    "faithful": "explicitly-supported",
    "not-sure": "ambiguous",
    "no-fact": "no-fact",
    "unfaithful": "contradicting",
}


@dataclass(frozen=True, slots=True)
class Badge:
    """A class as the reader sees it; the symbol is there for whoever does not see the tone."""

    tone: str
    symbol: str
    name: str
    meaning: str


NO_VERDICT = Badge(
    "no-verdict",
    looks.NO_VERDICT.symbol,
    "no verdict",
    "The detector gave none, so it counts as neither faithful nor unfaithful.",
)
SCORE_ONLY = Badge(
    "score-only", "#", "score only", "The detector gave a score, and no label to go with it."
)


def label_badge(label: Label) -> Badge:
    """The badge of a label of any taxonomy."""
    tone = label.name if label.taxonomy == GRAY7.name else _COARSE_TONES[label.coarse]
    return Badge(tone, looks.look_of(label).symbol, label.name, label.meaning)


def outcome_badge(outcome: Outcome) -> Badge:
    """The badge of an outcome; a failure has one of its own."""
    if isinstance(outcome, Failure):
        return NO_VERDICT
    return label_badge(outcome.label) if outcome.label else SCORE_ONLY
