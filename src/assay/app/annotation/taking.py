"""Taking over what another person said of a unit, or of all of an item, into one's own draft."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace
from sqlalchemy import Connection, select

from assay.app.annotation import access
from assay.app.annotation.disagreement import Place, overlaps
from assay.app.annotation.drafts import Edit, draft_of, places_of, read_units
from assay.app.annotation.studio import Person, Studio
from assay.app.annotation.work import Saved, change
from assay.core.codec import read_judgement
from assay.core.errors import InputError
from assay.core.units import UnitKind, unit_id
from assay.core.wire import UnitRecord
from assay.store.studio.queues import said_of
from assay.store.studio.tables import items


def take_from(
    studio: Studio, who: Person, work_id: int, base: int, *, author: str, unit: str = ""
) -> Saved:
    """Puts what another person said of a unit into a draft; without a unit, all that they said.

    Where the two cut sentences in different ways, all that overlap are taken together.
    """
    with studio.read() as connection:
        row = access.require_work(connection, who, work_id)
        theirs = _said(connection, who, row.item, author)
        mine = read_units(row.draft)
    edits = list(_all(mine, theirs) if not unit else _one(mine, theirs, unit))
    return change(studio, who, work_id, base, "edit", edits)


def _said(connection: Connection, who: Person, number: int, author: str) -> list[UnitRecord]:
    item = connection.execute(select(items).where(items.c.id == number)).one()
    if not access.may_see_others(connection, who, item):
        raise access.ForbiddenError("the item is still annotated blind", code="blind")
    rows = [row for row in said_of(connection, [number]) if row.author == author]
    if not rows:
        message = f"'{author}' has no judgement of the item"
        raise InputError(message, field="author", code="no-judgement")
    return draft_of(read_judgement(rows[-1].record))


def _all(mine: Sequence[UnitRecord], theirs: Sequence[UnitRecord]) -> Iterator[Edit]:
    kept = {each.id for each in theirs}
    yield from (Edit(each.id) for each in mine if each.id not in kept)
    yield from (Edit(each.id, each) for each in theirs)


def _one(mine: Sequence[UnitRecord], theirs: Sequence[UnitRecord], unit: str) -> Iterator[Edit]:
    wanted = next((each for each in theirs if each.id == unit), None)
    if wanted is None:
        raise InputError(f"there is no unit '{unit[:80]}' to take", field="unit")
    if wanted.kind == "span":
        old = [each for each in mine if each.kind == "span" and _same_place(each, wanted)]
        new = [replace(wanted, parent="")]
    else:
        place = _place(wanted)
        while (wider := _widened(place, [*mine, *theirs])) != place:
            place = wider
        old = _sentences_in(mine, place)
        new = _sentences_in(theirs, place)
    yield from _swap(mine, old, new)


def _swap(
    mine: Sequence[UnitRecord], old: Sequence[UnitRecord], new: Sequence[UnitRecord]
) -> Iterator[Edit]:
    """Edits that put new units in the place of old ones, under ids that nothing else has."""
    gone = {each.id for each in old}
    taken = {each.id for each in mine} - gone
    named: list[UnitRecord] = []
    for each in new:
        id = each.id if each.id not in taken else _free_id(taken | gone, each.kind)
        taken.add(id)
        named.append(replace(each, id=id))
    kept = {each.id for each in named}
    yield from (Edit(id) for id in sorted(gone - kept))
    yield from (Edit(each.id, each) for each in named)


def _free_id(taken: set[str], kind: UnitKind) -> str:
    number = 1
    while unit_id(kind, number) in taken:
        number += 1
    return unit_id(kind, number)


def _widened(place: Place, units: Sequence[UnitRecord]) -> Place:
    touched = [_place(each) for each in _sentences_in(units, place)]
    return min(start for start, _ in touched), max(end for _, end in touched)


def _sentences_in(units: Sequence[UnitRecord], place: Place) -> list[UnitRecord]:
    return [each for each in units if each.kind == "sentence" and overlaps(_place(each), place)]


def _place(unit: UnitRecord) -> Place:
    places = places_of(unit)
    return min(start for start, _ in places), max(end for _, end in places)


def _same_place(one: UnitRecord, other: UnitRecord) -> bool:
    return list(places_of(one)) == list(places_of(other))
