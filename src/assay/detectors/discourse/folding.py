"""From the claims and relations of a sentence to its label; docs/discourse.md has the rules."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.decision import Answers, decide
from assay.core.labels import Label
from assay.core.spans import Span
from assay.core.units import Relation, Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.text.discourse.relations import KINDS

MOST_EVIDENCE = 6  # passages shown with a sentence


@dataclass(frozen=True, slots=True)
class Parts:
    """A sentence with what was found about its parts.

    `remarks` are things a reader must know that change no label. `hidden` are relations that could
    not be used, so that a link of the sentence may have gone unchecked; `unchecked` says what else
    of it did.
    """

    sentence: Unit
    claims: tuple[Outcome, ...] = ()
    relations: tuple[Outcome, ...] = ()
    remarks: tuple[str, ...] = ()
    hidden: tuple[Failure, ...] = ()
    unchecked: str = ""

    @property
    def judged(self) -> tuple[Verdict, ...]:
        """The verdicts on claims and relations."""
        parts = (*self.claims, *self.relations)
        return tuple(part for part in parts if isinstance(part, Verdict))

    @property
    def unanswered(self) -> tuple[Failure, ...]:
        """The claims and relations that nobody answered about."""
        parts = (*self.claims, *self.relations, *self.hidden)
        return tuple(part for part in parts if isinstance(part, Failure))


def fold_sentence(parts: Parts, backend: str) -> Outcome:
    """One outcome for the sentence; without a bad part, an unanswered one leaves it open."""
    bad = [part for part in parts.judged if _is(part, "unfaithful")]
    if bad:
        return _unfaithful(parts, bad, backend)
    if parts.unanswered:
        first = parts.unanswered[0]
        detail = f"the {first.unit.kind} “{_short(first.unit)}” has no verdict: {first.detail}"
        return Failure(parts.sentence, first.reason, detail, first.raw)
    if parts.judged and parts.unchecked:
        detail = f"a part of it was not checked: {parts.unchecked}"
        return Failure(parts.sentence, "missing", detail)
    if not parts.judged:
        return Failure(parts.sentence, "missing", _said("no claim covers it", parts.remarks))
    return _faithful(parts, backend)


def _unfaithful(parts: Parts, bad: Sequence[Verdict], backend: str) -> Verdict:
    """As bad as its worst part, and one part is to blame."""
    blamed = min(_suspects(bad), key=_rank)
    worst = min(bad, key=_rank)
    others = [f"Also {each.label}: “{_short(each.unit)}”." for each in bad if each is not blamed]
    answers = Answers(
        states_fact=True, entailed=False, contradicted=str(worst.label) == "contradicting"
    )
    return Verdict(
        parts.sentence,
        decide(answers).label,
        confidence=blamed.confidence,
        note=_note(backend, _told(blamed), *others, *parts.remarks),
        evidence=_evidence([blamed, *(each for each in parts.judged if each is not blamed)]),
        answers=answers,
        error=blamed.error,
    )


def _suspects(bad: Sequence[Verdict]) -> Sequence[Verdict]:
    """The parts among which the one to blame is found: a relation only where its claims are right.

    Before a claim that is merely wrong comes one with a discourse error, or the evaluation in it.
    """
    claims = [part for part in bad if part.unit.kind == "claim"]
    misled = [part for part in claims if part.error]
    judging = [part for part in bad if part.error and _name(part.unit) == "evaluation"]
    return misled or judging or claims or bad


def _name(unit: Unit) -> str:
    return unit.name if isinstance(unit, Relation) else ""


def _faithful(parts: Parts, backend: str) -> Verdict:
    """The least faithful label of the parts; a part without a fact counts only if all are so."""
    stating = [part for part in parts.judged if not _is(part, "no-fact")] or list(parts.judged)
    worst = min(stating, key=_rank)
    counts = (len(parts.claims), len(parts.relations))
    said = f"{_counted(counts[0], 'claim')} and {_counted(counts[1], 'relation')} checked."
    if str(worst.label) != "explicitly-supported":
        said += f" {_told(worst)}"
    confidences = [part.confidence for part in stating if part.confidence is not None]
    return Verdict(
        parts.sentence,
        worst.label,
        confidence=min(confidences, default=None),
        note=_note(backend, said.strip(), *parts.remarks),
        evidence=_evidence([worst, *(each for each in parts.judged if each is not worst)]),
        answers=_answers(worst.label),
        interpretations=worst.interpretations,
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


def _is(part: Verdict, coarse: str) -> bool:
    return part.label is not None and part.label.coarse == coarse


def _rank(part: Verdict) -> int:
    return part.label.rank if part.label else 0


def _evidence(verdicts: Sequence[Verdict]) -> tuple[Span, ...]:
    spans = dict.fromkeys(span for verdict in verdicts for span in verdict.evidence)
    return tuple(spans)[:MOST_EVIDENCE]


def _told(part: Verdict) -> str:
    """What is said of a part, in words: for a relation its name, its cue and what it links.

    `The cause relation “because” is fabricated (the cause: It rained; the effect: They left).`
    """
    unit, label = part.unit, str(part.label)
    if not isinstance(unit, Relation) or unit.first is None or unit.second is None:
        return f"The {unit.kind} “{_short(unit)}” is {label}. {part.note}".strip()
    kind, cue = KINDS[unit.name], f" “{unit.cue.text}”" if unit.cue else ""
    first, second = (_short(end).rstrip(".") for end in (unit.first, unit.second))
    ends = f"({kind.first}: {first}; {kind.second}: {second})"
    return f"The {unit.name} relation{cue} is {label} {ends}. {part.note}".strip()


def _note(backend: str, *said: str) -> str:
    return " ".join(filter(None, (*said, f"[{backend}]")))


def _said(first: str, remarks: Sequence[str]) -> str:
    return "; ".join((first, *remarks))


def _short(unit: Unit, most: int = 160) -> str:
    text = " ".join(unit.text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")
