"""Decisions, votes and what came of an audit, for the terminal."""

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.text import Text

from assay.audit.adjudication import Adjudication
from assay.audit.outcomes import AuditReport
from assay.audit.verification import Ruled, Verification, rests_on
from assay.audit.versions import Versions
from assay.core.results import count_of
from assay.report.audit.tables import audit_tables, report_notes, shift_table
from assay.report.evaluation.corpus import changes_view
from assay.report.tables import COUNT, WORDS, Column, Table, table_view
from assay.report.words import counts

LONGEST_TEXT = 100


def adjudication_view(found: Adjudication) -> Iterator[RenderableType]:
    """The progress of people with the flags, and their agreement."""
    decided = ", ".join(f"{count:,} {state}" for state, count in found.counts.items() if count)
    what = "flagged or control label" if found.has_controls else "flag"
    yield Text(f"{count_of(len(found.decided), what)}: {decided or 'none'}")
    people = found.by_person
    if people:
        person: Column[str] = Column("person", str, WORDS)
        states = next(iter(people.values()))
        columns = [person, *(_state_column(state, people) for state in states)]
        yield table_view(Table("decided by", "", columns, list(people)))
    if found.agreement:
        measure = found.agreement.measure.replace("_", " ")
        yield Text(
            f"agreement of {', '.join(found.agreement.annotators)}: {found.agreement.raw} alike, "
            f"{measure} {found.agreement.chance_corrected}"
        )
    for each in found.conflicts:
        said = "; ".join(f"{d.by}: {d.state}" for d in each.proposal.decisions)
        example, unit = each.proposal.key
        yield Text(f"conflict about unit {unit} of {example}: {said}")


def _state_column(state: str, people: Mapping[str, Mapping[str, int]]) -> Column[str]:
    return Column(state, lambda name: people[name][state], COUNT)


def verification_view(found: Verification, file: str) -> Iterator[RenderableType]:
    """The outcome of each proposed revision."""
    note = f"Verified if {found.ruled[0].enough} or more agree." if found.ruled else ""
    yield table_view(Table("revisions", note, _REVISIONS, found.ruled))
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


def _change(each: Ruled) -> str:
    decision = each.decided.decision
    return f"{each.decided.proposal.label} -> {decision.verdict.label if decision else None}"


def _flagged_unit(each: Ruled) -> str:
    return f"{each.key[1]}: {short_text(each.decided.proposal.unit.text)}"


def _agreeing(each: Ruled) -> str:
    return f"{each.agreeing} of {sum(vote.agrees is not None for vote in each.votes)}"


_REVISIONS: tuple[Column[Ruled], ...] = (
    Column("example", lambda each: each.key[0], WORDS),
    Column("unit", lambda each: _flagged_unit(each), WORDS),
    Column("label", _change, WORDS),
    Column(
        "standing",
        lambda each: each.standing + (f": {each.refusal}" if each.refusal else ""),
        WORDS,
    ),
    Column("agree", _agreeing),
)


def report_view(report: AuditReport, file: str) -> Iterator[RenderableType]:
    """The outcome of an audit."""
    yield Text(f"{report.dataset}: {report.reading}", style="dim")
    yield from map(table_view, audit_tables(report))
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
        yield table_view(shift_table(found.shifts, by_model=found.by_model))


def short_text(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_TEXT else words[: LONGEST_TEXT - 1].rstrip() + "…"
