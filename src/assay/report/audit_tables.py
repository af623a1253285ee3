"""The tables of an audit, and of two versions of labels: as details, in Markdown and as CSV."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from assay import __version__
from assay.audit.controls import ControlOutcome
from assay.audit.outcomes import AuditReport
from assay.audit.shifts import Shift
from assay.audit.versions import Versions
from assay.core.formulas import guard
from assay.core.totals import count_of
from assay.evaluation.label_changes import LabelChanges
from assay.evaluation.rankings import NO_MODEL
from assay.metrics import Estimate
from assay.report.evaluation_details import Cell, Detail
from assay.report.tables import printable

MARKS = {"up": "▲", "down": "▼", "": ""}
FLAGGED = "†"
_FAVOURED = (
    "took part in flagging: labels were looked at only where these detectors disagreed with them, "
    "so that the revised labels tend to favour them."
)

Figure = tuple[str, str, str, float | Estimate | None]  # its table, row and name, and its value


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
    if report.control:
        yield control_detail(report.control)
    yield from change_details(report.changes)
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
        yield shift_detail(report.shifts, by_model=report.by_model)


def control_detail(found: ControlOutcome) -> Detail:
    """How many labels people changed that were flagged, and that were not."""
    missed = found.missed
    told = "undefined"
    if missed.value is not None and missed.low is not None and missed.high is not None:
        told = f"{missed.value:.1f} [{missed.low:.1f}, {missed.high:.1f}]"
    return Detail(
        "control sample",
        f"Of the {found.not_flagged:,} labels that nobody flagged, an estimated {told} would be "
        "changed too: the share of changed controls times these labels, with Wilson's interval, "
        "as the controls were drawn at random.",
        ("labels", "drawn", "decided", "changed by people", "share"),
        (
            (
                "flagged",
                "all",
                f"{found.flagged_decided:,}",
                f"{found.flagged_changed:,}",
                found.flagged_rate,
            ),
            (
                "controls, which nobody flagged",
                f"{found.drawn:,}",
                f"{found.decided:,}",
                f"{found.changed:,}",
                found.rate,
            ),
        ),
        1,
    )


def change_details(changes: LabelChanges) -> Iterator[Detail]:
    """Which labels became which, if any changed."""
    if changes.counts:
        yield Detail(
            "labels that changed",
            f"{len(changes.changes):,} of {count_of(changes.matched, 'label')}.",
            ("before", "after", "labels"),
            tuple((was, now, f"{count:,}") for was, now, count in changes.counts),
            2,
        )


def shift_detail(shifts: Sequence[Shift], *, by_model: bool = False) -> Detail:
    """How detectors rank on two versions of the labels."""
    among = " among detectors that ask the same model" if by_model else ""
    model = ("model",) if by_model else ()
    flagged = f" {FLAGGED} {_FAVOURED}" if any(each.flagged for each in shifts) else ""
    return Detail(
        "ranking of detectors before and after",
        f"Balanced accuracy with the same predictions, and the rank{among}; ▲ and ▼ mark ranks "
        f"that improved or dropped.{flagged}",
        (*model, "detector", "before", "rank", "after", "rank", "coverage"),
        tuple(
            (
                *((each.model or NO_MODEL,) if by_model else ()),
                f"{each.detector} {FLAGGED}" if each.flagged else each.detector,
                each.before,
                _rank(each.rank_before),
                each.after,
                f"{_rank(each.rank_after)} {MARKS[each.direction]}".strip(),
                "undefined" if each.coverage is None else f"{each.coverage:.1%}",
            )
            for each in shifts
        ),
        1 + by_model,
    )


def report_notes(report: AuditReport) -> Iterator[str]:
    """What has to be known beside the tables."""
    standing = ", ".join(f"{count:,} {name}" for name, count in report.standings.items() if count)
    if standing:
        yield f"proposed revisions: {standing}"
    if report.by_flaggers:
        yield (
            "verified only with votes of those who flagged: "
            f"{count_of(report.by_flaggers, 'revision')}"
        )
    if report.shifts and not report.flaggers:
        yield "the flags do not say who flagged, so that no detector is marked as one that did"
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
    head = f"Audit of {report.dataset}: {report.reading}"
    return markdown_tables(head, report_details(report), report_notes(report))


def markdown_versions(found: Versions) -> str:
    """What changed between two versions, and who ranks where, in Markdown."""
    head = f"{found.old} and {found.new}: {found.describe()}"
    shifts = [shift_detail(found.shifts, by_model=found.by_model)] if found.shifts else []
    return markdown_tables(head, (*change_details(found.changes), *shifts), ())


def markdown_tables(head: str, details: Iterable[Detail], notes: Iterable[str]) -> str:
    """Some tables in Markdown, below what they are of and above what else has to be known."""
    lines = [head, ""]
    for each in details:
        rows = [[inline(cell) for cell in row] for row in each.rows]
        table = (each.heads, ["---"] * len(each.heads), *rows)
        lines += [f"{each.title}. {each.note}", ""]
        lines += [f"| {' | '.join(map(_cell, row))} |" for row in table]
        lines += [""]
    lines += [f"{note}\n" for note in notes]
    return "\n".join((*lines, f"Assay {__version__}", ""))


def csv_report(report: AuditReport) -> str:
    """One line for each figure: table, row, figure, value, low, high, n."""
    return _csv(report.dataset, report.tallies[0].units, _figures(report))


def csv_versions(found: Versions) -> str:
    """The same of two versions of labels."""
    figures = (*_changed(found.changes), *_ranked(found.shifts, by_model=found.by_model))
    return _csv(f"{found.old} -> {found.new}", found.changes.matched, figures)


def _csv(dataset: str, units: int, figures: Iterable[Figure]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("dataset", "table", "row", "figure", "value", "low", "high", "n", "assay"))
    for table, row, figure, value in figures:
        each = value if isinstance(value, Estimate) else Estimate(value, units)
        cells = ("" if v is None else v for v in (each.value, each.low, each.high))
        line = (dataset, table, row, figure, *cells, each.n, __version__)
        writer.writerow(map(guard, line))
    return out.getvalue()


def _figures(report: AuditReport) -> Iterator[Figure]:
    for each in report.tallies:
        names = ("units", "flagged", "open", "conflicts", "incorrect", "ambiguous")
        for name in (*names, "system_errors", "revised"):
            yield "outcome", each.name, name, getattr(each, name)
        yield "outcome", each.name, "inconsistency rate", each.rate
    if report.control:
        control = report.control
        yield "control sample", "flagged", "changed by people", control.flagged_rate
        yield "control sample", "not flagged", "changed by people", control.rate
        yield "control sample", "not flagged", "estimated to be changed", control.missed
    for profile in report.profiles:
        for kind in profile.kinds:
            yield "kinds of error", profile.name, kind.label.name, kind.share
    yield from _changed(report.changes)
    yield from _ranked(report.shifts, by_model=report.by_model)


def _changed(changes: LabelChanges) -> Iterator[Figure]:
    for was, now, count in changes.counts:
        yield "labels that changed", f"{was} -> {now}", "labels", count


def _ranked(shifts: Iterable[Shift], *, by_model: bool) -> Iterator[Figure]:
    for each in shifts:
        table = f"ranking within {each.model or NO_MODEL}" if by_model else "ranking"
        yield table, each.detector, "balanced accuracy before", each.before
        yield table, each.detector, "balanced accuracy after", each.after
        yield table, each.detector, "flagged", int(each.flagged)
        yield table, each.detector, "rank before", each.rank_before
        yield table, each.detector, "rank after", each.rank_after


def inline(cell: Cell) -> str:
    """A cell as text, a figure with its interval and n."""
    return cell if isinstance(cell, str) else str(cell)


def _cell(text: str) -> str:
    """A text in a cell of a Markdown table."""
    return printable(text).replace("|", "\\|")


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)
