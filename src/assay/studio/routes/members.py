"""The members of a project."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field
from starlette.responses import Response

from assay.app.annotation.people.members import (
    Left,
    Member,
    add_member,
    list_members,
    remove_member,
)
from assay.studio.answers import answer, described
from assay.studio.bodies import Body
from assay.studio.dependencies import SignedIn, TheStudio, in_thread

router = APIRouter()
Slug = Annotated[str, Path(max_length=200)]
Name = Annotated[str, Path(max_length=200)]


class NewMember(Body):
    """Whoever becomes a member, by the name of their account."""

    name: str = Field(min_length=1, max_length=200)


@router.get("/api/projects/{slug}/members", responses=described(list[Member]))
async def get_members(studio: TheStudio, who: SignedIn, slug: Slug) -> Response:
    """The members of a project."""
    return answer(await in_thread(list_members, studio, who, slug))


@router.post("/api/projects/{slug}/members", responses=described(list[Member]))
async def post_member(studio: TheStudio, who: SignedIn, slug: Slug, body: NewMember) -> Response:
    """Makes somebody a member."""
    return answer(await in_thread(add_member, studio, who, slug, body.name))


@router.delete("/api/projects/{slug}/members/{name}", responses=described(Left))
async def delete_member(studio: TheStudio, who: SignedIn, slug: Slug, name: Name) -> Response:
    """Ends a membership and gives unfinished work to others."""
    return answer(await in_thread(remove_member, studio, who, slug, name))
