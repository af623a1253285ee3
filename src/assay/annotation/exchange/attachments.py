"""Judgements of detectors, from a run or a file, added to the items of a project."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from assay.annotation.access import require
from assay.annotation.people.accounts import find_person
from assay.annotation.studio import Person, Studio
from assay.core.codec import read_example, verify, write_judgement
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Judgement, Judgements
from assay.core.problems import Problem
from assay.detectors.registry import DetectorSpec
from assay.engine.check import CheckRequest, start_check
from assay.evaluation.references import open_judgements
from assay.store.annotation import exchange
from assay.store.annotation.database import Connection
from assay.store.annotation.items import lock_project
from assay.store.annotation.judgements import add_judgements, judgements_of, stored_judgement
from assay.store.annotation.records import StoredItem, StoredJudgement

_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Attached:
    """The fate of judgements: `known` were there, `others` are of no item, or of another text.

    `detectors` are those whose judgements they are.
    """

    project: str
    detectors: tuple[str, ...] = ()
    added: int = 0
    known: int = 0
    others: int = 0


def attach_run(
    studio: Studio, who: Person, slug: str, reference: str, runs: str | None = None
) -> Attached:
    """Adds the judgements of a run, or of whatever a reference names, to a project's items."""
    with studio.read() as connection:  # before anything is opened
        require(connection, who, "manage-project", slug)
    return attach(studio, who, slug, open_judgements(reference, runs=runs))


def without_model(detector: str) -> DetectorSpec:
    """A detector by its name; one that asks a model raises."""
    spec = DetectorSpec(detector)
    if spec.capabilities.asks_model:
        raise InputError(
            f"'{detector}' asks a model, which may cost money: judge the data in a run and attach "
            "that",
            field="detector",
            code="asks-model",
        )
    return spec


def judge_items(
    studio: Studio,
    who: Person,
    slug: str,
    detector: str,
    goes_on: Callable[[], bool] = lambda: True,
) -> Attached:
    """Lets a detector that needs no model judge the items that it has not judged yet.

    If it no longer `goes_on`, the judgements made so far are kept.
    """
    with studio.read() as connection:
        project = require(connection, who, "manage-project", slug)
    judged = CheckRequest(without_model(detector))
    author = start_check((), judged).manifest.author
    check = start_check(_unjudged(studio, project.id, author.name), judged)
    results = (each.judgement for each in check.results(_refuse))
    given = Judgements(detector, check.manifest, lambda: takewhile(lambda _: goes_on(), results))
    return attach(studio, who, slug, given)


def attach(studio: Studio, who: Person, slug: str, given: Judgements) -> Attached:
    """Adds open judgements; a newer one of a detector replaces its older one."""
    with studio.read() as connection:
        project = require(connection, who, "manage-project", slug)
    result = Attached(slug)
    waiting = iter(given)
    while some := list(islice(waiting, _AT_ONCE)):
        people = [each.author.name for each in some if each.author.kind == "person"]
        if people:
            raise InputError(
                f"{given.reference} has judgements by people ({people[0]}); these come into a "
                "project with its items",
                code="not-detectors",
            )
        with studio.write() as connection:
            lock_project(connection, project.id)
            _require_free(connection, project.id, {each.author.name for each in some})
            for state, judgement in _laid(connection, project.id, some):
                names = (*result.detectors, judgement.author.name)
                result = replace(result, **{state: getattr(result, state) + 1})
                if state != "others":
                    result = replace(result, detectors=tuple(dict.fromkeys(names)))
    with studio.write() as connection:
        detail = {"from": given.reference, "added": result.added}
        studio.note(connection, who, "attached", detail, project.id)
    return result


def _unjudged(studio: Studio, project: int, author: str) -> Iterator[Example]:
    """The items of a project that an author has said nothing of."""
    with studio.read() as connection:
        for record in exchange.real_records(connection, project, without=author):
            yield read_example(record).example


def _require_free(connection: Connection, project: int, names: set[str]) -> None:
    """Raises where a person has the name of a detector: it would name the judgements of both."""
    have = exchange.people_speaking(connection, project, names)
    have |= {each for each in names if find_person(connection, each) is not None}
    if have:
        raise InputError(
            f"'{min(have)}' is the name of a person here; let the detector have another",
            field="detector",
            code="name-taken",
        )


def _refuse(problem: Problem) -> None:
    raise InputError(str(problem))


def _laid(
    connection: Connection, project: int, some: Sequence[Judgement]
) -> list[tuple[str, Judgement]]:
    """Keeps those judgements that are about an item and new; says what became of each."""
    found = exchange.real_items(connection, project, [each.example for each in some])
    said = judgements_of(connection, [item.id for item in found.values()])
    kept: dict[tuple[int, str], dict[int, str]] = {}  # by round
    for number, earlier in said.items():
        for one in (each for each in earlier if each.kind == "detector"):
            kept.setdefault((number, one.author), {})[one.round] = one.record
    became: list[tuple[str, Judgement]] = []
    new: list[StoredJudgement] = []
    for each in some:
        about = found.get(each.example)
        if about is None or not _is_about(each, about):
            became.append(("others", each))
            continue
        before = kept.setdefault((about.id, each.author.name), {})
        if any(_same(each, record) for record in before.values()):
            became.append(("known", each))
            continue
        new.append(stored_judgement(project, about.id, _next(each, max(before, default=0))))
        before[new[-1].round] = new[-1].record
        became.append(("added", each))
    add_judgements(connection, new)
    return became


def _next(said: Judgement, last: int) -> Judgement:
    """A judgement of the round that follows its author's last one."""
    before = f"{said.example}/{said.author.name}/{last}" if last else ""
    return replace(said, round=last + 1, supersedes=before)


def _is_about(judgement: Judgement, item: StoredItem) -> bool:
    try:
        verify(judgement, read_example(item.record).example)
    except InputError:
        return False
    return True


def _same(judgement: Judgement, record: str) -> bool:
    """Tells whether a record holds this judgement, in whatever round."""
    kept = json.loads(record)
    same = replace(judgement, round=kept.get("round", 1), supersedes=kept.get("supersedes", ""))
    return write_judgement(same).decode() == record
