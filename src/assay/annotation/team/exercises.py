"""Training examples and questions of a quiz: those of a project, and those that come with Assay.

Each is an example with the judgement that is right. The shipped ones have both sentences and spans;
a project gets what it asks for.

An answer is compared with the gold unit by unit. A sentence is right where it has the boundaries
and the label of the gold. A span of the gold is right where a span that overlaps it has its label;
a span that overlaps none of the gold is wrong; and where the gold has no span at all, the response
as a whole is right if nothing was marked.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Literal

from assay.annotation import access
from assay.annotation.settings import ProjectSettings, read_settings
from assay.annotation.studio import Person, Studio
from assay.annotation.team.disagreement import overlaps, place_of, sentences
from assay.core.codec import read_example
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Finding, Judgement
from assay.core.labels import Label
from assay.core.records import unit_record
from assay.core.taxonomies import FAITHBENCH
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Verdict
from assay.core.wire import UnitRecord
from assay.store.annotation.database import Connection
from assay.store.annotation.exchange import NewItem, insert_items, stored_item
from assay.store.annotation.items import count_items
from assay.store.annotation.judgements import stored_judgement

Kind = Literal["training", "quiz"]
KINDS: tuple[Kind, ...] = ("training", "quiz")


@dataclass(frozen=True, slots=True)
class Mark:
    """A unit of an answer beside the gold; `is_near` means that at least the coarse class is right.

    `unit` is the gold with its label, reason and evidence; None where nothing should be marked
    there, and then `start`, `end` and `text` say where it was.
    """

    start: int
    end: int
    text: str
    label: str | None  # theirs
    gold: str
    is_right: bool
    is_near: bool
    unit: UnitRecord | None


@dataclass(frozen=True, slots=True)
class Score:
    """The share of units that are right, and the share whose coarse class is; out of `n`."""

    n: int
    right: int
    near: int

    @property
    def share(self) -> float:
        """The share of units with the very label."""
        return self.right / self.n if self.n else 1.0

    @property
    def near_share(self) -> float:
        """The share of units whose coarse class is right."""
        return self.near / self.n if self.n else 1.0


def shipped(purpose: Kind, settings: ProjectSettings) -> tuple[Annotated, ...]:
    """The training examples or the quiz that come with Assay, with the gold a project asks for."""
    place = files("assay.annotation") / "shipped" / f"{purpose}.jsonl"
    lines = place.read_text("utf-8").splitlines()
    return tuple(_asked_for(read_example(line, purpose), settings) for line in lines)


def add_shipped(studio: Studio, who: Person, slug: str) -> dict[str, int]:
    """Gives a project the training and the quiz that come with Assay; how many items of each."""
    with studio.write() as connection:
        project = access.require(connection, who, "manage-project", slug)
        settings, now = read_settings(project.settings), studio.now()
        if any(count_items(connection, project.id, kind) for kind in KINDS):
            raise InputError("the project has training examples or a quiz already", code="has-quiz")
        return {
            kind: add_items(connection, now, project.id, kind, shipped(kind, settings))
            for kind in KINDS
        }


def add_items(
    connection: Connection, now: str, project: int, purpose: Kind, annotated: Iterable[Annotated]
) -> int:
    """Adds training examples or questions of the quiz; each needs one judgement by people."""
    new: list[NewItem] = []
    for each in annotated:
        if len(each.gold) != 1:
            message = f"'{each.id}' needs one judgement by people as its gold, not {len(each.gold)}"
            raise InputError(message, code="no-gold")
        (gold,) = each.gold
        right = replace(stored_judgement(project, 0, gold), at=gold.at or now)
        new.append(
            NewItem(stored_item(project, each.example, purpose=purpose, state="open"), [right])
        )
    insert_items(connection, project, new)
    return len(new)


def _asked_for(annotated: Annotated, settings: ProjectSettings) -> Annotated:
    wanted = {"sentence"} if settings.has_sentences else set()
    wanted |= {"span", "response"} if settings.has_spans else set()
    (gold,) = annotated.gold
    units = tuple(unit for unit in gold.units if unit.kind in wanted)
    kept = {unit.id for unit in units}
    outcomes = tuple(each for each in gold.outcomes if each.unit in kept)
    return Annotated(annotated.example, (replace(gold, units=units, outcomes=outcomes),))


def mark(
    answer: Judgement, gold: Judgement, settings: ProjectSettings, response: str
) -> tuple[Mark, ...]:
    """An answer beside the gold, in the order of the response."""
    found: list[Mark] = []
    if settings.has_sentences:
        found += _mark_sentences(answer, gold)
    if settings.has_spans:
        found += _mark_spans(answer, gold, response)
    return tuple(sorted(found, key=lambda each: (each.start, each.end)))


def score(marks: Sequence[Mark]) -> Score:
    """The numbers of units that are right, and nearly right."""
    right = sum(each.is_right for each in marks)
    return Score(len(marks), right, sum(each.is_near for each in marks))


def _mark_sentences(answer: Judgement, gold: Judgement) -> Iterator[Mark]:
    theirs = {place_of(each): each.label for each in sentences(answer)}
    for each in sentences(gold):
        yield _mark(each, theirs.get(place_of(each)))


def _mark_spans(answer: Judgement, gold: Judgement, response: str) -> Iterator[Mark]:
    marked, wanted = sentences(answer, "span"), sentences(gold, "span")
    for each in wanted:
        near = [other.label for other in marked if _touch(each, other)]
        yield _mark(each, each.label if each.label in near else next(iter(near), None))
    for extra in marked:
        if not any(_touch(extra, each) for each in wanted):
            start, end = place_of(extra)
            label = str(extra.label) if extra.label else None
            yield Mark(start, end, extra.text, label, "consistent", False, False, None)
    if not wanted and not marked:
        consistent = FAITHBENCH["consistent"]
        note = gold.finding(RESPONSE)
        whole = Unit.response(response)
        verdict = note.outcome if note else Verdict(RESPONSE, consistent)
        yield _mark(Finding(whole, verdict), consistent)


def _mark(gold: Finding, theirs: Label | None) -> Mark:
    start, end = place_of(gold)
    label = gold.label
    is_near = bool(theirs and label and theirs.coarse == label.coarse)
    record = unit_record(gold.unit, gold.outcome, label.taxonomy if label else "")
    return Mark(
        start,
        end,
        gold.text,
        str(theirs) if theirs else None,
        str(label),
        bool(theirs and theirs == label),
        is_near,
        record,
    )


def _touch(one: Finding, other: Finding) -> bool:
    return any(
        overlaps((a.start, a.end), (b.start, b.end))
        for a in one.unit.spans
        for b in other.unit.spans
    )
