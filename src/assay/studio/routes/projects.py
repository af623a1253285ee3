"""Projects: listed, made, looked at, changed and deleted."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field
from starlette.responses import Response

from assay.app.annotation.exchange.projects import (
    LONGEST_NAME,
    Overview,
    ProjectLine,
    change_settings,
    create_project,
    delete_project,
    list_projects,
    overview,
)
from assay.app.annotation.settings import Mode, ProjectSettings
from assay.studio.answers import NOTHING, Nothing, answer, described
from assay.studio.bodies import Body
from assay.studio.dependencies import SignedIn, TheStudio, in_thread

router = APIRouter()
Slug = Annotated[str, Path(max_length=200)]


class SettingsBody(Body):
    """What a project asks of its annotators."""

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


@router.get("/api/projects", responses=described(list[ProjectLine]))
async def get_projects(studio: TheStudio, who: SignedIn) -> Response:
    """My projects; an administrator's are all."""
    return answer(await in_thread(list_projects, studio, who))


@router.post("/api/projects", responses=described(ProjectLine))
async def post_project(studio: TheStudio, who: SignedIn, body: NewProject) -> Response:
    """Makes a project."""
    return answer(await in_thread(create_project, studio, who, body.name, body.settings()))


@router.get("/api/projects/{slug}", responses=described(Overview))
async def get_project(studio: TheStudio, who: SignedIn, slug: Slug) -> Response:
    """A project: its settings, my queue, and how far it is."""
    return answer(await in_thread(overview, studio, who, slug))


@router.put("/api/projects/{slug}/settings", responses=described(Overview))
async def put_settings(
    studio: TheStudio, who: SignedIn, slug: Slug, body: ChangedProject
) -> Response:
    """Changes the settings; those that are not given become the usual ones."""
    wanted = body.settings()
    return answer(await in_thread(change_settings, studio, who, slug, wanted, body.name))


@router.delete("/api/projects/{slug}", responses=described(Nothing))
async def remove_project(
    studio: TheStudio, who: SignedIn, slug: Slug, body: Confirmation
) -> Response:
    """Deletes a project with all that was done in it."""
    await in_thread(delete_project, studio, who, slug, body.confirm)
    return answer(NOTHING)
