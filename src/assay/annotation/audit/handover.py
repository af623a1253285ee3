"""Flags of a file handed over to a project for audit, and its decisions as the same lines."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.annotation import access
from assay.annotation.audit.audits import add_flags, keep_notes, kept_notes
from assay.annotation.audit.labels import label_of
from assay.annotation.exchange.imports import import_file, project_for_file
from assay.annotation.exchange.new_items import Imported
from assay.annotation.items.drafts import read_item
from assay.annotation.settings import ProjectSettings, read_settings
from assay.annotation.studio import Person, Studio
from assay.audit.disagreement import (
    Comparing,
    Reason,
    Suspicion,
    reason_against,
    reason_of,
    suspicion_of,
)
from assay.audit.forms import without_forms
from assay.audit.notes import notes_on, with_notes, without_notes
from assay.audit.revisions import gold_of
from assay.core.codec import read_judgement, write_example
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Verdict
from assay.decisions.forms import NOBODY, judgement_of
from assay.decisions.proposals import OPEN, REVISED, Proposal
from assay.store.annotation.finals import final_of
from assay.store.annotation.flags import ListedFlag, listed_flags
from assay.store.annotation.items import items_by_id
from assay.store.annotation.judgements import judgements_of
from assay.store.annotation.records import by_item
from assay.text.sentences import response_unit

_MENUS = {"sentence": GRAY7.name, "response": FAITHBENCH.name}


@dataclass(frozen=True, slots=True)
class HandedOver:
    """The flags that a project took over; `known` were there before."""

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
    flags: Sequence[Proposal],
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
    found: list[Annotated] = []
    with studio.read() as connection:
        project = access.require(connection, who, "audit", slug)
        settings = read_settings(project.settings)
        notes = kept_notes(connection, project.id)
        for number, flags in by_item(listed_flags(connection, project.id)).items():
            (item,) = items_by_id(connection, [number])
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
            forms = _forms(line, flags, (before.judgement, now.judgement), settings)
            found.append(with_notes(line.with_judgements(*forms), notes))
    return found


def _forms(
    line: Annotated,
    flags: Sequence[ListedFlag],
    versions: tuple[Judgement, Judgement],
    settings: ProjectSettings,
) -> Iterator[Judgement]:
    """A form by each person who decided about a flag of an item, and one by nobody for the rest.

    The versions are the settled judgement before the audit, and now.
    """
    before, now = versions
    by_person: dict[str, list[tuple[Unit, Verdict]]] = {}
    for flag in flags:
        unit = before.by_id.get(flag.unit) or response_unit(line.example)
        label = label_of(before, flag.unit, settings)
        if label is None:
            continue
        attributes = Attributes(decision=flag.decision or OPEN)
        verdict = Verdict(unit.id, label, note=flag.note, attributes=attributes)
        revised = now.finding(flag.unit)
        if flag.decision == REVISED and revised and revised.verdict:
            verdict = replace(revised.verdict, unit=unit.id)
        by_person.setdefault(flag.name or "", []).append((unit, verdict))
    last = max((each.round for each in line.judgements), default=0)
    for name, said in by_person.items():
        author = Author(name, "person") if name else NOBODY
        at = max(flag.at for flag in flags if (flag.name or "") == name)
        yield judgement_of(line.id, author, said, at=at, round=last + 1)


def _with_gold(line: Annotated, flags: Iterable[Proposal]) -> Annotated:
    """The line without forms, with one judgement by gold even where only annotators spoke."""
    plain = without_notes(without_forms(line))
    if any(each.author == GOLD for each in plain.gold):
        return plain
    units = [flag.unit for flag in flags if flag.line.id == line.id]
    return plain.with_judgements(gold_of(plain, units)) if units else plain


def _suspicion(flag: Proposal) -> Suspicion:
    """Those who disagree with a label, and those who were asked for their reasons only."""
    labelled, comparing, notes = (flag.unit, flag.label), Comparing(), notes_on([flag.line])
    found = (
        reason_of(labelled, each)
        if each.author.name in notes.rationale
        else reason_against(labelled, each, comparing)
        for each in flag.line.detected
    )
    return suspicion_of(flag.unit.id, [each for each in found if isinstance(each, Reason)])
