"""Badges of outcomes on pages and in the terminal, whose colour is never their only sign."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assay.core.decision import NOT_CONSULTED
from assay.core.labels import Coarse, Label
from assay.core.results import UNSURE as UNSURE_CLASS
from assay.core.results import count_of, is_unsure, plural_of
from assay.core.taxonomies import ERROR5, GRAY7
from assay.core.verdicts import FAITHFUL_FROM, Failure, FailureReason, Outcome, Verdict
from assay.report.words import spelled_out

if TYPE_CHECKING:
    from jinja2 import Environment

_SAID_FALSE = "In the detector's view, the source says that the sentence is false."
_UNSUPPORTED = f"The source neither supports nor denies the sentence. {NOT_CONSULTED}"
_DEPENDING = (GRAY7["fabricated"], GRAY7["out-dependent"])  # on what is known of the world
# A symbol and a terminal style for each gray7 label; others go by their coarse reading.
_SIGNS = {
    "contradicting": ("✖", "bold red"),
    "fabricated": ("✘", "red"),
    "ambiguous": ("≈", "magenta"),
    "no-fact": ("·", "dim"),
    "out-dependent": ("◐", "yellow"),
    "implicitly-supported": ("✓", "cyan"),
    "explicitly-supported": ("✔", "green"),
}
_COARSE_SIGNS: dict[Coarse, str] = {
    "faithful": "explicitly-supported",
    "not-sure": "ambiguous",
    "no-fact": "no-fact",
    "unfaithful": "fabricated",
}
_COARSE_TONES: dict[Coarse, str] = {**_COARSE_SIGNS, "unfaithful": "contradicting"}

REASONS: dict[FailureReason, str] = {
    "parse": "The reply could not be read.",
    "off_menu": "The reply names a label that is not on the menu.",
    "refused": "The model declined to answer.",
    "truncated": "The reply was cut off.",
    "transport": "The request did not get through.",
    "too_long": "The text is too long for the detector.",
    "language": "The detector does not know the language of the text.",
    "missing": "The detector said nothing about it.",
    "invalid": "The judge finds that the response does not answer its task.",
    "unreadable": "The row could not be read.",
}


@dataclass(frozen=True, slots=True)
class Badge:
    """A class as a reader sees it.

    The style sheet colours its `tone`, a terminal its `style`; the symbol is for whoever sees
    neither.
    """

    tone: str
    symbol: str
    style: str = field(metadata={"sent": False})
    name: str
    meaning: str

    def __hash__(self) -> int:
        return hash(self.name)  # quick, since there are millions of them on a site


NO_VERDICT = Badge(
    "no-verdict",
    "∅",
    "reverse dim",
    "no verdict",
    "The detector gave none, so it counts as neither faithful nor unfaithful.",
)
UNSURE = Badge(
    "not-sure",
    "?",
    "yellow",
    UNSURE_CLASS,
    "The score lies so near the threshold that the label is not sure.",
)
SCORE_ONLY = Badge(
    "score-only", "#", "bold", "score only", "The detector gave a score and no label."
)


def label_badge(label: Label) -> Badge:
    """The badge of a label of any taxonomy."""
    tone = label.name if label.taxonomy == GRAY7.name else _COARSE_TONES[label.coarse]
    symbol, style = _SIGNS.get(label.name, _SIGNS[_COARSE_SIGNS[label.coarse]])
    return Badge(tone, symbol, style, label.name, label.meaning)


def outcome_badge(outcome: Outcome, of_label: Callable[[Label], Badge] = label_badge) -> Badge:
    """The badge of an outcome; a failure, and a label that is not sure, have their own."""
    if isinstance(outcome, Failure):
        return NO_VERDICT
    if is_unsure(outcome):
        return UNSURE
    return of_label(outcome.label) if outcome.label else SCORE_ONLY


def told_badge(badge: Badge, consulted: bool) -> Badge:
    """The badge as a page explains it: an opinion, and of the world only what was looked up."""
    if badge == label_badge(GRAY7["contradicting"]):
        return replace(badge, meaning=_SAID_FALSE)
    fabricated = label_badge(GRAY7["fabricated"])
    return badge if consulted or badge != fabricated else replace(badge, meaning=_UNSUPPORTED)


def note_of(verdict: Verdict) -> str:
    """The note, and that nobody looked outside where the label would depend on it."""
    return " ".join(filter(None, (verdict.note, NOT_CONSULTED if _is_open(verdict) else "")))


def _is_open(verdict: Verdict) -> bool:
    """True if the label depends on the world and nobody looked: a model's memory is no look."""
    if verdict.answers is None or verdict.label not in _DEPENDING:
        return False
    return not (verdict.external or verdict.attributes.consulted)


# What a detector says of a sentence with a gray7 label: its opinion, which may be wrong.
_STANCES = {
    "contradicting": "takes this for a contradiction of the source",
    "fabricated": "finds nothing in the source that supports or denies this",
    "ambiguous": "finds readings of this that lead to different labels",
    "no-fact": "finds nothing in this that could be checked",
    "out-dependent": "finds that only knowledge from outside the source supports this",
    "implicitly-supported": "takes this to follow from the source",
    "explicitly-supported": "finds this stated in the source",
}
_LINK = "finds the statements of this in the source, but not the link between them"
_CLOSE = 0.1  # a score that is no further from the threshold says little


def stance_of(verdict: Verdict, author: str, threshold: float | None = FAITHFUL_FROM) -> str:
    """A sentence that tells who says what, and how surely.

    >>> stance_of(Verdict("s1", GRAY7["contradicting"], 0.46), "embedded")
    'embedded takes this for a contradiction of the source, but its score of 0.46 is close to the \
threshold of 0.50.'
    """
    label, score = verdict.label, verdict.score
    if label is None:
        return f"{author} gives this a score of {score:.2f} and no label."
    is_known = label.taxonomy == GRAY7.name
    said = f"{author} {_STANCES[label.name] if is_known else f'labels this {label.name}'}"
    if label == GRAY7["fabricated"] and verdict.error == ERROR5["fabricated-link"]:
        said = f"{author} {_LINK}"
    if is_unsure(verdict):
        leaning = said.removeprefix(author).strip()
        return f"{author} is not sure (score {score or 0:.2f}); if anything, it {leaning}."
    if score is None or label.coarse not in ("faithful", "unfaithful"):
        return f"{said}."
    if threshold is not None and abs(score - threshold) < _CLOSE:
        return f"{said}, but its score of {score:.2f} is close to the threshold of {threshold:.2f}."
    return f"{said} (score {score:.2f})."


def make_environment(folder: str) -> "Environment":
    """The set-up of the templates in a folder of this package; all values are escaped.

    Characters that hide or turn what stands beside them are spelled out, as in the terminal.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined  # only pages need it

    environment = Environment(
        loader=PackageLoader("assay.report", folder),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: spelled_out(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["grouped"] = "{:,}".format
    environment.filters["count_of"] = count_of
    environment.filters["plural_of"] = plural_of
    return environment
