"""From the claims and relations of a sentence to its label; docs/discourse.md has the rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from assay.core.decision import Answers, decide
from assay.core.judgements import Finding
from assay.core.labels import Label
from assay.core.spans import Span
from assay.core.totals import count_of
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Failure, Outcome, Verdict
from assay.detectors.discourse.aligning import shorten
from assay.text.discourse.relations import KINDS

MOST_EVIDENCE = 6  # passages shown with a sentence
# What an unsupported relation is called if the model names no kind of error.
USUAL_ERRORS = {
    "cause": "fabricated-link",
    "contrast": "fabricated-link",
    "concession": "fabricated-link",
    "condition": "fabricated-link",
    "purpose": "fabricated-link",
    "temporal": "temporal-state",
    "attribution": "scope-attachment",
    "elaboration": "scope-attachment",
    "evaluation": "semantic-reframing",
}


@dataclass(frozen=True, slots=True)
class JudgedPart:
    """A claim or relation with the verdict on it."""

    unit: Unit
    verdict: Verdict

    @property
    def rank(self) -> int:
        """How faithful it is by its label."""
        return self.verdict.label.rank if self.verdict.label else 0


@dataclass(frozen=True, slots=True)
class Parts:
    """A sentence with what was found about its claims and relations.

    `known` has the units that its relations link, by id. `remarks` tell the reader about things
    that change no label. `hidden` are relations that could not be used, so that a link of the
    sentence may have gone unchecked; `unchecked` says what else of it did.
    """

    sentence: Unit
    findings: tuple[Finding, ...] = ()
    known: Mapping[str, Unit] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    hidden: tuple[Finding, ...] = ()
    unchecked: str = ""

    @property
    def judged(self) -> tuple[JudgedPart, ...]:
        """The claims and relations that have a verdict."""
        return tuple(JudgedPart(each.unit, each.verdict) for each in self.findings if each.verdict)

    @property
    def unanswered(self) -> tuple[Finding, ...]:
        """The claims and relations without a verdict."""
        return tuple(each for each in (*self.findings, *self.hidden) if each.failure)

    def count(self, kind: str) -> int:
        """How many parts of a kind there are."""
        return sum(each.kind == kind for each in self.findings)


def fold_sentence(parts: Parts, backend: str) -> Outcome:
    """One outcome for the sentence; without a bad part, an unanswered one leaves it open."""
    id, judged = parts.sentence.id, parts.judged
    bad = [part for part in judged if part.verdict.coarse == "unfaithful"]
    if bad:
        return _unfaithful(parts, bad, backend)
    for first in parts.unanswered:
        if first.failure:
            detail = f"the {first.kind} “{shorten(first.text)}” has no verdict: {first.note}"
            return Failure(id, first.failure.reason, detail, first.failure.raw)
    if judged and parts.unchecked:
        return Failure(id, "missing", f"a part of it was not checked: {parts.unchecked}")
    if not judged:
        return Failure(id, "missing", "; ".join(("no claim covers it", *parts.remarks)))
    return _faithful(parts, backend)


def _unfaithful(parts: Parts, bad: Sequence[JudgedPart], backend: str) -> Verdict:
    """As bad as its worst part, and one part is to blame."""
    blamed = min(_suspects(bad), key=attrgetter("rank"))
    worst = min(bad, key=attrgetter("rank"))
    others = [
        f"Also {each.verdict.label}: “{shorten(each.unit.text)}”."
        for each in bad
        if each is not blamed
    ]
    is_contradicting = worst.verdict.label == "contradicting"
    answers = Answers(states_fact=True, entailed=False, contradicted=is_contradicting)
    return Verdict(
        parts.sentence.id,
        decide(answers).label,
        confidence=blamed.verdict.confidence,
        note=_note(_told(blamed, parts.known), *others, *parts.remarks),
        evidence=_evidence(blamed, parts),
        answers=answers,
        error=blamed.verdict.error,
        attributes=Attributes(backend=backend),
    )


def _suspects(bad: Sequence[JudgedPart]) -> Sequence[JudgedPart]:
    """The parts among which the one to blame is: a relation only if its claims are right.

    Before a claim that is merely wrong comes one with a discourse error, or the evaluation in it.
    """
    claims = [part for part in bad if part.unit.kind == "claim"]
    misled = [part for part in claims if part.verdict.error]
    judging = [
        part
        for part in bad
        if part.verdict.error and part.unit.link and part.unit.link.name == "evaluation"
    ]
    return misled or judging or claims or bad


def _faithful(parts: Parts, backend: str) -> Verdict:
    """The least faithful label of the parts; a part without a fact counts only if all are so."""
    judged = parts.judged
    stating = [part for part in judged if part.verdict.coarse != "no-fact"] or list(judged)
    worst = min(stating, key=attrgetter("rank"))
    counted = " and ".join(count_of(parts.count(kind), kind) for kind in ("claim", "relation"))
    is_explicit = worst.verdict.label == "explicitly-supported"
    told = "" if is_explicit else _told(worst, parts.known)
    confidences = [part.verdict.confidence for part in stating]
    return Verdict(
        parts.sentence.id,
        worst.verdict.label,
        confidence=min((each for each in confidences if each is not None), default=None),
        note=_note(f"{counted} checked.", told, *parts.remarks),
        evidence=_evidence(worst, parts),
        answers=_answers(worst.verdict.label),
        interpretations=worst.verdict.interpretations,
        attributes=Attributes(backend=backend),
    )


def _answers(label: Label | None) -> Answers | None:
    """What a label of parts says about the tree's questions."""
    match str(label):
        case "no-fact":
            return Answers(states_fact=False)
        case "explicitly-supported" | "implicitly-supported" as name:
            return Answers(True, False, entailed=True, explicit=name.startswith("explicit"))
        case "out-dependent":
            return Answers(
                True, False, entailed=False, contradicted=False, entailed_with_knowledge=True
            )
    return None


def _evidence(first: JudgedPart, parts: Parts) -> tuple[Span, ...]:
    """The evidence of all parts, that of one of them first."""
    ordered = (first, *(each for each in parts.judged if each.unit.id != first.unit.id))
    spans = dict.fromkeys(span for part in ordered for span in part.verdict.evidence)
    return tuple(spans)[:MOST_EVIDENCE]


def _told(part: JudgedPart, known: Mapping[str, Unit]) -> str:
    """What is said of a part, in words: for a relation its name, its cue and what it links.

    `The cause relation “because” is fabricated (the cause: It rained; the effect: They left).`
    """
    unit, said, link = part.unit, part.verdict, part.unit.link
    if link is None or link.first not in known or link.second not in known:
        return f"The {unit.kind} “{shorten(unit.text)}” is {said.label}. {said.note}".strip()
    kind, cue = KINDS[link.name], f" “{link.cue.text}”" if link.cue else ""
    first, second = (shorten(known[end].text).rstrip(".") for end in (link.first, link.second))
    ends = f"({kind.first}: {first}; {kind.second}: {second})"
    return f"The {link.name} relation{cue} is {said.label} {ends}. {said.note}".strip()


def _note(*said: str) -> str:
    return " ".join(filter(None, said))
