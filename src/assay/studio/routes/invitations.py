"""Invitations: made by administrators, accepted by whoever has the link."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request
from pydantic import Field
from starlette.responses import Response

from assay.app.annotation.people.invitations import (
    Invitation,
    Invited,
    Welcome,
    accept,
    invite,
    list_invitations,
    revoke,
    welcome,
)
from assay.app.annotation.studio import Role
from assay.studio.answers import NOTHING, Nothing, answer, described, page_described
from assay.studio.bodies import Body
from assay.studio.dependencies import (
    SignedIn,
    TheStudio,
    before_sign_in,
    in_password_thread,
    in_thread,
    the_cookies,
)
from assay.studio.pages import page
from assay.studio.routes.session import Credentials, WhoAmI, begun

router = APIRouter()
Token = Annotated[str, Path(max_length=200, description="The token that the link ends with")]
_BEFORE = [Depends(before_sign_in)]


class NewInvitation(Body):
    """The role of the account to come, the project that it joins, and a note to remember by."""

    role: Role
    project: str | None = Field(None, max_length=200)
    note: str = Field("", max_length=500)


@router.get("/api/invitations", responses=described(list[Invitation]))
async def get_invitations(studio: TheStudio, who: SignedIn) -> Response:
    """All invitations; their tokens are not kept."""
    return answer(await in_thread(list_invitations, studio, who))


@router.post("/api/invitations", responses=described(Invited, status=201), status_code=201)
async def post_invitation(studio: TheStudio, who: SignedIn, body: NewInvitation) -> Response:
    """Makes an invitation; its token is in this answer and nowhere else."""
    made = await in_thread(
        invite, studio, who, body.role, project=body.project or None, note=body.note
    )
    return answer(made, status=201)


@router.get("/api/invitations/{token}", responses=described(Welcome))
async def get_invitation(studio: TheStudio, token: Token) -> Response:
    """What an invitation offers; whoever has its token may ask."""
    return answer(await in_thread(welcome, studio, token))


@router.post("/api/invitations/{token}", responses=described(WhoAmI), dependencies=_BEFORE)
async def post_acceptance(
    request: Request, studio: TheStudio, token: Token, body: Credentials
) -> Response:
    """Accepts an invitation: makes the account and signs in to it."""
    cookies = the_cookies(request)
    earlier = cookies.token(cookies.session, request.headers)
    session = await in_password_thread(
        accept, studio, token, body.name, body.password, instead=earlier
    )
    return begun(request, session)


@router.delete("/api/invitations/{token}", responses=described(Nothing))
async def delete_invitation(
    studio: TheStudio,
    who: SignedIn,
    token: Annotated[str, Path(max_length=200, description="The id of the invitation")],
) -> Response:
    """Takes back an invitation."""
    await in_thread(revoke, studio, who, token)
    return answer(NOTHING)


@router.get("/invitation/{token}", responses=page_described())
async def invitation_page(request: Request, studio: TheStudio, token: Token) -> Response:
    """The page on which an invitation is accepted."""
    found = await in_thread(welcome, studio, token)
    return page(request, "invitation.html", welcome=found, invitation=token)
