"""What people say of a response, unit by unit: the label that counts, and who gave which."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.core.judgements import GOLD, Finding, Judgement
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Verdict

Place = tuple[str, tuple[tuple[int, int], ...], str]


@dataclass(frozen=True, slots=True)
class Opinion:
    """A unit with the label that is shown for it, and what other persons say of the same unit.

    `who` gave the label; it is empty where the corpus settled on it.
    """

    finding: Finding
    who: str
    others: tuple[tuple[str, Finding], ...]


def opinions(gold: Judgement, people: Sequence[Judgement]) -> Iterator[Opinion]:
    """The whole response first, then its parts: the corpus's own labels before the annotators'."""
    by_unit: dict[Place, list[tuple[str, Finding]]] = {}
    own = ""
    for judgement in sorted(people, key=lambda each: each.author != GOLD):
        name = "" if judgement.author == GOLD else judgement.author.name
        for finding in judgement.findings:
            if finding.id == RESPONSE and not name:
                own = finding.note
            else:
                by_unit.setdefault(_place(finding.unit), []).append((name, finding))
    for whole in gold.findings:
        others = tuple(each for each in by_unit.pop(_place(whole.unit), ()) if each[0])
        outcome = whole.outcome
        if whole.id == RESPONSE and isinstance(outcome, Verdict) and (own or others):
            whole = Finding(whole.unit, replace(outcome, note=own))
        yield Opinion(whole, "", others)
    for (who, finding), *more in by_unit.values():
        yield Opinion(finding, who, tuple(more))


def _place(unit: Unit) -> Place:
    """What makes two persons' units the same: their kind and where they stand, or their words."""
    if unit.id == RESPONSE:
        return RESPONSE, (), ""
    spans = tuple((each.start, each.end) for each in unit.spans)
    return unit.kind, spans, "" if spans else unit.text
