"""Audits in the terminal: flags, decisions, votes, and what came of them."""

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from assay.audit.adjudication import Adjudication
from assay.audit.ballots import Ballot, Ballots, RuleRow, VoteRow
from assay.audit.disagreement import Reason
from assay.audit.flags import DetectorCounts, Flag, Flagging, RationaleCounts, RuleFlags
from assay.audit.outcomes import AuditReport
from assay.audit.verification import Ruled, Verification, rests_on
from assay.audit.versions import Versions
from assay.core.results import count_of
from assay.report.audit.tables import audit_tables, report_notes, shift_table
from assay.report.evaluation.corpus import changes_view
from assay.report.tables import COUNT, FIGURE, WORDS, Column, Table, named_columns, table_view
from assay.report.words import counts, short_text

MOST_SHOWN = 10
RULE_WORDS = {"any": "any disagrees", "majority": "most disagree", "unanimous": "all disagree"}


def flagging_view(found: Flagging, file: str, most: int = MOST_SHOWN) -> Iterator[RenderableType]:
    """The flags, who raised them, and the labels of single annotators."""
    yield Text(f"{found.dataset}: {found.about}", style="dim")
    flagged = {each.example for each in found.flags}
    beside = len(found.lines) - len(flagged)  # examples with controls only
    controls = f" and {count_of(beside, 'control example')}" if beside else ""
    yield Text(
        f"{len(found.flags):,} of {count_of(found.units, f'{found.unit} label')} flagged: "
        f"{found.share}; {len(flagged):,} flagged{controls} of "
        f"{count_of(found.examples, 'example')}"
    )
    if found.left_out:
        yield Text(f"left out: {counts(found.left_out)}")
    if found.key:
        yield Text(
            f"control sample: {len(found.key.controls):,} of "
            f"{count_of(found.key.not_flagged, 'label')} that nobody flagged, drawn with seed "
            f"{found.key.seed}; the lines do not say which they are, nor what detectors said that "
            "flagged"
        )
    yield from map(table_view, _flag_tables(found, most))
    if len(found.flags) > most:
        yield Text(f"... and {len(found.flags) - most:,} more in the file", style="dim")
    if file:
        yield Text(f"written to {file}: people sign the forms and decide", style="dim")


def _rationale(reason: Reason) -> str:
    """The disagreement with a label: who, with which label, and why."""
    said = reason.label or f"{reason.coarse} ({reason.score:.2f})"
    note = f". {reason.note}" if reason.note else ""
    return short_text(f"{reason.author}: {said}{note}", LONGEST_TEXT)


def _reasons(each: Flag) -> str:
    return "\n".join(map(_rationale, (*each.suspicion.reasons, *each.rationales)))


_DETECTORS: tuple[Column[DetectorCounts], ...] = (
    Column("detector", lambda each: each.detector, WORDS),
    Column("agrees", lambda each: each.agrees, COUNT),
    Column("disagrees", lambda each: each.disagrees, COUNT),
    Column("disagreement", lambda each: each.disagreement, FIGURE),
    Column("not comparable", lambda each: each.incomparable, COUNT),
    Column("no verdict", lambda each: counts(each.failures) or "0"),
)
_REASONS_ONLY: tuple[Column[RationaleCounts], ...] = (
    Column("detector", lambda each: each.detector, WORDS),
    Column("units", lambda each: each.units, COUNT),
    Column("no verdict", lambda each: counts(each.failures) or "0"),
)
_RULES: tuple[Column[RuleFlags], ...] = (
    Column("flagged if", lambda each: RULE_WORDS[each.rule], WORDS),
    Column("flagged", lambda each: each.flagged, FIGURE),
    Column("gold faithful", lambda each: each.faithful, COUNT),
    Column("gold unfaithful", lambda each: each.unfaithful, COUNT),
    Column("gold other", lambda each: each.others, COUNT),
)
_FLAGS: tuple[Column[Flag], ...] = (
    Column("example", lambda each: each.example, WORDS),
    Column(
        "unit", lambda each: f"{each.unit.id}: {short_text(each.unit.text, LONGEST_TEXT)}", WORDS
    ),
    Column("gold", lambda each: each.label.name, WORDS),
    Column("what detectors say", _reasons, WORDS),
    Column("severity", lambda each: f"{each.suspicion.severity:g}"),
    Column("disagree", lambda each: f"{len(each.suspicion.reasons)} of {each.compared}"),
)


def _flag_tables(found: Flagging, most: int) -> Iterator[Table[Any]]:
    """The tables of what was flagged."""
    yield Table(
        "detectors",
        "Verdicts that cannot be compared with the gold label count neither way.",
        _DETECTORS,
        found.detectors,
    )
    if found.rationale:
        yield Table(
            "asked for reasons only",
            "They were asked about units that people look at, and have no part in flagging.",
            _REASONS_ONLY,
            found.rationale,
        )
    yield Table(
        "rules",
        "What each rule of these detectors flags, and how many of these labels say what; intervals "
        "resample sources.",
        _RULES,
        found.rules,
    )
    if found.flags:
        yield Table(
            "flags, the most severe first",
            "The severity adds up how strongly detectors disagree; each says why"
            + (", those asked for reasons only at last." if found.rationale else "."),
            _FLAGS,
            found.flags[:most],
        )
    if found.ballots:
        yield from _ballot_tables(found.ballots, most, found.gold.describe() if found.gold else "")


_VOTES: tuple[Column[VoteRow], ...] = (
    Column("said unfaithful", lambda row: f"{row.against} of {row.annotators}", WORDS),
    Column("units", lambda row: row.units, COUNT),
    Column("gold label unfaithful", lambda row: row.unfaithful, FIGURE),
)
_AGGREGATIONS: tuple[Column[RuleRow], ...] = (
    Column("unfaithful if said by", lambda row: row.rule, WORDS),
    Column("unfaithful", lambda row: row.unfaithful, FIGURE),
    Column("new unfaithful", lambda row: row.to_unfaithful, COUNT),
    Column("new faithful", lambda row: row.to_faithful, COUNT),
)
_SUPPRESSED: tuple[Column[Ballot], ...] = (
    Column("example", lambda each: each.example, WORDS),
    Column("unit", lambda each: f"{each.unit}: {short_text(each.text, LONGEST_TEXT)}", WORDS),
    Column("votes", lambda each: f"{each.against} of {len(each.votes)}"),
)


def _ballot_tables(ballots: Ballots, most: int, gold: str = "") -> Iterator[Table[Any]]:
    """Labels of annotators, the label that counts, and the labels that each rule would give.

    `gold` says what the gold labels rest on.
    """
    basis = f" ({gold.removeprefix('gold: ')})" if gold else ""
    yield Table(
        f"votes of annotators on {count_of(len(ballots.ballots), 'unit')}",
        "Units on which two or more annotators voted, and the share whose gold label "
        f"{basis.lstrip() + ' ' if basis else ''}is unfaithful"
        + (f"; {ballots.left_out:,} with votes outside the reading." if ballots.left_out else "."),
        _VOTES,
        ballots.rows,
    )
    yield Table(
        "rules of aggregation",
        "How each rule would have labelled these units, beside their gold labels; in the majority, "
        "ties count as unfaithful.",
        _AGGREGATIONS,
        ballots.rules,
    )
    if ballots.suppressed:
        yield Table(
            f"suppressed votes: {count_of(len(ballots.suppressed), 'unit')}",
            f"Somebody found them unfaithful, and the gold label{basis} does not.",
            _SUPPRESSED,
            ballots.suppressed[:most],
        )


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
        columns = [person, *named_columns(states, lambda name, state: people[name][state], COUNT)]
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
    return f"{each.key[1]}: {short_text(each.decided.proposal.unit.text, LONGEST_TEXT)}"


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
