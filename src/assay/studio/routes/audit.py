"""The audit of finished labels."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field
from starlette.responses import Response

from assay.app.annotation.audit.audit_decisions import decide_flag
from assay.app.annotation.audit.audits import DEEPEST, Audit, Decision, audit, find_flags
from assay.app.annotation.audit.revising import Revision
from assay.core.wire import ExternalRecord, InterpretationRecord, SpanRecord
from assay.studio.answers import answer, described
from assay.studio.bodies import Body
from assay.studio.dependencies import SignedIn, TheStudio, in_thread

router = APIRouter()
Slug = Annotated[str, Path(max_length=200)]
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
Skip = Annotated[int, Query(ge=0, le=DEEPEST)]
Offset = Annotated[int, Field(ge=0, le=2**31 - 1)]


class Quotation(Body):
    """A place in the source, with the text that stands there."""

    start: Offset
    end: Offset
    text: str = Field(max_length=100_000)


class Outside(Body):
    """Something outside the source."""

    address: str = Field(max_length=2_000)
    quote: str = Field("", max_length=20_000)
    title: str = Field("", max_length=1_000)


class OneReading(Body):
    """An interpretation and its label."""

    label: str = Field(max_length=80)
    meaning: str = Field("", max_length=2_000)


class RevisedLabel(Body):
    """What the label should be, and what shows it."""

    label: str = Field(max_length=80)
    evidence: list[Quotation] = Field(default=[], max_length=200)
    external: list[Outside] = Field(default=[], max_length=50)
    interpretations: list[OneReading] = Field(default=[], max_length=20)
    nothing_found: bool = False
    error: str = Field("", max_length=80)


class FlagDecision(Body):
    """What is decided about a flag, and why; an incorrect label needs its revision."""

    decision: Decision
    note: str = Field(max_length=20_000)
    revision: RevisedLabel | None = None


@router.get("/api/projects/{slug}/audit", responses=described(Audit))
async def get_audit(studio: TheStudio, who: SignedIn, slug: Slug, skip: Skip = 0) -> Response:
    """The flags of a project, a hundred at a time and open ones first, with what was decided."""
    return answer(await in_thread(audit, studio, who, slug, skip=skip))


@router.post("/api/projects/{slug}/audit", responses=described(Audit))
async def post_audit(studio: TheStudio, who: SignedIn, slug: Slug) -> Response:
    """Looks for labels that detectors or recorded labels disagree with."""
    return answer(await in_thread(find_flags, studio, who, slug))


@router.post("/api/projects/{slug}/audit/{number}", responses=described(Audit))
async def post_decision(
    studio: TheStudio, who: SignedIn, slug: Slug, number: Number, body: FlagDecision
) -> Response:
    """Decides about a flag."""
    decided = await in_thread(
        decide_flag,
        studio,
        who,
        slug,
        number,
        body.decision,
        note=body.note,
        revision=_revision(body.revision) if body.revision else None,
    )
    return answer(decided)


def _revision(body: RevisedLabel) -> Revision:
    return Revision(
        body.label,
        tuple(SpanRecord(each.start, each.end, each.text) for each in body.evidence),
        tuple(ExternalRecord(each.address, each.quote, each.title) for each in body.external),
        tuple(InterpretationRecord(each.label, each.meaning) for each in body.interpretations),
        body.nothing_found,
        body.error,
    )
