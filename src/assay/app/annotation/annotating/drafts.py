"""Drafts: the units of an item as somebody judges them, and the edits that make them.

A label of a draft is of the menu for its kind of unit: gray7 for sentences, FaithBench's for spans.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay.app.annotation.settings import ProjectSettings
from assay.core.codec import Reader, encode, read_example
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement
from assay.core.labels import Label, Taxonomy
from assay.core.records import unit_record
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.units import UnitKind
from assay.core.wire import AttributesRecord, LabelRecord, UnitRecord
from assay.text.units import sentence_units

EditKind = Literal["edit", "split", "merge", "undo", "redo"]
MENUS: dict[UnitKind, Taxonomy] = {"sentence": GRAY7, "span": FAITHBENCH}
_ORDER = {"sentence": 0, "span": 1}


class Edit(Struct, forbid_unknown_fields=True):
    """What the unit of an id becomes; without a unit it goes."""

    id: str
    unit: UnitRecord | None = None


_units = Reader(list[UnitRecord])
_edits = Reader(list[Edit])


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


def read_edits(text: str) -> list[Edit]:
    """The edits of a change that was kept."""
    return _edits.read(text, "the change")


def edits_from(values: object) -> list[Edit]:
    """The edits in values that came from outside; anything else raises and says where."""
    try:
        return msgspec.convert(values, list[Edit])
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
    found = verdict.attributes.nothing_found
    kept = None if found is None else AttributesRecord(nothing_found=found)
    return replace(unit, verdict=replace(verdict, attributes=kept))


def units_of(judgement: Judgement) -> list[UnitRecord]:
    """All units of a judgement, with labels that name their menu unless it is that of the kind."""
    said = {each.unit: each for each in judgement.outcomes}
    menus = {kind: menu.name for kind, menu in MENUS.items()}
    return in_order(
        unit_record(unit, said.get(unit.id), menus.get(unit.kind, "")) for unit in judgement.units
    )


def fold(units: Iterable[UnitRecord], edits: Iterable[Edit]) -> list[UnitRecord]:
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
    """Where a unit stands in the response."""
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
