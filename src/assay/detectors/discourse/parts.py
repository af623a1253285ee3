"""A sentence with what was found about its claims and relations."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace

from assay.core.judgements import Finding
from assay.core.labels import Label
from assay.core.taxonomies import GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Outcome, Verdict
from assay.detectors.discourse.aligning import shorten
from assay.text.discourse.relations import KINDS


@dataclass(frozen=True, slots=True)
class JudgedPart:
    """A claim or relation with the verdict on it."""

    unit: Unit
    verdict: Verdict

    @property
    def label(self) -> Label:
        """Its label; a verdict on a part always has one."""
        assert self.verdict.label
        return self.verdict.label

    @property
    def rank(self) -> int:
        return self.label.rank

    @property
    def is_bad(self) -> bool:
        """True if it is unfaithful."""
        return self.label.coarse == "unfaithful"

    @property
    def is_ambiguous(self) -> bool:
        """True if it has several readings."""
        return self.label == GRAY7["ambiguous"]


@dataclass(frozen=True, slots=True)
class Parts:
    """A sentence with what was found about its claims and relations.

    `known` has the units that its relations link, by id. `remarks` tell the reader about things
    that change no label. `hidden` are relations that could not be used, so that a link of the
    sentence may have gone unchecked; `unchecked` says what else of it did. `set_aside` has the ids
    of relations that do not count for the sentence.
    """

    sentence: Unit
    findings: tuple[Finding, ...] = ()
    known: Mapping[str, Unit] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    hidden: tuple[Finding, ...] = ()
    unchecked: str = ""
    set_aside: frozenset[str] = frozenset()

    @property
    def counted(self) -> tuple[Finding, ...]:
        """The findings on the parts that count for the sentence."""
        return tuple(each for each in self.findings if each.id not in self.set_aside)

    @property
    def judged(self) -> tuple[JudgedPart, ...]:
        """The claims and relations that count and have a verdict."""
        return tuple(JudgedPart(each.unit, each.verdict) for each in self.counted if each.verdict)

    @property
    def stating(self) -> tuple[JudgedPart, ...]:
        """Those of them that state a fact, or all if none does."""
        judged = self.judged
        return tuple(part for part in judged if part.verdict.coarse != "no-fact") or judged

    @property
    def unanswered(self) -> tuple[Finding, ...]:
        """The claims and relations that count and have no verdict."""
        return tuple(each for each in (*self.counted, *self.hidden) if each.failure)

    @property
    def sound_links(self) -> tuple[JudgedPart, ...]:
        """The unfaithful relations with an error of their own: what they link is right."""
        wrong = {part.unit.id for part in self.judged if part.is_bad}
        return tuple(
            part
            for part in self.judged
            if part.is_bad
            and part.verdict.error
            and part.unit.link
            and wrong.isdisjoint((part.unit.link.first, part.unit.link.second))
        )

    def count(self, kind: str) -> int:
        """The number of parts of a kind that have a verdict."""
        return sum(each.kind == kind and each.verdict is not None for each in self.findings)

    def tell(self, part: JudgedPart) -> str:
        """A finding in words: for a relation its name, its cue and the claims it links.

        `The cause relation “because” is fabricated (the cause: It rained; the effect: They left).`
        """
        unit, said, link, known = part.unit, part.verdict, part.unit.link, self.known
        if link is None or link.first not in known or link.second not in known:
            return f"The {unit.kind} “{shorten(unit.text)}” is {said.label}. {said.note}".strip()
        kind, cue = KINDS[link.name], f" “{link.cue.text}”" if link.cue else ""
        first, second = (shorten(known[end].text).rstrip(".") for end in (link.first, link.second))
        ends = f"({kind.first}: {first}; {kind.second}: {second})"
        return f"The {link.name} relation{cue} is {said.label} {ends}. {said.note}".strip()


def set_aside(parts: Parts, outcomes: Mapping[str, Outcome], unsaid: Container[str] = ()) -> Parts:
    """The parts without the relations that do not count for the sentence.

    One that rests on a wrong claim of another sentence has no error of its own: the error is that
    of the other sentence. One that no words of the response express, the ids of which are `unsaid`,
    is none of what the sentence states, unless the source contradicts it: two events in the wrong
    order are wrong without a "then". One without a verdict is not known to be. `outcomes` has what
    was found about every claim of the response, by its id.
    """
    aside = {**dict(_unsaid(parts, unsaid)), **dict(_resting(parts, outcomes))}
    remarks = (
        f"The relation “{shorten(each.text)}” does not count: {aside[each.id]}"
        for each in parts.findings
        if each.id in aside and not (each.verdict and each.verdict.coarse == "faithful")
    )
    return replace(
        parts,
        findings=tuple(
            _without_error(each, aside[each.id]) if each.id in aside else each
            for each in parts.findings
        ),
        remarks=(*parts.remarks, *remarks),
        set_aside=frozenset(aside),
    )


def _unsaid(parts: Parts, unsaid: Container[str]) -> Iterator[tuple[str, str]]:
    """The relations that no words express and that nobody found the source to contradict."""
    for each in parts.findings:
        if each.id not in unsaid:
            continue
        if each.failure:
            yield each.id, f"no words of the response say it. It has no verdict: {each.note}"
        elif each.label != "contradicting":
            yield each.id, "no words of the response say it, and the source does not contradict it."


def _resting(parts: Parts, outcomes: Mapping[str, Outcome]) -> Iterator[tuple[str, str]]:
    """The relations to a wrong claim of another sentence, each with what is wrong there."""
    for each in parts.findings:
        for end in (each.unit.link.first, each.unit.link.second) if each.unit.link else ():
            claim, said = parts.known.get(end), outcomes.get(end)
            if claim and said and claim.parent != each.unit.parent and said.coarse == "unfaithful":
                yield each.id, f"“{shorten(claim.text)}” in another sentence is {said.label}."


def _without_error(finding: Finding, why: str) -> Finding:
    if finding.verdict is None:
        return finding
    note = f"{finding.verdict.note} It does not count for its sentence: {why}".strip()
    return Finding(finding.unit, replace(finding.verdict, error=None, note=note))
