"""Which judgements settle an item that is done, and the one judgement that they make.

A revision by an audit counts most, then an adjudication, then a review, then what the annotators
agree on, and where nobody annotated it here, the label that the data came with. Of annotators who
agree, the first one's sentences are taken with their reasons, and the spans of all: FaithBench's
classes can agree where marks do not.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, Protocol, TypeVar

from assay.core.judgements import GOLD, Judgement
from assay.core.spans import Span
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Outcome

Origin = Literal["audit", "adjudication", "review", "agreement", "import"]
_ORIGINS: dict[str, Origin] = {
    "audit": "audit",
    "adjudicate": "adjudication",
    "review": "review",
    "imported": "import",
}


class Spoken(Protocol):
    """A judgement, by the columns of its row that tell what it counts for."""

    @property
    def kind(self) -> str: ...
    @property
    def author(self) -> str: ...
    @property
    def stage(self) -> str: ...
    @property
    def is_current(self) -> bool: ...


S = TypeVar("S", bound=Spoken)


def settling(said: Sequence[S]) -> list[S]:
    """Of all that was said of an item which is done, what settles it: all that agree, or one."""
    people = [each for each in said if each.kind == "person" and each.is_current]
    for stage in ("audit", "adjudicate", "review"):
        if found := [each for each in people if each.stage == stage]:
            return found[-1:]
    if here := [each for each in people if each.stage in ("annotate", "discuss")]:
        return here
    imported = [each for each in people if each.stage == "imported"]
    gold = [each for each in imported if each.author == GOLD.name]
    return gold[-1:] or (imported if len(imported) == 1 else [])


def origin_of(settling: Sequence[Spoken]) -> Origin:
    """Where a settled judgement comes from."""
    return _ORIGINS.get(settling[0].stage, "agreement")


def settled(given: Sequence[Judgement], origin: Origin) -> Judgement:
    """The judgement by `gold` that some judgements make; an audit's says what it supersedes."""
    whole = given[0] if len(given) == 1 else merged(given)
    if origin == "audit":
        return replace(whole, author=GOLD)
    return replace(whole, author=GOLD, round=1, supersedes="")


def merged(given: Sequence[Judgement]) -> Judgement:
    """The first judgement with the spans of the others; spans that are the same stay one."""
    spans = merged_spans(given)
    first = given[0]
    units = [unit for unit in first.units if unit.kind != "span"]
    kept = {unit.id for unit in units}
    outcomes = [outcome for outcome in first.outcomes if outcome.unit in kept]
    return replace(
        first,
        units=(*units, *(unit for unit, _ in spans)),
        outcomes=(*outcomes, *(outcome for _, outcome in spans)),
    )


def merged_spans(given: Sequence[Judgement]) -> list[tuple[Unit, Outcome]]:
    """The spans that anybody marked, numbered anew; a mark with the same label stays one."""
    found: dict[tuple[tuple[Span, ...], str], tuple[Unit, Outcome]] = {}
    for judgement in given:
        names: dict[str, str] = {}
        for finding in judgement.findings:
            if finding.kind != "span":
                continue
            key = (finding.unit.spans, str(finding.label))
            if key not in found:
                id = unit_id("span", len(found) + 1)
                parent = names.get(finding.unit.parent, "")
                unit = replace(finding.unit, id=id, parent=parent)
                found[key] = (unit, replace(finding.outcome, unit=id))
            names[finding.id] = found[key][0].id
    return list(found.values())
