"""An item as one person sees it, and which item is theirs next."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

from sqlalchemy import Connection, Row, select

from assay.app.annotation import access
from assay.app.annotation.annotating import work
from assay.app.annotation.annotating.beginning import PASS_QUIZ, begin, may_edit, may_reopen
from assay.app.annotation.annotating.checks import problems
from assay.app.annotation.annotating.drafts import first_draft, read_item, read_units, units_of
from assay.app.annotation.annotating.views import (
    DetectorView,
    ExampleView,
    Finished,
    ItemView,
    May,
    NextItem,
    OtherView,
    ProjectView,
    ResponseView,
    SourceView,
    WorkView,
)
from assay.app.annotation.settings import ProjectSettings, read_settings
from assay.app.annotation.studio import Person, Purpose, Studio
from assay.app.annotation.team import flow, training
from assay.app.annotation.team.discussion import comments_of
from assay.core.codec import read_judgement
from assay.core.examples import Annotated
from assay.store.studio.items import (
    count_items,
    lock_project,
    neighbours,
    next_free,
    next_of_own,
)
from assay.store.studio.judgements import current_judgements
from assay.store.studio.queues import give_work
from assay.store.studio.tables import projects
from assay.store.studio.work import load_work, own_work

WorkStage = Literal["annotate", "discuss", "review", "adjudicate"]
WORK_STAGES: tuple[WorkStage, ...] = get_args(WorkStage)  # in the order in which they come
_PART_DONE = NextItem(None, reason="This part is done.", code="part-done")
_STAGES = {"discussion": "discuss", "review": "review"}  # of an item that somebody looks at


def open_item(
    studio: Studio, who: Person, slug: str, position: int, purpose: Purpose = "real"
) -> ItemView:
    """An item; the first look at it begins the person's work on it."""
    with studio.read() as connection:
        item: Row[Any] = access.require_item(connection, who, slug, position, purpose)
        row = _own(connection, who, item)
        if row is None or row.state != "assigned":
            return _view(connection, who, item, row)
    with studio.write() as connection:
        begin(connection, studio.now(), load_work(connection, row.id, locked=True) or row)
    with studio.read() as connection:
        return _view(connection, who, item, load_work(connection, row.id))


def detectors(
    studio: Studio, who: Person, slug: str, position: int, purpose: Purpose = "real"
) -> tuple[DetectorView, ...]:
    """What detectors said of an item, where the project shows it or somebody adjudicates it."""
    with studio.read() as connection:
        item: Row[Any] = access.require_item(connection, who, slug, position, purpose)
        row = _own(connection, who, item)
        settings = _settings(connection, item.project)
        is_settled = purpose == "real" and access.may_see_others(connection, who, item)
        is_shown = settings.show_detectors and purpose != "quiz"
        if not is_shown and not (is_settled and _stage(who, item, row) == "adjudicate"):
            raise access.ForbiddenError("This project does not show what detectors say.")
        given = current_judgements(connection, item.id, "detector")
    return tuple(DetectorView(each.author, units_of(read_judgement(each.record))) for each in given)


def next_item(
    studio: Studio, who: Person, slug: str, stage: WorkStage | Literal[""] = "", after: str = ""
) -> NextItem:
    """The next item of a person: their own, or else one that still lacks an annotator.

    `stage` asks for that kind of work only. Without it, the stage of what they did before, which
    is `after`, goes on, and then annotating comes first. What they skipped comes last.
    """
    stages = (stage,) if stage else tuple(sorted(WORK_STAGES, key=lambda each: each != after))
    with studio.read() as connection:
        project: Row[Any] = access.require(connection, who, "annotate", slug)
        may_annotate = training.may_annotate(connection, who, project)
        able = tuple(each for each in stages if may_annotate or each != "annotate")
        found = _in_queue(connection, project.id, who.id, able)
    if found is not None and found.position is not None:
        return found
    if found is not None:
        with studio.write() as connection:
            lock_project(connection, project.id)
            item = next_free(connection, project.id, who.id)
            if item is not None:
                give_work(connection, item, who.id, "annotate")
                flow.begin(connection, studio.now(), project.id, [item.id])
                return NextItem(item.position, "annotate")
        return next_item(studio, who, slug, stage, after)  # somebody else took the last one
    if "annotate" in stages and not may_annotate:
        return NextItem(None, reason=PASS_QUIZ, code="quiz")
    reason = f"There is nothing left for you to {stage or 'do here'}."
    return NextItem(None, reason=reason, code="nothing-left")


def _in_queue(
    connection: Connection, project: int, person: int, stages: Sequence[str]
) -> NextItem | None:
    """What comes next in some stages; without a position it is a new item to annotate."""
    for each in stages:
        if own := next_of_own(connection, project, person, (each,)):
            return NextItem(*own)
        if each == "annotate" and next_free(connection, project, person) is not None:
            return NextItem(None)
    own = next_of_own(connection, project, person, stages, skipped=True)
    return NextItem(*own) if own else None


def skip(studio: Studio, who: Person, work_id: int, reason: str = "") -> NextItem:
    """Leaves an item for the end of the person's queue, and finds what they go on with."""
    work.skip(studio, who, work_id, reason)
    with studio.read() as connection:
        row = _loaded(connection, work_id)
    return next_item(studio, who, row.slug, after=row.stage)


def finish(studio: Studio, who: Person, work_id: int, base: int, seconds: int = 0) -> Finished:
    """Submits work, and finds what the person goes on with."""
    done = work.submit(studio, who, work_id, base, seconds)
    with studio.read() as connection:
        row = _loaded(connection, work_id)
        if row.purpose != "real":
            own = next_of_own(connection, row.project, who.id, (row.purpose,))
            following = NextItem(*own) if own else _PART_DONE
    if row.purpose == "real":
        following = next_item(studio, who, row.slug, after=row.stage)
    return Finished(
        done.state,
        done.round,
        done.at,
        following.position,
        following.stage,
        following.reason,
        following.code,
    )


def _loaded(connection: Connection, work_id: int) -> Row[Any]:
    row = load_work(connection, work_id)
    if row is None:
        raise access.NotFoundError(f"you have no work {work_id}")
    return row


def _own(connection: Connection, who: Person, item: Row[Any]) -> Row[Any] | None:
    """The person's work on an item; training and quiz exist for those who have begun them."""
    found = own_work(connection, who.id, item.id)
    if found is None and item.purpose != "real":
        raise access.NotFoundError(f"you have not begun the {item.purpose}")
    return load_work(connection, found.id) if found else None


def _view(connection: Connection, who: Person, item: Row[Any], row: Row[Any] | None) -> ItemView:
    project = connection.execute(select(projects).where(projects.c.id == item.project)).one()
    settings = read_settings(project.settings)
    annotated = read_item(item.record)
    stage = _stage(who, item, row)
    before, after = neighbours(connection, who.id, item, stage)
    sees_others = item.purpose == "real" and access.may_see_others(connection, who, item)
    return ItemView(
        project=ProjectView(
            slug=project.slug,
            name=project.name,
            mode=settings.mode,
            k=item.k,
            show_detectors=settings.show_detectors,
            show_model=settings.show_model,
            needs_quiz=not training.may_annotate(connection, who, project),
        ),
        position=item.position,
        count=count_items(connection, item.project, item.purpose),
        purpose=item.purpose,
        state=row.item_state if row else item.state,
        stage=stage,
        example=_example(annotated, settings),
        work=_work(row, annotated, settings) if row else None,
        others=_others(connection, who, item, stage) if sees_others else (),
        comments=comments_of(connection, item.id) if sees_others else (),
        previous=before,
        next=after,
        may=_may(connection, who, row) if row else May(),
    )


def _stage(who: Person, item: Row[Any], row: Row[Any] | None) -> str:
    """The stage that somebody is in with an item; whoever only looks does so as it is settled."""
    if row:
        return str(row.stage)
    return _STAGES.get(item.state, "adjudicate") if who.role != "annotator" else "annotate"


def _example(annotated: Annotated, settings: ProjectSettings) -> ExampleView:
    example = annotated.example
    model = example.response.model if settings.show_model else None
    return ExampleView(
        settings.shown_id(example.id, example.response.model),
        SourceView(example.source.text, example.source.passages),
        ResponseView(example.response.text, model),
        example.question,
        example.task,
    )


def _work(row: Row[Any], annotated: Annotated, settings: ProjectSettings) -> WorkView:
    units = read_units(row.draft)
    begun = first_draft(annotated, settings)
    found = problems(units, settings, begun, annotated.example.response.text)
    return WorkView(row.id, row.stage, row.state, row.version, row.seconds, units, found)


def _others(
    connection: Connection, who: Person, item: Row[Any], stage: str
) -> tuple[OtherView, ...]:
    """What other people said of an item, and detectors where it is adjudicated."""
    given: Iterable[Row[Any]] = current_judgements(connection, item.id)
    kinds = ("person", "detector") if stage == "adjudicate" else ("person",)
    return tuple(
        OtherView(
            each.author, each.kind, each.stage, each.at, units_of(read_judgement(each.record))
        )
        for each in given
        if each.kind in kinds and each.person != who.id
    )


def _may(connection: Connection, who: Person, row: Row[Any]) -> May:
    if not access.may_work(who.role, row.stage):
        return May()
    can_edit, can_reopen = may_edit(row), may_reopen(connection, row)
    return May(can_edit, can_edit, can_reopen, can_edit and row.stage == "discuss")


def _settings(connection: Connection, project: int) -> ProjectSettings:
    query = select(projects.c.settings).where(projects.c.id == project)
    return read_settings(connection.execute(query).scalar_one())
