"""An item as one person sees it: its texts, their own work, and what they may know of others."""

from dataclasses import dataclass

from assay.annotation import access
from assay.annotation.items.drafts import first_draft, read_item, read_units, units_of
from assay.annotation.items.problems import Problems, problems
from assay.annotation.items.work import begin, may_edit, may_reopen
from assay.annotation.settings import Mode, ProjectSettings, read_settings
from assay.annotation.studio import Person, Purpose, Studio
from assay.annotation.team import flow, training
from assay.core.codec import read_judgement
from assay.core.examples import Annotated
from assay.core.texts import Passage
from assay.core.wire import UnitRecord
from assay.store.annotation.comments import Comment, comments_of
from assay.store.annotation.database import Connection
from assay.store.annotation.items import (
    count_items,
    neighbours,
)
from assay.store.annotation.judgements import current_judgements
from assay.store.annotation.projects import the_project
from assay.store.annotation.records import AuthorKind, StoredItem
from assay.store.annotation.work import WorkOnItem, load_work, own_work


@dataclass(frozen=True, slots=True)
class ProjectView:
    """A project, as the page of an item shows it."""

    slug: str
    name: str
    mode: Mode
    k: int
    show_detectors: bool
    show_model: bool
    needs_quiz: bool


@dataclass(frozen=True, slots=True)
class ItemSource:
    """The text that the response must be faithful to, and its named parts."""

    text: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class ResponseView:
    """The text that is judged; who wrote it only where the project shows that."""

    text: str
    model: str | None


@dataclass(frozen=True, slots=True)
class ItemExample:
    """The two texts of an item."""

    id: str
    source: ItemSource
    response: ResponseView
    question: str
    task: str


@dataclass(frozen=True, slots=True)
class WorkView:
    """The person's own work on an item, with the draft and what it lacks."""

    id: int
    stage: str
    state: str
    version: int
    seconds: int
    units: list[UnitRecord]
    problems: Problems


@dataclass(frozen=True, slots=True)
class OtherView:
    """The judgement of an item by somebody else, or by a detector."""

    author: str
    kind: AuthorKind
    stage: str
    at: str
    units: list[UnitRecord]


@dataclass(frozen=True, slots=True)
class DetectorView:
    """The judgement of an item by a detector."""

    name: str
    units: list[UnitRecord]


@dataclass(frozen=True, slots=True)
class May:
    """The actions that a person may take on their work now."""

    edit: bool = False
    submit: bool = False
    reopen: bool = False
    hold: bool = False


@dataclass(frozen=True, slots=True)
class ItemView:
    """An item as one person may see it; `others` and `comments` are empty while that is blind."""

    project: ProjectView
    position: int
    count: int
    purpose: str
    state: str
    stage: str
    example: ItemExample
    work: WorkView | None
    others: tuple[OtherView, ...]
    comments: tuple[Comment, ...]
    previous: int | None
    next: int | None
    may: May


_STAGES = {"discussion": "discuss", "review": "review"}  # of an item that somebody looks at


def open_item(
    studio: Studio, who: Person, slug: str, position: int, purpose: Purpose = "real"
) -> ItemView:
    """An item; the first look at it begins the person's work on it."""
    with studio.read() as connection:
        item = access.require_item(connection, who, slug, position, purpose)
        mine = _own(connection, who, item)
        if mine is None or mine.state != "assigned":
            return _view(connection, who, item, mine)
    with studio.write() as connection:
        begin(connection, studio.now(), load_work(connection, mine.id, locked=True) or mine)
    with studio.read() as connection:
        return _view(connection, who, item, load_work(connection, mine.id))


def detectors(
    studio: Studio, who: Person, slug: str, position: int, purpose: Purpose = "real"
) -> tuple[DetectorView, ...]:
    """The judgements by detectors, if the project shows them or the person adjudicates the item."""
    with studio.read() as connection:
        item = access.require_item(connection, who, slug, position, purpose)
        mine = _own(connection, who, item)
        settings = flow.project_settings(connection, item.project)
        is_settled = purpose == "real" and access.may_see_others(connection, who, item)
        is_shown = settings.show_detectors and purpose != "quiz"
        if not is_shown and not (is_settled and _stage(who, item, mine) == "adjudicate"):
            raise access.ForbiddenError("This project does not show what detectors say.")
        given = current_judgements(connection, item.id, "detector")
    return tuple(DetectorView(each.author, units_of(read_judgement(each.record))) for each in given)


def _own(connection: Connection, who: Person, item: StoredItem) -> WorkOnItem | None:
    """The person's work on an item; training and quiz exist for those who have begun them."""
    found = own_work(connection, who.id, item.id)
    if found is None and item.purpose != "real":
        raise access.NotFoundError(f"you have not begun the {item.purpose}")
    return load_work(connection, found.id) if found else None


def _view(
    connection: Connection, who: Person, item: StoredItem, mine: WorkOnItem | None
) -> ItemView:
    project = the_project(connection, item.project)
    settings = read_settings(project.settings)
    annotated = read_item(item.record)
    stage = _stage(who, item, mine)
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
            needs_quiz=not training.has_passed(connection, who.id, project.id),
        ),
        position=item.position,
        count=count_items(connection, item.project, item.purpose),
        purpose=item.purpose,
        state=mine.item_state if mine else item.state,
        stage=stage,
        example=_example(annotated, settings),
        work=_work(mine, annotated, settings) if mine else None,
        others=_others(connection, who, item, stage) if sees_others else (),
        comments=comments_of(connection, item.id) if sees_others else (),
        previous=before,
        next=after,
        may=_may(connection, who, mine) if mine else May(),
    )


def _stage(who: Person, item: StoredItem, mine: WorkOnItem | None) -> str:
    """The stage that somebody is in with an item; whoever only looks does so as it is settled."""
    if mine:
        return mine.stage
    return _STAGES.get(item.state, "adjudicate") if who.role != "annotator" else "annotate"


def _example(annotated: Annotated, settings: ProjectSettings) -> ItemExample:
    example = annotated.example
    model = example.response.model if settings.show_model else None
    return ItemExample(
        settings.shown_id(example.id, example.response.model),
        ItemSource(example.source.text, example.source.passages),
        ResponseView(example.response.text, model),
        example.question,
        example.task,
    )


def _work(mine: WorkOnItem, annotated: Annotated, settings: ProjectSettings) -> WorkView:
    units = read_units(mine.draft)
    begun = first_draft(annotated, settings)
    found = problems(units, settings, begun, annotated.example.response.text)
    return WorkView(mine.id, mine.stage, mine.state, mine.version, mine.seconds, units, found)


def _others(
    connection: Connection, who: Person, item: StoredItem, stage: str
) -> tuple[OtherView, ...]:
    """The judgements by other people, and by detectors where the item is adjudicated."""
    given = current_judgements(connection, item.id)
    kinds = ("person", "detector") if stage == "adjudicate" else ("person",)
    return tuple(
        OtherView(
            each.author, each.kind, each.stage, each.at, units_of(read_judgement(each.record))
        )
        for each in given
        if each.kind in kinds and each.person != who.id
    )


def _may(connection: Connection, who: Person, mine: WorkOnItem) -> May:
    if not access.may_work(who.role, mine.stage):
        return May()
    can_edit, can_reopen = may_edit(mine), may_reopen(connection, mine)
    return May(can_edit, can_edit, can_reopen, can_edit and mine.stage == "discuss")
