"""The page of an audit, and that of the kinds of error in several data sets: one HTML file each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay.audit.outcomes import AuditReport
from assay.audit.profiles import Profile
from assay.audit.verification import votes_on
from assay.decisions.proposals import Decided
from assay.report.audit.profiles import NOTE, TITLE, share_of_kind, shown_kinds
from assay.report.audit.tables import KINDS_TITLE, audit_tables, report_notes
from assay.report.evaluation.page import page_template
from assay.report.pages.charts import Bar
from assay.report.tables import Table

MOST_REVISIONS = 500


@dataclass(frozen=True, slots=True)
class RevisionView:
    """A revised label with all that it rests on."""

    example: str
    unit: str
    text: str
    before: str
    after: str
    by: str
    kind: str
    note: str
    evidence: tuple[str, ...]
    votes: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class AuditPage:
    """The whole page; `profiles` are charts by data set, each with a note."""

    report: AuditReport
    details: tuple[Table[Any], ...]
    profiles: tuple[tuple[str, tuple[Bar, ...], str], ...]
    notes: tuple[str, ...]
    revisions: tuple[RevisionView, ...]
    left_out: int


def audit_html(report: AuditReport) -> str:
    """The page as text; what cannot be encoded is shown as a replacement character."""
    page = page_template("audit/page.html.jinja").render(page=view_audit(report))
    return page.encode("utf-8", "xmlcharrefreplace").decode("utf-8")


def view_audit(report: AuditReport) -> AuditPage:
    """The contents of a report's page; the kinds of error are charts, not tables."""
    details = [each for each in audit_tables(report) if not each.title.startswith(KINDS_TITLE)]
    return AuditPage(
        report,
        tuple(details),
        tuple(_profiles(report)),
        tuple(report_notes(report)),
        tuple(map(_revision, report.revisions[:MOST_REVISIONS])),
        max(0, len(report.revisions) - MOST_REVISIONS),
    )


def _profiles(report: AuditReport) -> Iterator[tuple[str, tuple[Bar, ...], str]]:
    for profile in report.profiles:
        if profile.known:
            bars = tuple(Bar(each.label.name, each.share) for each in profile.shown)
            note = (
                f"{profile.by_people:,} of {profile.known:,} kinds are given by people; "
                f"{profile.without:,} revised labels have no kind."
            )
            yield profile.name, bars, note


def _revision(decided: Decided) -> RevisionView:
    flag, decision = decided.proposal, decided.decision
    verdict = decision.verdict if decision else None
    evidence: Sequence[str] = [span.text for span in verdict.evidence] if verdict else []
    return RevisionView(
        flag.line.id,
        flag.unit.id,
        flag.unit.text,
        flag.label.name,
        verdict.label.name if verdict and verdict.label else "",
        decision.by if decision else "",
        verdict.error.name if verdict and verdict.error else "",
        verdict.note if verdict else "",
        tuple(evidence),
        tuple(
            (
                each.by,
                {True: "agrees", False: "disagrees", None: "no vote"}[each.agrees],
                each.outcome.note,
            )
            for each in votes_on(decided)
        ),
    )


@dataclass(frozen=True, slots=True)
class KindBars:
    """A kind of error, with a bar for each data set; `is_part` is one that counts with another."""

    name: str
    meaning: str
    bars: tuple[Bar, ...]
    is_part: bool


def profile_html(profiles: Sequence[Profile]) -> str:
    """A page with one chart of all data sets."""
    groups = [
        KindBars(
            label.name,
            label.meaning,
            tuple(Bar(each.name, share_of_kind(each, label)) for each in profiles),
            bool(label.parent),
        )
        for label in shown_kinds(profiles)
    ]
    page = page_template("audit/profile.html.jinja").render(
        title=TITLE, note=NOTE, groups=groups, profiles=profiles
    )
    return page.encode("utf-8", "xmlcharrefreplace").decode("utf-8")
