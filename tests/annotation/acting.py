"""People who work as they do in the page: they save changes and submit."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace
from sqlalchemy import select

from assay.annotation.items.drafts import UnitEdit, read_item, read_units
from assay.annotation.items.work import begin, change, submit
from assay.annotation.studio import Person, Studio
from assay.core.wire import (
    AnswersRecord,
    ExternalRecord,
    SenseRecord,
    SpanRecord,
    UnitRecord,
    VerdictRecord,
)
from assay.store.annotation.tables import items, projects, work
from assay.store.annotation.work import load_work

_ANSWERS = {
    "explicitly-supported": AnswersRecord(True, False, True, True),
    "implicitly-supported": AnswersRecord(True, False, True, False),
    "contradicting": AnswersRecord(True, False, False, contradicted=True),
    "out-dependent": AnswersRecord(
        True, False, False, contradicted=False, entailed_with_knowledge=True
    ),
    "fabricated": AnswersRecord(
        True, False, False, contradicted=False, entailed_with_knowledge=False
    ),
    "no-fact": AnswersRecord(False),
}
_ANSWERS["ambiguous"] = AnswersRecord(
    True,
    True,
    senses=[
        SenseRecord("one way", _ANSWERS["explicitly-supported"]),
        SenseRecord("the other way", _ANSWERS["contradicting"]),
    ],
)


def verdict(label: str, source: str, note: str = "because") -> VerdictRecord:
    """A verdict that lacks nothing: answers, evidence, a reason, a link."""
    return VerdictRecord(
        label=label,
        note=note,
        evidence=[SpanRecord(0, 4, source[:4])],
        external=[ExternalRecord("https://example.org/")] if label == "out-dependent" else [],
        answers=_ANSWERS[label],
    )


def work_of(studio: Studio, who: Person, slug: str, position: int, stage: str) -> int:
    """The number of somebody's work on an item."""
    purpose = stage if stage in ("training", "quiz") else "real"
    with studio.read() as connection:
        query = (
            select(work.c.id)
            .join(items, items.c.id == work.c.item)
            .join(projects, projects.c.id == work.c.project)
            .where(projects.c.slug == slug, items.c.position == position)
            .where(work.c.person == who.id, work.c.stage == stage, items.c.purpose == purpose)
        )
        return int(connection.execute(query).scalar_one())


def state_of(studio: Studio, slug: str, position: int) -> str:
    """The state of an item."""
    with studio.read() as connection:
        query = (
            select(items.c.state)
            .join(projects, projects.c.id == items.c.project)
            .where(projects.c.slug == slug, items.c.position == position)
            .where(items.c.purpose == "real")
        )
        return str(connection.execute(query).scalar_one())


def begun(studio: Studio, number: int) -> tuple[int, list[UnitRecord], str, str]:
    """Begins a work: its version and units, and the two texts of its item."""
    with studio.write() as connection:
        row = load_work(connection, number)
        assert row is not None
        row = begin(connection, studio.now(), row)
    example = read_item(row.record).example
    return row.version, read_units(row.draft), example.source.text, example.response.text


def do(
    studio: Studio,
    who: Person,
    number: int,
    said: Sequence[str] | Mapping[str, str],
    note: str = "because",
) -> str:
    """Labels all sentences, or marks words, and submits; the state of the item."""
    version, units, source, response = begun(studio, number)
    if isinstance(said, Mapping):
        edits = [UnitEdit(unit.id) for unit in units]
        for place, (words, label) in enumerate(said.items(), start=1):
            start = response.index(words)
            opinion = VerdictRecord(label=label, note=note)
            end = start + len(words)
            edits.append(
                UnitEdit(
                    f"q{place}", UnitRecord(f"q{place}", "span", words, start, end, verdict=opinion)
                )
            )
    else:
        edits = [
            UnitEdit(unit.id, replace(unit, verdict=verdict(label, source, note)))
            for unit, label in zip(units, said, strict=True)
        ]
    if edits:
        version = change(studio, who, number, version, "edit", edits).version
    return submit(studio, who, number, version).state


def annotate(
    studio: Studio,
    who: Person,
    slug: str,
    position: int,
    said: Sequence[str] | Mapping[str, str],
    stage: str = "annotate",
) -> str:
    """Does somebody's work on an item; the state that the item has then."""
    return do(studio, who, work_of(studio, who, slug, position, stage), said)
