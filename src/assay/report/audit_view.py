"""Decisions, votes and what came of an audit: for the terminal, in Markdown and as CSV."""

import csv
import io
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from assay import __version__
from assay.audit.deciding import Adjudication
from assay.audit.outcomes import AuditReport
from assay.audit.shifts import Shift
from assay.audit.verifying import Ruled, Verification
from assay.audit.versions import Versions
from assay.core.formulas import guard
from assay.core.totals import count_of
from assay.metrics import Estimate
from assay.report.corpus_view import changes_view
from assay.report.evaluation_details import Cell, Detail
from assay.report.tables import counts, printable, table_view

LONGEST_TEXT = 100
MARKS = {"up": "▲", "down": "▼", "": ""}


def adjudication_view(found: Adjudication) -> Iterator[RenderableType]:
    """How far people are with the flags, and how far they agree."""
    decided = ", ".join(f"{count:,} {state}" for state, count in found.counts.items() if count)
    yield Text(f"{count_of(len(found.decided), 'flag')}: {decided or 'none'}")
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
    yield Text(f"{found.old} and {found.new}: {found.reading}", style="dim")
    yield Text(
        f"{count_of(found.examples, 'example')} in both, {found.only_old:,} only in the first, "
        f"{found.only_new:,} only in the second"
    )
    yield from changes_view(found.changes)
    if found.shifts:
        yield detail_view(shift_detail(found.shifts))


def report_details(report: AuditReport) -> Iterator[Detail]:
    """The tables of an audit, in the order of the paper's."""
    heads = ("data", "total", "flagged", "incorrect", "ambiguous", "system error")
    yield Detail(
        "outcome",
        "Incorrect is what people decided; revised is what counts after verification, and the "
        "inconsistency rate is its share of all labels, with an interval that resamples sources.",
        (*heads, "open", "revised", "inconsistency rate"),
        tuple(
            (
                each.name,
                f"{each.units:,}",
                f"{each.flagged:,}",
                f"{each.incorrect:,}",
                f"{each.ambiguous:,}",
                f"{each.system_errors:,}",
                f"{each.open:,}",
                f"{each.revised:,}",
                each.rate,
            )
            for each in report.tallies
        ),
        1,
    )
    if report.changes.counts:
        yield Detail(
            "labels that changed",
            f"{len(report.changes.changes):,} of {count_of(report.changes.matched, 'label')}.",
            ("before", "after", "labels"),
            tuple((was, now, f"{count:,}") for was, now, count in report.changes.counts),
            2,
        )
    for profile in report.profiles:
        if profile.known:
            yield Detail(
                f"kinds of error in {profile.name}",
                f"{profile.by_people:,} of {count_of(profile.known, 'kind')} given by people, the "
                f"others by detectors; {profile.without:,} revised labels without a kind.",
                ("kind", "labels", "share"),
                tuple((each.label.name, f"{each.count:,}", each.share) for each in profile.shown),
                1,
            )
    if report.shifts:
        yield shift_detail(report.shifts)


def shift_detail(shifts: Sequence[Shift]) -> Detail:
    """How detectors rank on two versions of the labels."""
    return Detail(
        "ranking of detectors before and after",
        "Balanced accuracy with the same predictions; ▲ and ▼ mark ranks that improved or dropped.",
        ("detector", "before", "rank", "after", "rank", "coverage"),
        tuple(
            (
                each.detector,
                each.before,
                _rank(each.rank_before),
                each.after,
                f"{_rank(each.rank_after)} {MARKS[each.direction]}".strip(),
                "undefined" if each.coverage is None else f"{each.coverage:.1%}",
            )
            for each in shifts
        ),
        1,
    )


def report_notes(report: AuditReport) -> Iterator[str]:
    """What has to be known beside the tables."""
    standing = ", ".join(f"{count:,} {name}" for name, count in report.standings.items() if count)
    if standing:
        yield f"proposed revisions: {standing}"
    if report.unverified:
        yield f"applied although too few votes agree: {count_of(report.unverified, 'revision')}"
    if report.with_minority.n:
        yield (
            "revised labels of which an annotator had said so before: "
            f"{report.with_minority} of those that annotators voted on"
        )
    if report.out_of_step:
        yield (
            "responses with a label of their own that no longer follows from their sentences: "
            f"{report.out_of_step:,}"
        )


def markdown_report(report: AuditReport) -> str:
    """The tables in Markdown."""
    lines = [f"Audit of {report.dataset}: {report.reading}", ""]
    for each in report_details(report):
        rows = [[_inline(cell) for cell in row] for row in each.rows]
        table = (each.heads, ["---"] * len(each.heads), *rows)
        lines += [f"{each.title}. {each.note}", ""]
        lines += [f"| {' | '.join(map(_cell, row))} |" for row in table]
        lines += [""]
    lines += [f"{note}\n" for note in report_notes(report)]
    return "\n".join((*lines, f"Assay {__version__}", ""))


def csv_report(report: AuditReport) -> str:
    """One line for each figure: table, row, figure, value, low, high, n."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("dataset", "table", "row", "figure", "value", "low", "high", "n", "assay"))
    for table, row, figure, value in _figures(report):
        each = value if isinstance(value, Estimate) else Estimate(value, report.tallies[0].units)
        cells = ("" if v is None else v for v in (each.value, each.low, each.high))
        line = (report.dataset, table, row, figure, *cells, each.n, __version__)
        writer.writerow(map(guard, line))
    return out.getvalue()


def _figures(report: AuditReport) -> Iterator[tuple[str, str, str, float | Estimate | None]]:
    for each in report.tallies:
        names = ("units", "flagged", "open", "conflicts", "incorrect", "ambiguous")
        for name in (*names, "system_errors", "revised"):
            yield "outcome", each.name, name, getattr(each, name)
        yield "outcome", each.name, "inconsistency rate", each.rate
    for profile in report.profiles:
        for kind in profile.kinds:
            yield "kinds of error", profile.name, kind.label.name, kind.share
    for was, now, count in report.changes.counts:
        yield "labels that changed", f"{was} -> {now}", "labels", count
    for shift in report.shifts:
        yield "ranking", shift.detector, "balanced accuracy before", shift.before
        yield "ranking", shift.detector, "balanced accuracy after", shift.after
        yield "ranking", shift.detector, "rank before", shift.rank_before
        yield "ranking", shift.detector, "rank after", shift.rank_after


def detail_view(detail: Detail) -> RenderableType:
    """A table for the terminal."""
    rows = [[_inline(cell) for cell in row] for row in detail.rows]
    title = f"{detail.title}. {detail.note}".strip()
    return table_view(title, detail.heads, rows, words=detail.words)


def _inline(cell: Cell) -> str:
    return cell if isinstance(cell, str) else str(cell)


def _cell(text: str) -> str:
    """A text in a cell of a Markdown table."""
    return printable(text).replace("|", "\\|")


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def short_text(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_TEXT else words[: LONGEST_TEXT - 1].rstrip() + "…"
