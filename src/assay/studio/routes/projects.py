"""Projects: their settings, members, batches, training, detectors and board."""

from fastapi import APIRouter, Request
from pydantic import Field

from assay.annotation.exchange.detector_jobs import ProjectDetectors, project_detectors
from assay.annotation.figures.boards import ProjectBoard, board
from assay.annotation.people.members import Left, Member, add_member, list_members, remove_member
from assay.annotation.projects import (
    LONGEST_NAME,
    Overview,
    ProjectLine,
    change_settings,
    create_project,
    delete_project,
    list_projects,
    overview,
)
from assay.annotation.settings import Mode, ProjectSettings
from assay.annotation.team.batches import BatchRequest, ItemBatch, give_out, list_batches
from assay.annotation.team.exercises import add_shipped
from assay.annotation.team.training import Training, begin_quiz, begin_training, training
from assay.studio.dependencies import SignedIn, TheStudio
from assay.studio.routing import NOTHING, Body, Name, Nothing, Slug, api

router = APIRouter()
_PROJECT = "/api/projects/{slug}"


class SettingsBody(Body):
    """The settings of a project."""

    mode: Mode = "sentences"
    k: int = Field(1, ge=1, le=9)
    discussion: bool = False
    review: bool = False
    show_detectors: bool = True
    show_model: bool = False
    quiz_pass: float = Field(0.8, ge=0, le=1)
    guidelines: str = Field("", max_length=100_000)

    def settings(self) -> ProjectSettings:
        """The settings themselves."""
        return ProjectSettings(**self.model_dump(exclude={"name"}))


class NewProject(SettingsBody):
    """A new project."""

    name: str = Field(min_length=1, max_length=LONGEST_NAME)


class ChangedProject(SettingsBody):
    """The settings of a project, and its new name, if it gets one."""

    name: str = Field("", max_length=LONGEST_NAME)


class Confirmation(Body):
    """The name of what is to be deleted."""

    confirm: str = Field(max_length=1000)


class NewMember(Body):
    """Whoever becomes a member, by the name of their account."""

    name: str = Field(min_length=1, max_length=200)


class BatchesWanted(Body):
    """The way items are given out; without names all annotators of the project take part."""

    size: int = Field(ge=1, le=10_000)
    k: int | None = Field(None, ge=1, le=9)
    annotators: tuple[str, ...] = Field(default=(), max_length=1000)
    seed: int = Field(0, ge=0, le=2**53 - 1)
    per_batch: bool = False


class DetectorWanted(Body):
    """The detector that is to judge the items."""

    name: str = Field(min_length=1, max_length=100)


@api(router, "GET", "/api/projects")
def get_projects(studio: TheStudio, who: SignedIn) -> tuple[ProjectLine, ...]:
    """My projects; an administrator's are all."""
    return list_projects(studio, who)


@api(router, "POST", "/api/projects")
def post_project(studio: TheStudio, who: SignedIn, body: NewProject) -> ProjectLine:
    """Makes a project."""
    return create_project(studio, who, body.name, body.settings())


@api(router, "GET", _PROJECT)
def get_project(studio: TheStudio, who: SignedIn, slug: Slug) -> Overview:
    """A project: its settings, my queue, and how far it is."""
    return overview(studio, who, slug)


@api(router, "PUT", f"{_PROJECT}/settings")
def put_settings(studio: TheStudio, who: SignedIn, slug: Slug, body: ChangedProject) -> Overview:
    """Changes the settings; those that are not given become the usual ones."""
    return change_settings(studio, who, slug, body.settings(), body.name)


@api(router, "DELETE", _PROJECT)
def remove_project(studio: TheStudio, who: SignedIn, slug: Slug, body: Confirmation) -> Nothing:
    """Deletes a project with all that was done in it."""
    delete_project(studio, who, slug, body.confirm)
    return NOTHING


@api(router, "GET", f"{_PROJECT}/board")
def get_board(studio: TheStudio, who: SignedIn, slug: Slug) -> ProjectBoard:
    """Progress, time, agreement, disagreements and labels by model."""
    return board(studio, who, slug)


@api(router, "GET", f"{_PROJECT}/batches")
def get_batches(studio: TheStudio, who: SignedIn, slug: Slug) -> tuple[ItemBatch, ...]:
    """The batches of a project and how far they are."""
    return list_batches(studio, who, slug)


@api(router, "POST", f"{_PROJECT}/batches")
def post_batches(
    studio: TheStudio, who: SignedIn, slug: Slug, body: BatchesWanted
) -> tuple[ItemBatch, ...]:
    """Gives out the items that nobody has."""
    return give_out(studio, who, slug, BatchRequest(**body.model_dump()))


@api(router, "GET", f"{_PROJECT}/detectors")
def get_project_detectors(studio: TheStudio, who: SignedIn, slug: Slug) -> ProjectDetectors:
    """The progress of a project's detectors, and the others that can be asked."""
    return project_detectors(studio, who, slug)


@api(router, "POST", f"{_PROJECT}/detectors")
def post_detector(
    request: Request, who: SignedIn, slug: Slug, body: DetectorWanted
) -> ProjectDetectors:
    """Lets a detector that needs no model judge the items, in the background."""
    detectors: ProjectDetectors = request.app.state.judging.ask(who, slug, body.name)
    return detectors


@api(router, "GET", f"{_PROJECT}/members")
def get_members(studio: TheStudio, who: SignedIn, slug: Slug) -> tuple[Member, ...]:
    """The members of a project."""
    return list_members(studio, who, slug)


@api(router, "POST", f"{_PROJECT}/members")
def post_member(
    studio: TheStudio, who: SignedIn, slug: Slug, body: NewMember
) -> tuple[Member, ...]:
    """Makes somebody a member."""
    return add_member(studio, who, slug, body.name)


@api(router, "DELETE", f"{_PROJECT}/members/{{name}}")
def delete_member(studio: TheStudio, who: SignedIn, slug: Slug, name: Name) -> Left:
    """Ends a membership and gives unfinished work to others."""
    return remove_member(studio, who, slug, name)


@api(router, "GET", f"{_PROJECT}/training")
def get_training(studio: TheStudio, who: SignedIn, slug: Slug) -> Training:
    """One's own progress with training and quiz."""
    return training(studio, who, slug)


@api(router, "POST", f"{_PROJECT}/training")
def post_training(studio: TheStudio, who: SignedIn, slug: Slug) -> Training:
    """Begins the training, or gives what was added to it since."""
    return begin_training(studio, who, slug)


@api(router, "POST", f"{_PROJECT}/quiz")
def post_quiz(studio: TheStudio, who: SignedIn, slug: Slug) -> Training:
    """Begins the quiz, or another attempt at it."""
    return begin_quiz(studio, who, slug)


@api(router, "POST", f"{_PROJECT}/training/shipped")
def post_shipped(studio: TheStudio, who: SignedIn, slug: Slug) -> dict[str, int]:
    """Gives a project the training and the quiz that come with Assay."""
    return add_shipped(studio, who, slug)
