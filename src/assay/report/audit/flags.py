"""Flags of an audit: their rules and reasons, and the annotators' labels."""

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from assay.audit.ballots import Ballot, Ballots, RuleRow, VoteRow
from assay.audit.disagreement import Reason
from assay.audit.flags import DetectorCounts, Flag, Flagging, RationaleCounts, RuleFlags
from assay.core.results import count_of
from assay.report.audit.outcomes import short_text
from assay.report.tables import COUNT, FIGURE, WORDS, Column, Table, table_view
from assay.report.words import counts

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
    return short_text(f"{reason.author}: {said}" + (f". {reason.note}" if reason.note else ""))


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
    Column("unit", lambda each: f"{each.unit.id}: {short_text(each.unit.text)}", WORDS),
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
    Column("unit", lambda each: f"{each.unit}: {short_text(each.text)}", WORDS),
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
