"""Drafts: the units of an item as somebody judges them, the edits that make them, and the
judgement that a finished one becomes.

A label of a draft is of the menu for its kind of unit: gray7 for sentences, FaithBench's for spans.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay.annotation.settings import ProjectSettings
from assay.core.codec import Reader, encode, read_example, verify
from assay.core.decision import Answers, decide
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement
from assay.core.labels import Label, Taxonomy, worst
from assay.core.records import read_answers_record, read_judgement_record, unit_record
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.units import RESPONSE, Unit, UnitKind
from assay.core.verdicts import GIVEN_ATTRIBUTES, Attributes, Verdict
from assay.core.wire import (
    AttributesRecord,
    AuthorRecord,
    InterpretationRecord,
    JudgementRecord,
    LabelRecord,
    UnitRecord,
    VerdictRecord,
)
from assay.datasets.corpora.faithbench_marks import class_of, worst_of
from assay.text.sentences import sentence_units

EditKind = Literal["edit", "split", "merge", "undo", "redo"]
MENUS: dict[UnitKind, Taxonomy] = {"sentence": GRAY7, "span": FAITHBENCH}
_ORDER = {"sentence": 0, "span": 1}


class UnitEdit(Struct, forbid_unknown_fields=True):
    """The new form of the unit with an id; without a unit, it is deleted."""

    id: str
    unit: UnitRecord | None = None


_units = Reader(list[UnitRecord])
_edits = Reader(list[UnitEdit])


@lru_cache(maxsize=64)
def read_item(record: str) -> Annotated:
    """The example of an item's record; items do not change, and the latest are remembered."""
    return read_example(record, "the item")


def read_units(text: str) -> list[UnitRecord]:
    """The units of a draft that was kept."""
    return _units.read(text, "the draft") if text else []


def write_units(units: Iterable[UnitRecord]) -> str:
    """The units of a draft as they are kept."""
    return encode(list(units)).decode()


def read_edits(text: str) -> list[UnitEdit]:
    """The edits of a change that was kept."""
    return _edits.read(text, "the change")


def edits_from(values: object) -> list[UnitEdit]:
    """The edits in values that came from outside; anything else raises and says where."""
    try:
        return msgspec.convert(values, list[UnitEdit])
    except (msgspec.ValidationError, RecursionError) as error:
        raise InputError(f"the changes cannot be read: {error}", field="changes") from None


def first_draft(annotated: Annotated, settings: ProjectSettings) -> list[UnitRecord]:
    """The draft that work on an item begins with: all sentences where these are judged, no span."""
    return list(_sentences(annotated.example)) if settings.has_sentences else []


@lru_cache(maxsize=64)
def _sentences(example: Example) -> tuple[UnitRecord, ...]:
    return tuple(in_order(unit_record(unit, None, "") for unit in sentence_units(example)))


def draft_of(judgement: Judgement) -> list[UnitRecord]:
    """The draft that leads to a judgement: its sentences and spans with what was said of them.

    What programs noted beside a verdict is no part of it: people do not say that.
    """
    return [_plain(unit) for unit in units_of(judgement) if unit.kind in MENUS]


def _plain(unit: UnitRecord) -> UnitRecord:
    verdict = unit.verdict
    if verdict is None or verdict.attributes is None:
        return unit
    given = given_attributes(verdict.attributes)
    kept = None if given == AttributesRecord() else given
    return replace(unit, verdict=replace(verdict, attributes=kept))


def given_attributes(attributes: AttributesRecord) -> AttributesRecord:
    """Those attributes of a verdict that people give; the others are of programs."""
    return AttributesRecord(**{name: getattr(attributes, name) for name in GIVEN_ATTRIBUTES})


def units_of(judgement: Judgement) -> list[UnitRecord]:
    """All units of a judgement, with labels that name their menu unless it is that of the kind."""
    said = {each.unit: each for each in judgement.outcomes}
    menus = {kind: menu.name for kind, menu in MENUS.items()}
    return in_order(
        unit_record(unit, said.get(unit.id), menus.get(unit.kind, "")) for unit in judgement.units
    )


def fold(units: Iterable[UnitRecord], edits: Iterable[UnitEdit]) -> list[UnitRecord]:
    """The draft after some edits."""
    by_id = {unit.id: unit for unit in units}
    for each in edits:
        if each.unit is None:
            by_id.pop(each.id, None)
        else:
            by_id[each.id] = each.unit
    return in_order(by_id.values())


def in_order(units: Iterable[UnitRecord]) -> list[UnitRecord]:
    """Sentences before spans, each in the order of the response; a span before what it contains."""
    return sorted(units, key=_place)


def _place(unit: UnitRecord) -> tuple[int, int, int, str]:
    places = places_of(unit)
    start = min((start for start, _ in places), default=0)
    end = max((end for _, end in places), default=0)
    return (_ORDER.get(unit.kind, 2), start, -end, unit.id)


def places_of(unit: UnitRecord) -> Sequence[tuple[int, int]]:
    """The places of a unit in the response."""
    if unit.start is not None and unit.end is not None:
        return ((unit.start, unit.end),)
    return [(each.start, each.end) for each in unit.spans]


def label_of(unit: UnitRecord) -> Label | None:
    """The label that a unit has so far."""
    said = unit.verdict.label if unit.verdict else None
    return None if said is None else read_label(said, unit.kind)


def labels_of(unit: UnitRecord) -> tuple[Label, ...]:
    """All labels that were chosen for a span; several are kept as its interpretations.

    A kind of unwanted stands for unwanted itself, where both were chosen.
    """
    if unit.verdict is None:
        return ()
    several = [read_label(each.label, unit.kind) for each in unit.verdict.interpretations]
    own = label_of(unit)
    chosen = dict.fromkeys(several or ([own] if own else []))
    parents = {label.parent for label in chosen}
    return tuple(label for label in chosen if label.name not in parents)


def read_label(record: str | LabelRecord, kind: UnitKind) -> Label:
    """A label of the menu for a kind of unit, by its very name."""
    menu = MENUS[kind]
    if isinstance(record, LabelRecord) and record.taxonomy != menu.name:
        raise InputError(f"a {kind} has labels of {menu.name}, not of {record.taxonomy}")
    name = record.label if isinstance(record, LabelRecord) else record
    label = menu[name]
    if label.name != name:
        raise InputError(f"the label '{name}' is written '{label.name}'", code="unknown-name")
    return label


def answers_of(verdict: VerdictRecord) -> Answers:
    """The answers that were given so far."""
    return read_answers_record(verdict.answers) if verdict.answers else Answers()


def judgement_from(
    units: Iterable[UnitRecord],
    example: Example,
    settings: ProjectSettings,
    author: str,
    round: int,
    at: str,
) -> Judgement:
    """The judgement that a finished draft is; one of a later round replaces that before it.

    Where spans are marked it says of the whole response what FaithBench says: the worst class that
    was marked, or consistent.
    """
    judged = [_finished(unit) for unit in units if unit.kind in MENUS]
    if settings.has_spans:
        judged.append(_pooled(judged, example))
    record = JudgementRecord(
        example=example.id,
        author=AuthorRecord(author, "person"),
        units=judged,
        source_characters=len(example.source.text),
        characters_read=len(example.source.text),
        at=at,
        round=round,
        supersedes=f"{example.id}/{author}/{round - 1}" if round > 1 else "",
    )
    return verify(read_judgement_record(record, "the draft"), example)


def _finished(unit: UnitRecord) -> UnitRecord:
    """A unit whose labels name their menus, and follow from what was answered or chosen."""
    verdict = unit.verdict
    if verdict is None:
        return unit
    if unit.kind == "span":
        chosen = labels_of(unit)
        label: Label | None = worst_of(chosen) if chosen else None
        meanings = [("", each) for each in chosen] if len(chosen) > 1 else []
    else:
        label, meanings = label_of(unit), _readings(verdict)
    interpretations = [InterpretationRecord(_explicit(each), text) for text, each in meanings]
    named = _explicit(label) if label else None
    return replace(unit, verdict=replace(verdict, label=named, interpretations=interpretations))


def _readings(verdict: VerdictRecord) -> list[tuple[str, Label]]:
    answers = answers_of(verdict)
    if not answers.senses:
        return []
    return [(each.meaning, each.label) for each in decide(answers).interpretations]


def _pooled(units: Iterable[UnitRecord], example: Example) -> UnitRecord:
    marked = [class_of(each) for unit in units if unit.kind == "span" for each in labels_of(unit)]
    label = worst(marked) if marked else FAITHBENCH["consistent"]
    verdict = Verdict(RESPONSE, label, attributes=Attributes(from_marks=True))
    return unit_record(Unit.response(example.response.text), verdict, "")


def _explicit(label: Label) -> LabelRecord:
    return LabelRecord(label.taxonomy, label.name)
