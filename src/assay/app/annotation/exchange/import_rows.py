"""The rows of the database that an imported example becomes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, insert, select

from assay.app.annotation.annotating.drafts import draft_of
from assay.app.annotation.exchange.project_file import ItemRecord, PersonRecord, WorkRecord
from assay.app.annotation.exchange.storable import require_storable
from assay.app.annotation.people.names import checked_name, fold
from assay.app.annotation.settings import ProjectSettings
from assay.app.annotation.studio import Purpose
from assay.core.codec import encode, write_example, write_judgement
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Judgement, current
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.store.studio.tables import members, people
from assay.text.units import find_sentences

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Keeping:
    """The project that items are brought into; `people` are the ids of those the file names."""

    project: int
    settings: ProjectSettings
    purpose: Purpose = "real"
    again: bool = False
    people: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewItem:
    """The values of an item, and of what hangs on it, without the item's number."""

    values: Values
    judgements: list[Values]
    work: list[Values]
    comments: list[Values]
    flags: list[Values]
    fetches: list[Values]

    @property
    def key(self) -> tuple[str, str]:
        """Purpose and example, which no two items of a project share."""
        return self.values["purpose"], self.values["example"]


def prepare(keeping: Keeping, annotated: Annotated, record: ItemRecord | None) -> NewItem:
    """What an example becomes; one that the database cannot hold raises."""
    example = _with_sentences(annotated) if record is None else annotated.example
    require_storable(example, annotated.judgements)
    record = record or _beginning(keeping, annotated)
    if record.is_settled:  # one of the others said it
        kept = tuple(each for each in annotated.judgements if each.author != GOLD)
        annotated = Annotated(annotated.example, kept)
    project, people = keeping.project, keeping.people
    work = [_work(project, people, each, annotated.gold) for each in record.work]
    if len({(each["person"], each["stage"]) for each in work}) < len(work):
        raise InputError("somebody has the same work twice")
    if len({each.unit for each in record.flags}) < len(record.flags):
        raise InputError("two flags are about the same unit")
    values = {
        "project": project,
        "purpose": record.purpose,
        "example": example.id,
        "record": write_example(Annotated(example)).decode(),
        "source": sha256(example.source.text.encode(errors="surrogatepass")).hexdigest(),
        "model": example.response.model,
        "batch": record.batch,
        "k": record.k,
        "state": record.state,
    }
    return NewItem(
        values,
        judgement_rows(keeping, annotated.judgements, record),
        work,
        [
            {
                "unit": each.unit,
                "person": _person(people, each.author),
                "text": each.text,
                "at": each.at,
            }
            for each in record.comments
        ],
        [
            {
                **{name: getattr(each, name) for name in each.__struct_fields__},
                "project": project,
                "person": _person(people, each.person) if each.person else None,
            }
            for each in record.flags
        ],
        list(
            {
                (each.digest, each.person): {
                    "digest": each.digest,
                    "person": _person(people, each.person),
                    "address": each.address,
                    "at": each.at,
                }
                for each in record.pages
            }.values()
        ),
    )


def _beginning(keeping: Keeping, annotated: Annotated) -> ItemRecord:
    """How far the work on an example is that comes from elsewhere."""
    id, purpose = annotated.id, keeping.purpose
    if purpose != "real":
        if len(annotated.gold) != 1 or not is_annotated(annotated, keeping.settings):
            raise InputError(
                "as its gold it needs one judgement by people, in the labels of the project"
            )
        return ItemRecord("", id, purpose, "open")
    is_done = not keeping.again and is_annotated(annotated, keeping.settings)
    return ItemRecord("", id, purpose, "done" if is_done else "new", k=keeping.settings.k)


def is_annotated(annotated: Annotated, settings: ProjectSettings) -> bool:
    """Whether people have judged an example in the way that a project asks for."""
    said = {
        (finding.kind == "sentence", finding.label.taxonomy)
        for judgement in annotated.gold
        for finding in judgement.findings
        if finding.label
    }
    has_sentences = (True, GRAY7.name) in said
    has_spans = (False, FAITHBENCH.name) in said
    wanted = (settings.has_sentences, has_sentences), (settings.has_spans, has_spans)
    return all(has for asked, has in wanted if asked)


def find_people(
    connection: Connection, now: str, project: int, named: Iterable[PersonRecord]
) -> dict[str, int]:
    """The numbers of the people in a file, by name.

    Whoever has no account here gets one that nobody can sign in to, so that their work keeps its
    author; an administrator can open it.
    """
    found: dict[str, int] = {}
    for each in named:
        name = checked_name(each.name)
        same = select(people.c.id).where(people.c.folded == fold(name))
        number = connection.execute(same).scalar()
        if number is None:
            row = insert(people).values(
                name=name, folded=fold(name), password="", role=each.role, is_active=False, at=now
            )
            number = connection.execute(row.returning(people.c.id)).scalar_one()
        found[each.name] = int(number)
        own = select(members).where(members.c.project == project, members.c.person == number)
        if each.is_member and connection.execute(own).first() is None:
            row = insert(members).values(
                project=project,
                person=number,
                at=now,
                passed_at=each.passed_at,
                quiz_score=each.quiz_score,
                quiz_near=each.quiz_near,
                quiz_attempts=each.quiz_attempts,
            )
            connection.execute(row)
    return found


def _with_sentences(annotated: Annotated) -> Example:
    """The example with its sentences: its own, those that somebody judged, or those we find."""
    example = annotated.example
    if any(unit.kind == "sentence" for unit in example.units):
        return example
    judged = (
        tuple(replace(unit, parent="") for unit in said.units if unit.kind == "sentence")
        for said in annotated.judgements
    )
    found = next(filter(None, judged), ()) or find_sentences(
        example.response.text, example.language
    )
    return replace(example, units=(*example.units, *found))


def judgement_rows(keeping: Keeping, said: Iterable[Judgement], record: ItemRecord) -> list[Values]:
    """What is kept of judgements, without the number of their item."""
    given = list(said)
    newest = {each.key for each in current(given)}
    stages = {(each.author, each.round): each.stage for each in record.stages}
    rows = []
    for each in given:
        stage = stages.get((each.author.name, each.round), "imported")
        linked = keeping.people.get(each.author.name) if stage != "imported" else None
        rows.append(
            {
                "project": keeping.project,
                "author": each.author.name,
                "kind": each.author.kind,
                "person": linked,
                "stage": stage,
                "round": each.round,
                "is_current": each.key in newest,
                "at": each.at,
                "record": write_judgement(each).decode(),
            }
        )
    return rows


def _work(
    project: int, people: Mapping[str, int], each: WorkRecord, said: Sequence[Judgement]
) -> Values:
    """Somebody's work; what is still to be done begins with what they or the first one said."""
    own = [judgement for judgement in said if judgement.author.name == each.person]
    draft = ""
    if each.state == "assigned" and said:
        draft = encode(draft_of((own or said)[0])).decode()
    return {
        "project": project,
        "person": _person(people, each.person),
        "stage": each.stage,
        "state": each.state,
        "version": 0,
        "draft": draft,
        "seconds": each.seconds,
        "started_at": each.started_at,
        "submitted_at": each.submitted_at,
    }


def _person(people: Mapping[str, int], name: str) -> int:
    if name not in people:
        raise InputError(f"the first line of the file does not name '{name}'")
    return people[name]
