"""The tables of an audit, and of two versions of labels: for people, in Markdown and as CSV."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay import __version__
from assay.audit.controls import ControlOutcome
from assay.audit.outcomes import AuditReport, AuditTally
from assay.audit.profiles import KindShare
from assay.audit.versions import Shift, Versions
from assay.core.results import count_of
from assay.evaluation.comparison import NO_MODEL
from assay.evaluation.corpora.label_changes import LabelChanges
from assay.metrics import Estimate
from assay.report.tables import (
    COUNT,
    ESTIMATE_PARTS,
    FIGURE,
    SHARE,
    WORDS,
    Column,
    Table,
    csv_text,
    markdown_lines,
    markdown_text,
)

MARKS = {"up": "▲", "down": "▼", "": ""}
FLAGGED = "†"
_FAVOURED = (
    "took part in flagging: labels were looked at only where these detectors disagreed with them, "
    "so that the revised labels tend to favour them."
)

_TALLIES: tuple[Column[AuditTally], ...] = (
    Column("data", lambda each: each.name, WORDS),
    Column("total", lambda each: each.units, COUNT),
    Column("flagged", lambda each: each.flagged, COUNT),
    Column("incorrect", lambda each: each.incorrect, COUNT),
    Column("ambiguous", lambda each: each.ambiguous, COUNT),
    Column("system error", lambda each: each.system_errors, COUNT),
    Column("open", lambda each: each.open, COUNT),
    Column("revised", lambda each: each.revised, COUNT),
    Column("inconsistency rate", lambda each: each.rate, FIGURE),
)
_KINDS: tuple[Column[KindShare], ...] = (
    Column("kind", lambda each: each.label.name, WORDS),
    Column("labels", lambda each: each.count, COUNT),
    Column("share", lambda each: each.share, FIGURE),
)
_CHANGES: tuple[Column[tuple[str, str, int]], ...] = (
    Column("before", lambda row: row[0], WORDS),
    Column("after", lambda row: row[1], WORDS),
    Column("labels", lambda row: row[2], COUNT),
)
KINDS_TITLE = "kinds of error in"


def audit_tables(report: AuditReport) -> Iterator[Table[Any]]:
    """The tables of an audit, in the order of the paper's."""
    yield Table(
        "outcome",
        "Incorrect is what people decided; revised is what counts after verification, and the "
        "inconsistency rate is its share of all labels, with an interval that resamples sources.",
        _TALLIES,
        report.tallies,
    )
    if report.control:
        yield control_table(report.control)
    yield from _change_tables(report.changes)
    for profile in report.profiles:
        if profile.known:
            yield Table(
                f"{KINDS_TITLE} {profile.name}",
                f"{profile.by_people:,} of {count_of(profile.known, 'kind')} given by people, the "
                f"others by detectors; {profile.without:,} revised labels without a kind.",
                _KINDS,
                profile.shown,
            )
    if report.shifts:
        yield shift_table(report.shifts, by_model=report.by_model)


@dataclass(frozen=True, slots=True)
class _Looked:
    """Labels that people looked at, flagged ones or controls."""

    labels: str
    drawn: str
    decided: int
    changed: int
    share: Estimate


_LOOKED: tuple[Column[_Looked], ...] = (
    Column("labels", lambda each: each.labels, WORDS),
    Column("drawn", lambda each: each.drawn),
    Column("decided", lambda each: each.decided, COUNT),
    Column("changed by people", lambda each: each.changed, COUNT),
    Column("share", lambda each: each.share, FIGURE),
)


def control_table(found: ControlOutcome) -> Table[_Looked]:
    """Counts of labels that people changed, among flagged and unflagged ones."""
    missed = found.missed
    told = "undefined"
    if missed.value is not None and missed.low is not None and missed.high is not None:
        told = f"{missed.value:.1f} [{missed.low:.1f}, {missed.high:.1f}]"
    controls, drawn = "controls, which nobody flagged", f"{found.drawn:,}"
    return Table(
        "control sample",
        f"Of the {found.not_flagged:,} labels that nobody flagged, an estimated {told} would be "
        "changed too: the share of changed controls times these labels, with Wilson's interval, "
        "as the controls were drawn at random.",
        _LOOKED,
        (
            _Looked(
                "flagged", "all", found.flagged_decided, found.flagged_changed, found.flagged_rate
            ),
            _Looked(controls, drawn, found.decided, found.changed, found.rate),
        ),
    )


def _change_tables(changes: LabelChanges) -> Iterator[Table[Any]]:
    """Which labels became which, if any changed."""
    if changes.counts:
        note = f"{len(changes.changes):,} of {count_of(changes.matched, 'label')}."
        yield Table("labels that changed", note, _CHANGES, changes.counts)


_SHIFTS: tuple[Column[Shift], ...] = (
    Column(
        "detector",
        lambda each: f"{each.detector} {FLAGGED}" if each.flagged else each.detector,
        WORDS,
    ),
    Column("before", lambda each: each.before, FIGURE),
    Column("rank", lambda each: each.rank_before, COUNT),
    Column("after", lambda each: each.after, FIGURE),
    Column("rank", lambda each: _rank_after(each)),
    Column("coverage", lambda each: each.coverage, replace(SHARE, missing="undefined")),
)


def shift_table(shifts: Sequence[Shift], *, by_model: bool = False) -> Table[Shift]:
    """The ranks of detectors on two versions of the labels."""
    among = " among detectors that ask the same model" if by_model else ""
    flagged = f" {FLAGGED} {_FAVOURED}" if any(each.flagged for each in shifts) else ""
    model: Column[Shift] = Column("model", lambda each: each.model or NO_MODEL, WORDS)
    return Table(
        "ranking of detectors before and after",
        f"Balanced accuracy with the same predictions, and the rank{among}; ▲ and ▼ mark ranks "
        f"that improved or dropped.{flagged}",
        (model, *_SHIFTS) if by_model else _SHIFTS,
        shifts,
    )


def _rank_after(shift: Shift) -> str:
    rank = "-" if shift.rank_after is None else f"{shift.rank_after}"
    return f"{rank} {MARKS[shift.direction]}".strip()


def report_notes(report: AuditReport) -> Iterator[str]:
    """Notes beside the tables."""
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
    return markdown_tables(head, audit_tables(report), report_notes(report))


def markdown_versions(found: Versions) -> str:
    """The changes between two versions and the ranks of detectors, in Markdown."""
    head = f"{found.old} and {found.new}: {found.describe()}"
    shifts = [shift_table(found.shifts, by_model=found.by_model)] if found.shifts else []
    return markdown_tables(head, (*_change_tables(found.changes), *shifts), ())


def markdown_tables(head: str, tables: Iterable[Table[Any]], notes: Iterable[str]) -> str:
    """Some tables in Markdown, below what they are of and above what else has to be known."""
    lines = [markdown_text(head), ""]
    for table in tables:
        lines += [markdown_text(f"{table.title}. {table.note}"), "", *markdown_lines(table), ""]
    lines += [f"{markdown_text(note)}\n" for note in notes]
    return "\n".join((*lines, f"Assay {__version__}", ""))


@dataclass(frozen=True, slots=True)
class _Figure:
    """A line of CSV."""

    table: str
    row: str
    figure: str
    value: float | Estimate | None


def csv_report(report: AuditReport) -> str:
    """One line for each figure: table, row, figure, value, low, high, n."""
    return _csv(report.dataset, report.tallies[0].units, _figures(report))


def csv_versions(found: Versions) -> str:
    """The same of two versions of labels."""
    figures = (*_changed(found.changes), *_ranked(found.shifts, by_model=found.by_model))
    return _csv(f"{found.old} -> {found.new}", found.changes.matched, figures)


def _csv(dataset: str, units: int, figures: Iterable[_Figure]) -> str:
    def value(each: _Figure) -> Estimate:
        return each.value if isinstance(each.value, Estimate) else Estimate(each.value, units)

    columns: tuple[Column[_Figure], ...] = (
        Column("dataset", lambda _: dataset),
        Column("table", lambda each: each.table),
        Column("row", lambda each: each.row),
        Column("figure", lambda each: each.figure),
        Column("value", value, parts=ESTIMATE_PARTS),
        Column("assay", lambda _: __version__),
    )
    return csv_text(columns, figures)


def _figures(report: AuditReport) -> Iterator[_Figure]:
    for each in report.tallies:
        names = ("units", "flagged", "open", "conflicts", "incorrect", "ambiguous")
        for name in (*names, "system_errors", "revised"):
            yield _Figure("outcome", each.name, name, getattr(each, name))
        yield _Figure("outcome", each.name, "inconsistency rate", each.rate)
    if report.control:
        control = report.control
        yield _Figure("control sample", "flagged", "changed by people", control.flagged_rate)
        yield _Figure("control sample", "not flagged", "changed by people", control.rate)
        yield _Figure("control sample", "not flagged", "estimated to be changed", control.missed)
    for profile in report.profiles:
        for kind in profile.kinds:
            yield _Figure("kinds of error", profile.name, kind.label.name, kind.share)
    yield from _changed(report.changes)
    yield from _ranked(report.shifts, by_model=report.by_model)


def _changed(changes: LabelChanges) -> Iterator[_Figure]:
    for was, now, count in changes.counts:
        yield _Figure("labels that changed", f"{was} -> {now}", "labels", count)


def _ranked(shifts: Iterable[Shift], *, by_model: bool) -> Iterator[_Figure]:
    for each in shifts:
        table = f"ranking within {each.model or NO_MODEL}" if by_model else "ranking"
        yield _Figure(table, each.detector, "balanced accuracy before", each.before)
        yield _Figure(table, each.detector, "balanced accuracy after", each.after)
        yield _Figure(table, each.detector, "flagged", int(each.flagged))
        yield _Figure(table, each.detector, "rank before", each.rank_before)
        yield _Figure(table, each.detector, "rank after", each.rank_after)
