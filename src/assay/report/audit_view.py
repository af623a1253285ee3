"""Decisions, votes and what came of an audit, for the terminal."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from assay.audit.deciding import Adjudication
from assay.audit.outcomes import AuditReport
from assay.audit.verifying import Ruled, Verification, rests_on
from assay.audit.versions import Versions
from assay.core.totals import count_of
from assay.report.audit_tables import inline, report_details, report_notes, shift_detail
from assay.report.corpus_view import changes_view
from assay.report.evaluation_details import Detail
from assay.report.tables import counts, table_view

LONGEST_TEXT = 100


def adjudication_view(found: Adjudication) -> Iterator[RenderableType]:
    """How far people are with the flags, and how far they agree."""
    decided = ", ".join(f"{count:,} {state}" for state, count in found.counts.items() if count)
    what = "flagged or control label" if found.has_controls else "flag"
    yield Text(f"{count_of(len(found.decided), what)}: {decided or 'none'}")
    people = found.by_person
    if people:
        states = list(next(iter(people.values())))
        rows = [(name, *(f"{each[s]:,}" for s in states)) for name, each in people.items()]
        yield table_view("decided by", ("person", *states), rows)
    if found.agreement:
        measure = found.agreement.measure.replace("_", " ")
        yield Text(
            f"agreement of {', '.join(found.agreement.annotators)}: {found.agreement.raw} alike, "
            f"{measure} {found.agreement.chance_corrected}"
        )
    for each in found.conflicts:
        said = "; ".join(f"{d.by}: {d.state}" for d in each.flag.decisions)
        example, unit = each.flag.key
        yield Text(f"conflict about unit {unit} of {example}: {said}")


def verification_view(found: Verification, file: str) -> Iterator[RenderableType]:
    """What became of each proposed revision."""
    yield detail_view(_revision_detail(found.ruled))
    told = ", ".join(f"{count:,} {name}" for name, count in found.counts.items())
    yield Text(f"{count_of(len(found.ruled), 'proposed revision')}: {told}; verified {found.share}")
    if found.failures:
        yield Text(f"votes without an answer: {counts(found.failures)}")
    if file:
        yield Text(f"written to {file}", style="dim")


def independence_note(found: Verification) -> str:
    """That voters flagged themselves, who they are, and how much rests on their votes."""
    names = ", ".join(map(str, found.involved))
    rests = rests_on(found.ruled, found.involved)
    only = f"; {count_of(rests, 'revision')} verified only with their votes" if rests else ""
    return f"voters who also flagged these labels and so confirm themselves: {names}{only}"


def _revision_detail(ruled: Sequence[Ruled]) -> Detail:
    rows = []
    for each in ruled:
        decision = each.decided.decision
        label = decision.verdict.label if decision else None
        cast = sum(vote.agrees is not None for vote in each.votes)
        example, unit = each.decided.flag.key
        rows.append(
            (
                example,
                f"{unit}: {short_text(each.decided.flag.unit.text)}",
                f"{each.decided.flag.label} -> {label}",
                each.standing + (f": {each.refusal}" if each.refusal else ""),
                f"{each.agreeing} of {cast}",
            )
        )
    note = f"Verified if {ruled[0].enough} or more agree." if ruled else ""
    return Detail(
        "revisions", note, ("example", "unit", "label", "standing", "agree"), tuple(rows), 4
    )


def report_view(report: AuditReport, file: str) -> Iterator[RenderableType]:
    """What came of an audit."""
    yield Text(f"{report.dataset}: {report.reading}", style="dim")
    for detail in report_details(report):
        yield detail_view(detail)
    for note in report_notes(report):
        yield Text(note)
    if file:
        yield Text(f"written to {file}; the data itself is as it was", style="dim")


def versions_view(found: Versions) -> Iterator[RenderableType]:
    """Two versions of labels: what changed, and who ranks where."""
    yield Text(f"{found.old} and {found.new}: {found.describe()}", style="dim")
    yield Text(
        f"{count_of(found.examples, 'example')} in both, {found.only_old:,} only in the first, "
        f"{found.only_new:,} only in the second"
    )
    yield from changes_view(found.changes)
    if found.shifts:
        yield detail_view(shift_detail(found.shifts, by_model=found.by_model))


def detail_view(detail: Detail) -> RenderableType:
    """A table for the terminal."""
    rows = [[inline(cell) for cell in row] for row in detail.rows]
    title = f"{detail.title}. {detail.note}".strip()
    return table_view(title, detail.heads, rows, words=detail.words)


def short_text(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_TEXT else words[: LONGEST_TEXT - 1].rstrip() + "…"
