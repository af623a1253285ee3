"""What an audit flags, by which rule, for which reasons, and what annotators had said."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from assay.audit.ballots import Ballots
from assay.audit.flagging import Reason
from assay.audit.flags import Flagging
from assay.core.totals import count_of
from assay.report.audit_view import detail_view, short_text
from assay.report.evaluation_details import Detail
from assay.report.tables import counts

MOST_SHOWN = 10
RULE_WORDS = {"any": "any disagrees", "majority": "most disagree", "unanimous": "all disagree"}


def flagging_view(found: Flagging, file: str, most: int = MOST_SHOWN) -> Iterator[RenderableType]:
    """What was flagged, by whom, and what single annotators had said."""
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
    if found.rationale:
        yield Detail(
            "asked for reasons only",
            "They were asked about units that people look at, and have no part in flagging.",
            ("detector", "units", "no verdict"),
            tuple(
                (each.detector, f"{each.units:,}", counts(each.failures) or "0")
                for each in found.rationale
            ),
            1,
        )
    yield Detail(
        "rules",
        "What each rule of these detectors flags, and how many of these labels say what; intervals "
        "resample sources.",
        ("flagged if", "flagged", "gold faithful", "gold unfaithful", "gold other"),
        tuple(
            (
                RULE_WORDS[each.rule],
                each.flagged,
                f"{each.faithful:,}",
                f"{each.unfaithful:,}",
                f"{each.others:,}",
            )
            for each in found.rules
        ),
        1,
    )
    if found.flags:
        yield Detail(
            "flags, the most severe first",
            "The severity adds up how strongly detectors disagree; each says why"
            + (", those asked for reasons only at last." if found.rationale else "."),
            ("example", "unit", "gold", "what detectors say", "severity", "disagree"),
            tuple(
                (
                    each.example,
                    f"{each.unit.id}: {short_text(each.unit.text)}",
                    each.label.name,
                    "\n".join(map(_rationale, (*each.suspicion.reasons, *each.rationales))),
                    f"{each.suspicion.severity:g}",
                    f"{len(each.suspicion.reasons)} of {each.compared}",
                )
                for each in found.flags[:most]
            ),
            4,
        )
    if found.ballots:
        yield from ballot_details(found.ballots, most, found.gold.describe() if found.gold else "")


def _rationale(reason: Reason) -> str:
    """Who disagrees with a label, what they say, and why."""
    said = reason.label or f"{reason.coarse} ({reason.score:.2f})"
    return short_text(f"{reason.author}: {said}" + (f". {reason.note}" if reason.note else ""))


def ballot_details(ballots: Ballots, most: int, gold: str = "") -> Iterator[Detail]:
    """What annotators said, what became of it, and what each rule would have made of it.

    `gold` says what the gold labels rest on.
    """
    basis = f" ({gold.removeprefix('gold: ')})" if gold else ""
    yield Detail(
        f"votes of annotators on {count_of(len(ballots.ballots), 'unit')}",
        "Units on which two or more annotators voted, and the share whose gold label "
        f"{basis.lstrip() + ' ' if basis else ''}is unfaithful"
        + (f"; {ballots.left_out:,} with votes outside the reading." if ballots.left_out else "."),
        ("said unfaithful", "units", "gold label unfaithful"),
        tuple(
            (f"{row.against} of {row.annotators}", f"{row.units:,}", row.unfaithful)
            for row in ballots.rows
        ),
        1,
    )
    yield Detail(
        "rules of aggregation",
        "How each rule would have labelled these units, beside their gold labels; in the majority, "
        "ties count as unfaithful.",
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
            f"suppressed votes: {count_of(len(suppressed), 'unit')}",
            f"Somebody found them unfaithful, and the gold label{basis} does not.",
            ("example", "unit", "votes"),
            tuple(
                (
                    each.example,
                    f"{each.unit}: {short_text(each.text)}",
                    f"{each.against} of {len(each.votes)}",
                )
                for each in suppressed[:most]
            ),
            2,
        )
