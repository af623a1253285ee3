"""Flags, decisions, votes and what came of an audit: for the terminal, in Markdown and as CSV."""

import csv
import io
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from assay import __version__
from assay.audit.ballots import Ballots
from assay.audit.deciding import Adjudication
from assay.audit.outcomes import AuditReport, Shift
from assay.audit.searching import Flagging
from assay.audit.verifying import Ruled, Verification
from assay.audit.versions import Versions
from assay.core.formulas import guard
from assay.metrics import Estimate
from assay.report.corpus_view import changes_view
from assay.report.evaluation_details import Cell, Detail
from assay.report.tables import counts, printable, table_view

MOST_SHOWN = 10
LONGEST_TEXT = 100
MARKS = {"up": "▲", "down": "▼", "": ""}


def flagging_view(found: Flagging, file: str, most: int = MOST_SHOWN) -> Iterator[RenderableType]:
    """What was flagged, by whom, and what single annotators had said."""
    yield Text(f"{found.dataset}: {found.about}", style="dim")
    yield Text(
        f"{len(found.flags):,} of {found.units:,} {found.unit} labels flagged: {found.share}; "
        f"{len(found.lines):,} of {found.examples:,} examples"
    )
    if found.left_out:
        yield Text(f"left out: {counts(found.left_out)}")
    for detail in flagging_details(found, most):
        yield detail_view(detail)
    if len(found.flags) > most:
        yield Text(f"... and {len(found.flags) - most:,} more in the file", style="dim")
    if file:
        yield Text(f"written to {file}: people sign the forms and decide", style="dim")


def flagging_details(found: Flagging, most: int) -> Iterator[Detail]:
    """The tables of what was flagged."""
    yield Detail(
        "detectors",
        "Verdicts that cannot be compared with the gold label count neither way.",
        ("detector", "agrees", "disagrees", "disagreement", "not comparable", "no verdict"),
        tuple(
            (
                each.detector,
                f"{each.agrees:,}",
                f"{each.disagrees:,}",
                each.disagreement,
                f"{each.incomparable:,}",
                counts(each.failures) or "0",
            )
            for each in found.detectors
        ),
        1,
    )
    if found.flags:
        yield Detail(
            "flags, the most severe first",
            "The severity adds up how strongly detectors disagree.",
            ("example", "unit", "gold", "severity", "disagree"),
            tuple(
                (
                    each.example,
                    f"{each.unit.id}: {_short(each.unit.text)}",
                    each.label.name,
                    f"{each.suspicion.severity:g}",
                    f"{len(each.suspicion.reasons)} of {each.compared}",
                )
                for each in found.flags[:most]
            ),
            3,
        )
    if found.ballots:
        yield from ballot_details(found.ballots, most)


def ballot_details(ballots: Ballots, most: int) -> Iterator[Detail]:
    """What annotators said, what became of it, and what each rule would have made of it."""
    yield Detail(
        f"votes of annotators on {len(ballots.ballots):,} units",
        "Units on which two or more annotators voted, and the share that ended as unfaithful"
        + (f"; {ballots.left_out:,} with votes outside the reading." if ballots.left_out else "."),
        ("said unfaithful", "units", "final label unfaithful"),
        tuple(
            (f"{row.against} of {row.annotators}", f"{row.units:,}", row.unfaithful)
            for row in ballots.rows
        ),
        1,
    )
    yield Detail(
        "rules of aggregation",
        "How each rule would have labelled these units, beside the labels that they have.",
        ("unfaithful if said by", "unfaithful", "new unfaithful", "new faithful"),
        tuple(
            (row.rule, row.unfaithful, f"{row.to_unfaithful:,}", f"{row.to_faithful:,}")
            for row in ballots.rules
        ),
        1,
    )
    suppressed = ballots.suppressed
    if suppressed:
        yield Detail(
            f"suppressed votes: {len(suppressed):,} units",
            "Somebody found them unfaithful, and the final label does not.",
            ("example", "unit", "votes"),
            tuple(
                (
                    each.example,
                    f"{each.unit}: {_short(each.text)}",
                    f"{each.against} of {len(each.votes)}",
                )
                for each in suppressed[:most]
            ),
            2,
        )


def adjudication_view(found: Adjudication) -> Iterator[RenderableType]:
    """How far people are with the flags, and how far they agree."""
    decided = ", ".join(f"{count:,} {state}" for state, count in found.counts.items() if count)
    yield Text(f"{len(found.decided):,} flags: {decided or 'none'}")
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
    yield Text(f"{len(found.ruled):,} proposed revisions: {told}; verified {found.share}")
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
                f"{unit}: {_short(each.decided.flag.unit.text)}",
                f"{each.decided.flag.label} -> {label}",
                each.standing + (f": {each.refusal}" if each.refusal else ""),
                f"{each.agreeing} of {cast}",
            )
        )
    note = f"Verified by {ruled[0].enough} or more votes." if ruled else ""
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
        f"{found.examples:,} examples are in both, {found.only_old:,} only in the first, "
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
        "inconsistency rate is its share of all labels.",
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
            f"{len(report.changes.changes):,} of {report.changes.matched:,} labels.",
            ("before", "after", "labels"),
            tuple((was, now, f"{count:,}") for was, now, count in report.changes.counts),
            2,
        )
    for profile in report.profiles:
        known = sum(count for *_, count in profile.kinds)
        if known:
            yield Detail(
                f"kinds of error in {profile.name}",
                f"{profile.by_people:,} of {known:,} kinds are given by people, the others by "
                f"detectors; {profile.without:,} revised labels have no kind.",
                ("kind", "labels", "share"),
                tuple((label.name, f"{count:,}", share) for label, share, count in profile.kinds),
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
    if report.with_minority.n:
        yield (
            "revised labels of which an annotator had said so before: "
            f"{report.with_minority} of those that annotators voted on"
        )
    if report.out_of_step:
        yield (
            f"{report.out_of_step:,} responses have a label of their own that no longer follows "
            "from their sentences"
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
        for label, share, _ in profile.kinds:
            yield "kinds of error", profile.name, label.name, share
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


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_TEXT else words[: LONGEST_TEXT - 1].rstrip() + "…"
