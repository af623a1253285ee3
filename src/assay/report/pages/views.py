"""One view of a unit and all that is said of it: every page, and its script, is made of it.

A script finds each field under its own name, unless it has its default; see `records`.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assay.core.decision import QUESTIONS
from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.labels import Label
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from assay.report.pages.badges import REASONS, Badge, label_badge, note_of, outcome_badge
from assay.report.pages.texts import (
    Places,
    Range,
    ShownSource,
    cut_runs,
    is_quoted,
    length_of,
    marked_ranges,
    placed,
)

LONGEST_QUOTE = 600
LONGEST_REPLY = 2_000

_ANSWERS = {True: "y", False: "n", None: "-"}


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage of evidence: where in the source, and in which named part; elsewhere, its words."""

    at: Range | None = None
    passage: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class InterpretationView:
    """One meaning of an ambiguous unit, with the label it leads to."""

    badge: Badge
    meaning: str


@dataclass(frozen=True, slots=True)
class ExternalView:
    """Evidence from outside; `link` is empty unless the address is one that is safe to open."""

    address: str
    link: str = ""
    title: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class FailureView:
    """The reason for a missing verdict, and the model's reply, which may be cut."""

    reason: str
    words: str
    reply: str = ""
    cut: int | None = None


@dataclass(frozen=True, slots=True)
class PersonView:
    """The opinion of one of several people on a unit; their note where it is not the unit's."""

    who: str
    badge: Badge
    note: str = ""


class UnitView(NamedTuple):
    """A unit with all that is said of it; without a failure it is a verdict.

    `places` are those in the response that it colours. It has a `text` of its own where it does
    not stand there. `runs` are the lengths of what its words are cut into: every other, from the
    second on, is underlined, since the detector `marked` it, or else since the evidence lacks it.
    `answers` has a letter for each question of the decision tree. `parts` are the numbers of units
    such as the claims of a sentence. It is a tuple since a site may have a million of them.
    """

    kind: str
    badge: Badge
    places: tuple[Range, ...] = ()
    text: str = ""
    runs: tuple[int, ...] = ()
    marked: bool = False
    flagged: bool = False
    words: tuple[str, ...] = ()
    parts: tuple[int, ...] = ()
    stance: str = ""
    score: float | None = None
    confidence: float | None = None
    note: str = ""
    explanation: str = ""
    correction: str = ""
    cited: str = ""
    quotes: tuple[Quote, ...] = ()
    answers: str = ""
    interpretations: tuple[InterpretationView, ...] = ()
    external: tuple[ExternalView, ...] = ()
    failure: FailureView | None = None
    who: str = ""
    people: tuple[PersonView, ...] = ()


def coloured(findings: Sequence[Finding], *, never: Container[str] = ()) -> dict[int, list[Range]]:
    """The ranges of the response that each finding colours, by its position; some kinds `never` do.

    A claim in other words than the response colours none, so it is listed: several may come from
    one sentence, which cannot have the colour of all of them. The words of an inconsistency are
    coloured, and it is listed all the same: it has words of its own.
    """
    units = {at: each.unit for at, each in enumerate(findings) if each.unit.kind not in never}
    return placed({at: each for at, each in units.items() if not _is_reworded(each)})


def _is_reworded(unit: Unit) -> bool:
    return unit.kind in ("claim", "relation") and not is_quoted(unit)


class UnitViews:
    """Makes the views of the units of one example, with what all pages show of them."""

    def __init__(
        self,
        example: Example,
        source: ShownSource,
        of_label: Callable[[Label], Badge] = label_badge,
    ) -> None:
        self._at = Places(example.response.text)
        self._source = source
        self._of_label = of_label

    def view(self, finding: Finding, ranges: Sequence[Range], text: str = "") -> UnitView:
        """The view of a finding that colours some ranges of the response, or has its own text."""
        outcome = finding.outcome
        unit = UnitView(
            kind=finding.kind,
            badge=outcome_badge(outcome, self._of_label),
            places=tuple(self._at.range(*each) for each in ranges) if ranges else (),
            text=text,
            score=outcome.score,
            confidence=outcome.confidence,
            note=full_note(outcome) if isinstance(outcome, Verdict) else outcome.detail,
            failure=_failure(outcome) if isinstance(outcome, Failure) else None,
        )
        if isinstance(outcome, Verdict) and _rests_on_something(outcome):
            return self._with_grounds(unit, finding, outcome)
        return unit

    def _with_grounds(self, unit: UnitView, finding: Finding, verdict: Verdict) -> UnitView:
        grounded = unit._replace(
            marked=bool(verdict.marks) and is_quoted(finding.unit),
            quotes=tuple(map(self._quote, verdict.evidence)),
            answers=_answers(verdict),
            interpretations=tuple(
                InterpretationView(self._of_label(each.label), each.meaning)
                for each in verdict.interpretations
            ),
            external=tuple(
                ExternalView(each.address, _link(each.address), each.title, each.quote)
                for each in verdict.external
            ),
        )
        return underline(grounded, finding, marked_ranges(finding)) if verdict.marks else grounded

    def _quote(self, span: Span) -> Quote:
        if not is_in_source(span):
            return Quote(text=span.text[:LONGEST_QUOTE])
        return Quote(self._source.range(span.start, span.end))


def underline(unit: UnitView, finding: Finding, ranges: Iterable[Range]) -> UnitView:
    """The view with some ranges of its words underlined, unless it stands in several places."""
    if not (unit.text or is_quoted(finding.unit)):
        return unit
    runs = tuple(map(length_of, cut_runs(finding.text, ranges)))
    return unit._replace(runs=runs) if len(runs) > 1 else unit


def is_in_source(span: Span) -> bool:
    """True if evidence is a passage of the source."""
    return span.side == "source" and span.start < span.end


def full_note(verdict: Verdict) -> str:
    """The note, after the kind of error, if there is one."""
    note = note_of(verdict)
    if verdict.error is None:
        return note
    return f"{verdict.error.name}: {verdict.error.meaning} {note}".strip()


def _failure(failure: Failure) -> FailureView:
    return FailureView(
        reason=failure.reason,
        words=REASONS[failure.reason],
        reply=failure.raw[:LONGEST_REPLY],
        cut=max(0, len(failure.raw) - LONGEST_REPLY) or None,
    )


def _answers(verdict: Verdict) -> str:
    """A letter for each question of the tree; a capital one for what nobody looked up."""
    given = verdict.answers
    if given is None:
        return ""
    letters = "".join(_ANSWERS[given[question]] for question in QUESTIONS)
    if verdict.external or verdict.attributes.consulted:
        return letters
    known = list(QUESTIONS).index("entailed_with_knowledge")
    return letters[:known] + letters[known].upper() + letters[known + 1 :]


def _rests_on_something(verdict: Verdict) -> bool:
    rests = verdict.evidence or verdict.answers or verdict.interpretations or verdict.external
    return bool(rests or verdict.marks)


def _link(address: str) -> str:
    return address if address.lower().startswith(("http://", "https://")) else ""
