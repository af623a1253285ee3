"""Flags of a file handed over to a project for audit, and its decisions as the same lines."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import select

from assay.app.annotation import access
from assay.app.annotation.annotating.drafts import read_item
from assay.app.annotation.audit.audits import add_flags, flag_rows
from assay.app.annotation.audit.kept_notes import keep_notes, kept_notes
from assay.app.annotation.exchange.imported import Imported
from assay.app.annotation.exchange.importing import import_file, project_for_file
from assay.app.annotation.settings import ProjectSettings
from assay.app.annotation.studio import Person, Studio
from assay.app.annotation.team.disagreement import pooled_class
from assay.app.annotation.team.settled import Final, final_of
from assay.audit.applying import gold_of
from assay.audit.comparing import Comparing
from assay.audit.flagging import Reason, Suspicion, reason_against, reason_of, suspicion_of
from assay.audit.forms import FlaggedUnit, without_forms
from assay.audit.notes import notes_on, with_notes, without_notes
from assay.core.codec import read_judgement, write_example
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.labels import Label
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Attributes, Verdict
from assay.evaluation.errors.answers import NOBODY, OPEN
from assay.store.studio.queues import AnyRow
from assay.store.studio.reading import judgements_of
from assay.store.studio.tables import items, people
from assay.text.units import response_unit

_MENUS = {"sentence": GRAY7.name, "response": FAITHBENCH.name}


@dataclass(frozen=True, slots=True)
class HandedOver:
    """What became of flags that a project was to take over; `known` were there before."""

    project: str
    items: Imported
    added: int
    known: int
    refused: int  # of items that the project did not take


def hand_over(
    studio: Studio,
    who: Person,
    name: str,
    lines: Sequence[Annotated],
    flags: Sequence[FlaggedUnit],
) -> HandedOver:
    """Puts flags up for audit in a project, which is made if there is none of that name."""
    kinds = {flag.unit.kind for flag in flags}
    for flag in flags:
        wanted = _MENUS.get(flag.unit.kind)
        if flag.label.taxonomy != wanted or len(kinds) > 1:
            raise InputError(
                "the studio audits gray7 labels of sentences, or faithbench labels of responses; "
                f"'{flag.line.id}' has a {flag.label.taxonomy} label of a {flag.unit.kind}: decide "
                "in the file instead",
                code="not-for-studio",
                field="studio",
            )
    mode: Any = "spans" if kinds == {"response"} else "sentences"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flags.jsonl"
        with path.open("wb") as file:
            for line in lines:
                file.write(write_example(_with_gold(line, flags)) + b"\n")
        slug = project_for_file(studio, who, str(path), name, ProjectSettings(mode=mode))
        imported = import_file(studio, who, slug, str(path))
    found: dict[str, list[Suspicion]] = {}
    for flag in flags:
        found.setdefault(flag.line.id, []).append(_suspicion(flag))
    added, known, refused = add_flags(studio, who, slug, found)
    keep_notes(studio, who, slug, notes_on(lines))
    return HandedOver(slug, imported, added, known, refused)


def decided_lines(studio: Studio, who: Person, slug: str) -> list[Annotated]:
    """The flagged items of a project as lines, with forms that say who decided what."""
    found: dict[int, Annotated] = {}
    with studio.read() as connection:
        project: Any = access.require(connection, who, "audit", slug)
        names = {row.id: row.name for row in connection.execute(select(people))}
        rows = connection.execute(flag_rows(project.id)).all()
        for number in dict.fromkeys(row.item for row in rows):
            item = connection.execute(select(items).where(items.c.id == number)).one()
            before = final_of(connection, item, audited=False)
            now = final_of(connection, item)
            if before is None or now is None:
                continue
            said = [
                read_judgement(each.record)
                for each in judgements_of(connection, [number]).get(number, [])
                if each.stage != "audit" and each.author != GOLD.name
            ]
            line = Annotated(read_item(item.record).example, (before.judgement, *said))
            own = [row for row in rows if row.item == number]
            found[number] = line.with_judgements(*_forms(line, own, before, now, names))
        notes = kept_notes(connection, project.id)
    return [with_notes(line, notes) for line in found.values()]


def _forms(
    line: Annotated, rows: Sequence[AnyRow], before: Final, now: Final, names: dict[int, str]
) -> Iterator[Judgement]:
    """A form by each person who decided about a flag of an item, and one by nobody for the rest."""
    by_person: dict[str, list[tuple[Unit, Verdict]]] = {}
    for row in rows:
        unit = before.judgement.by_id.get(row.unit) or response_unit(line.example)
        label = _label(before, row.unit)
        if label is None:
            continue
        verdict = Verdict(
            unit.id, label, note=row.note, attributes=Attributes(decision=row.decision or OPEN)
        )
        revised = now.judgement.finding(row.unit)
        if row.decision == "incorrect" and revised and revised.verdict:
            verdict = replace(revised.verdict, unit=unit.id)
        name = names.get(row.person, "") if row.decision else ""
        by_person.setdefault(name, []).append((unit, verdict))
    last = max((each.round for each in line.judgements), default=0)
    for name, said in by_person.items():
        yield Judgement(
            line.id,
            Author(name, "person") if name else NOBODY,
            tuple(unit for unit, _ in said),
            tuple(verdict for _, verdict in said),
            at=max((row.at for row in rows if names.get(row.person, "") == name), default=""),
            round=last + 1,
        )


def _label(settled: Final, unit: str) -> Label | None:
    if unit == RESPONSE:
        return pooled_class(settled.judgement)
    found = settled.judgement.finding(unit)
    return found.label if found else None


def _with_gold(line: Annotated, flags: Iterable[FlaggedUnit]) -> Annotated:
    """The line without forms, with one judgement by gold even where only annotators spoke."""
    plain = without_notes(without_forms(line))
    if any(each.author == GOLD for each in plain.gold):
        return plain
    units = [flag.unit for flag in flags if flag.line.id == line.id]
    return plain.with_judgements(gold_of(plain, units)) if units else plain


def _suspicion(flag: FlaggedUnit) -> Suspicion:
    """Who disagrees with a label, and what others say who were asked for their reasons only."""
    labelled, comparing, notes = (flag.unit, flag.label), Comparing(), notes_on([flag.line])
    found = (
        reason_of(labelled, each)
        if each.author.name in notes.rationale
        else reason_against(labelled, each, comparing)
        for each in flag.line.detected
    )
    return suspicion_of(flag.unit.id, [each for each in found if isinstance(each, Reason)])
