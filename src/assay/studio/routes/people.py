"""The accounts of a studio, and the invitations that make them."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field
from starlette.responses import Response

from assay.annotation.people.accounts import ROLES, Account, change_person, list_people
from assay.annotation.people.invitations import (
    Invitation,
    Invited,
    Welcome,
    accept,
    invite,
    list_invitations,
    revoke,
    welcome,
)
from assay.annotation.projects import list_projects
from assay.annotation.studio import Role
from assay.studio.dependencies import (
    BEFORE_SIGN_IN,
    SignedIn,
    TheStudio,
    in_password_thread,
    in_thread,
)
from assay.studio.pages import page
from assay.studio.routes.session import Credentials, WhoAmI, begun, earlier_token
from assay.studio.routing import NOTHING, Body, Name, Nothing, api
from assay.web.description import page_described

router = APIRouter()
Token = Annotated[str, Path(max_length=200, description="The token that the link ends with")]
InvitationId = Annotated[str, Path(max_length=200, description="The id of the invitation")]


class AccountChange(Body):
    """Changes to an account; what is not given stays."""

    role: Role | None = None
    is_active: bool | None = None
    password: str | None = Field(None, max_length=2000)


class NewInvitation(Body):
    """The role of the account to come, the project that it joins, and a note to remember by."""

    role: Role
    project: str | None = Field(None, max_length=200)
    note: str = Field("", max_length=500)


@api(router, "GET", "/api/people")
def get_people(studio: TheStudio, who: SignedIn) -> tuple[Account, ...]:
    """All accounts."""
    return list_people(studio, who)


@api(router, "PATCH", "/api/people/{name}", run=in_password_thread)
def patch_person(studio: TheStudio, who: SignedIn, name: Name, body: AccountChange) -> Account:
    """Changes a role, ends or renews an account, or sets a password."""
    return change_person(studio, who, name, **body.model_dump())


@router.get("/people", responses=page_described())
async def people_page(request: Request, studio: TheStudio, who: SignedIn) -> Response:
    """Accounts and invitations."""
    return page(
        request,
        "people.html",
        who,
        people=await in_thread(list_people, studio, who),
        invitations=await in_thread(list_invitations, studio, who),
        projects=await in_thread(list_projects, studio, who),
        roles=ROLES,
    )


@api(router, "GET", "/api/invitations")
def get_invitations(studio: TheStudio, who: SignedIn) -> tuple[Invitation, ...]:
    """All invitations; their tokens are not kept."""
    return list_invitations(studio, who)


@api(router, "POST", "/api/invitations", status=201)
def post_invitation(studio: TheStudio, who: SignedIn, body: NewInvitation) -> Invited:
    """Makes an invitation; its token is in this answer and nowhere else."""
    return invite(studio, who, body.role, project=body.project or None, note=body.note)


@api(router, "GET", "/api/invitations/{token}")
def get_invitation(studio: TheStudio, token: Token) -> Welcome:
    """An invitation, for whoever has its token."""
    return welcome(studio, token)


@api(
    router,
    "POST",
    "/api/invitations/{token}",
    run=in_password_thread,
    dependencies=BEFORE_SIGN_IN,
)
def post_acceptance(request: Request, studio: TheStudio, token: Token, body: Credentials) -> WhoAmI:
    """Accepts an invitation: makes the account and signs in to it."""
    earlier = earlier_token(request)
    return begun(request, accept(studio, token, body.name, body.password, instead=earlier))


@api(router, "DELETE", "/api/invitations/{token}")
def delete_invitation(studio: TheStudio, who: SignedIn, token: InvitationId) -> Nothing:
    """Takes back an invitation."""
    revoke(studio, who, token)
    return NOTHING


@router.get("/invitation/{token}", responses=page_described())
async def invitation_page(request: Request, studio: TheStudio, token: Token) -> Response:
    """The page on which an invitation is accepted."""
    found = await in_thread(welcome, studio, token)
    return page(request, "invitation.html", welcome=found, invitation=token)
