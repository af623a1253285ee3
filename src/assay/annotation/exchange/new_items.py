"""The options and the result of an import, and the records that an imported example becomes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.annotation.exchange.database_limits import require_storable
from assay.annotation.exchange.project_file import FlagRecord, ItemRecord, PersonRecord, WorkRecord
from assay.annotation.items.drafts import draft_of
from assay.annotation.people.names import checked_name, fold
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Purpose
from assay.core.codec import encode
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Judgement, current
from assay.core.problems import Problem
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.datasets.fields import Columns
from assay.store.annotation.database import Connection
from assay.store.annotation.exchange import NewItem, stored_item
from assay.store.annotation.judgements import stored_judgement
from assay.store.annotation.people import insert_person, person_by_name
from assay.store.annotation.projects import insert_member, is_member
from assay.store.annotation.records import (
    JudgementStage,
    StoredComment,
    StoredFetch,
    StoredFlag,
    StoredJudgement,
    StoredMember,
    StoredPerson,
    StoredWork,
)
from assay.text.sentences import find_sentences

MOST_TOLD = 100


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The way a file is read; messages call it `name`.

    Items that people have judged already, in the way that the project asks for, are done, unless
    they are to be judged `again`.
    """

    name: str = ""
    purpose: Purpose = "real"
    again: bool = False
    columns: Columns = field(default_factory=Columns)
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that was not imported, and why; `field` is the setting to blame, if one is."""

    where: str
    message: str
    field: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: rows that were added, `known` before, or `refused`.

    Only the first of those refused are told in `problems`.
    """

    project: str
    added: int = 0
    known: int = 0
    judgements: int = 0
    refused: int = 0
    problems: tuple[Refused, ...] = ()

    @property
    def rows(self) -> int:
        """The number of rows read."""
        return self.added + self.known + self.refused

    def without(self, problem: Problem) -> "Imported":
        """The result with one more row that was refused."""
        told = self.problems
        if len(told) < MOST_TOLD:
            told = (*told, Refused(problem.where, problem.message, problem.field))
        return replace(self, refused=self.refused + 1, problems=told)


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """The project that items are brought into; `people` are the ids of those the file names."""

    project: int
    settings: ProjectSettings
    purpose: Purpose = "real"
    again: bool = False
    people: Mapping[str, int] = field(default_factory=dict)


def prepare(target: ImportTarget, annotated: Annotated, record: ItemRecord | None) -> NewItem:
    """The records that an example becomes; raises if the database cannot hold them."""
    example = _with_sentences(annotated) if record is None else annotated.example
    require_storable(example, annotated.judgements)
    record = record or _beginning(target, annotated)
    if record.is_settled:  # one of the others said it
        kept = tuple(each for each in annotated.judgements if each.author != GOLD)
        annotated = Annotated(annotated.example, kept)
    project, people = target.project, target.people
    work = [_work(project, people, each, annotated.gold) for each in record.work]
    if len({(each.person, each.stage) for each in work}) < len(work):
        raise InputError("somebody has the same work twice")
    if len({each.unit for each in record.flags}) < len(record.flags):
        raise InputError("two flags are about the same unit")
    item = stored_item(
        project,
        example,
        purpose=record.purpose,
        state=record.state,
        batch=record.batch,
        k=record.k,
    )
    pages = {(each.digest, each.person): each for each in record.pages}
    return NewItem(
        item,
        stored_judgements(target, annotated.judgements, record),
        work,
        [
            StoredComment(0, 0, each.unit, _person(people, each.author), each.text, each.at)
            for each in record.comments
        ],
        [_flag(project, people, each) for each in record.flags],
        [
            StoredFetch(each.digest, 0, _person(people, each.person), each.address, each.at)
            for each in pages.values()
        ],
    )


def _flag(project: int, people: Mapping[str, int], each: FlagRecord) -> StoredFlag:
    return StoredFlag(
        id=0,
        project=project,
        item=0,
        unit=each.unit,
        severity=each.severity,
        reasons=each.reasons,
        decision=each.decision,
        label=each.label,
        note=each.note,
        person=_person(people, each.person) if each.person else None,
        at=each.at,
    )


def _beginning(target: ImportTarget, annotated: Annotated) -> ItemRecord:
    """The state of an example that comes from elsewhere."""
    id, purpose = annotated.id, target.purpose
    if purpose != "real":
        if len(annotated.gold) != 1 or not is_annotated(annotated, target.settings):
            raise InputError(
                "as its gold it needs one judgement by people, in the labels of the project"
            )
        return ItemRecord("", id, purpose, "open")
    is_done = not target.again and is_annotated(annotated, target.settings)
    return ItemRecord("", id, purpose, "done" if is_done else "new", k=target.settings.k)


def is_annotated(annotated: Annotated, settings: ProjectSettings) -> bool:
    """True if people have judged an example in the way that a project asks for."""
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

    People without an account here get one that nobody can sign in to, so that their work keeps
    its author; an administrator can open it.
    """
    found: dict[str, int] = {}
    for each in named:
        name = checked_name(each.name)
        known = person_by_name(connection, fold(name))
        new = StoredPerson(0, name, fold(name), "", each.role, is_active=False, at=now)
        number = known.id if known else insert_person(connection, new)
        found[each.name] = number
        if each.is_member and not is_member(connection, project, number):
            member = StoredMember(
                project,
                number,
                now,
                each.passed_at,
                each.quiz_score,
                each.quiz_near,
                each.quiz_attempts,
            )
            insert_member(connection, member)
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


def stored_judgements(
    target: ImportTarget, said: Iterable[Judgement], record: ItemRecord, item: int = 0
) -> list[StoredJudgement]:
    """Judgements as they are kept."""
    given = list(said)
    newest = {each.key for each in current(given)}
    stages = {(each.author, each.round): each.stage for each in record.stages}
    kept = []
    for each in given:
        stage: JudgementStage = stages.get((each.author.name, each.round), "imported")
        linked = target.people.get(each.author.name) if stage != "imported" else None
        new = stored_judgement(target.project, item, each, stage=stage, person=linked)
        kept.append(replace(new, is_current=each.key in newest))
    return kept


def _work(
    project: int, people: Mapping[str, int], each: WorkRecord, said: Sequence[Judgement]
) -> StoredWork:
    """Somebody's work; what is still to be done begins with what they or the first one said."""
    own = [judgement for judgement in said if judgement.author.name == each.person]
    draft = ""
    if each.state == "assigned" and said:
        draft = encode(draft_of((own or said)[0])).decode()
    return StoredWork(
        id=0,
        project=project,
        item=0,
        person=_person(people, each.person),
        stage=each.stage,
        state=each.state,
        version=0,
        draft=draft,
        seconds=each.seconds,
        later=0,
        started_at=each.started_at,
        submitted_at=each.submitted_at,
    )


def _person(people: Mapping[str, int], name: str) -> int:
    if name not in people:
        raise InputError(f"the first line of the file does not name '{name}'")
    return people[name]
