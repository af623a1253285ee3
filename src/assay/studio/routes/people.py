"""The accounts of a studio, for its administrators."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field
from starlette.responses import Response

from assay.app.annotation.exchange.projects import list_projects
from assay.app.annotation.people.accounts import ROLES, Account, change_person, list_people
from assay.app.annotation.people.invitations import list_invitations
from assay.app.annotation.studio import Role
from assay.studio.answers import answer, described, page_described
from assay.studio.bodies import Body
from assay.studio.dependencies import SignedIn, TheStudio, in_password_thread, in_thread
from assay.studio.pages import page

router = APIRouter()
Name = Annotated[str, Path(max_length=200)]


class AccountChange(Body):
    """What becomes different of an account; the rest stays."""

    role: Role | None = None
    is_active: bool | None = None
    password: str | None = Field(None, max_length=2000)


@router.get("/api/people", responses=described(list[Account]))
async def get_people(studio: TheStudio, who: SignedIn) -> Response:
    """All accounts."""
    return answer(await in_thread(list_people, studio, who))


@router.patch("/api/people/{name}", responses=described(Account))
async def patch_person(
    studio: TheStudio, who: SignedIn, name: Name, body: AccountChange
) -> Response:
    """Changes a role, ends or renews an account, or sets a password."""
    changed = await in_password_thread(
        change_person,
        studio,
        who,
        name,
        role=body.role,
        is_active=body.is_active,
        password=body.password,
    )
    return answer(changed)


@router.get("/people", responses=page_described())
async def people_page(request: Request, studio: TheStudio, who: SignedIn) -> Response:
    """Accounts and invitations."""
    people = await in_thread(list_people, studio, who)
    invitations = await in_thread(list_invitations, studio, who)
    projects = await in_thread(list_projects, studio, who)
    return page(
        request,
        "people.html",
        who,
        people=people,
        invitations=invitations,
        projects=projects,
        roles=ROLES,
    )
