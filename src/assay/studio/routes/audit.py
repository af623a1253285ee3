"""The audit of finished labels."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from assay.annotation.audit.audits import DEEPEST, Audit, audit, find_flags
from assay.annotation.audit.decisions import LabelDecision, Revision, decide_flag
from assay.core.wire import ExternalRecord, InterpretationRecord, SpanRecord
from assay.studio.dependencies import SignedIn, TheStudio
from assay.studio.routing import LARGEST, Body, Number, Slug, api

router = APIRouter()
Skip = Annotated[int, Query(ge=0, le=DEEPEST)]
Offset = Annotated[int, Field(ge=0, le=LARGEST)]


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
    """The label that should stand, and the evidence for it."""

    label: str = Field(max_length=80)
    evidence: list[Quotation] = Field(default=[], max_length=200)
    external: list[Outside] = Field(default=[], max_length=50)
    interpretations: list[OneReading] = Field(default=[], max_length=20)
    nothing_found: bool = False
    error: str = Field("", max_length=80)


class FlagDecision(Body):
    """The decision about a flag, and the reason; an incorrect label needs its revision."""

    decision: LabelDecision
    note: str = Field(max_length=20_000)
    revision: RevisedLabel | None = None


@api(router, "GET", "/api/projects/{slug}/audit")
def get_audit(studio: TheStudio, who: SignedIn, slug: Slug, skip: Skip = 0) -> Audit:
    """The flags of a project, a hundred at a time and open ones first, with what was decided."""
    return audit(studio, who, slug, skip=skip)


@api(router, "POST", "/api/projects/{slug}/audit")
def post_audit(studio: TheStudio, who: SignedIn, slug: Slug) -> Audit:
    """Looks for labels that detectors or recorded labels disagree with."""
    return find_flags(studio, who, slug)


@api(router, "POST", "/api/projects/{slug}/audit/{number}")
def post_decision(
    studio: TheStudio, who: SignedIn, slug: Slug, number: Number, body: FlagDecision
) -> Audit:
    """Decides about a flag."""
    revision = _revision(body.revision) if body.revision else None
    return decide_flag(studio, who, slug, number, body.decision, note=body.note, revision=revision)


def _revision(body: RevisedLabel) -> Revision:
    return Revision(
        body.label,
        tuple(SpanRecord(each.start, each.end, each.text) for each in body.evidence),
        tuple(ExternalRecord(each.address, each.quote, each.title) for each in body.external),
        tuple(InterpretationRecord(each.label, each.meaning) for each in body.interpretations),
        body.nothing_found,
        body.error,
    )
