"""Causes of a detector's errors, and additions to the gold, as tables."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from rich.console import RenderableType

from assay.core.results import count_of
from assay.decisions.agreement import AnnotatorAgreement
from assay.decisions.proposals import Decided, PersonDecision
from assay.error_analysis.analysis import ErrorReport
from assay.error_analysis.beliefs import Beliefs
from assay.error_analysis.counterfactuals import Counterfactual
from assay.error_analysis.enrichment import Counts, Enriched
from assay.error_analysis.explanations import ErrorShares, Share
from assay.error_analysis.proposals import Proposed
from assay.metrics import Estimate
from assay.report.tables import (
    COUNT,
    FIGURE,
    WORDS,
    Column,
    Table,
    facts_view,
    named_values,
    table_view,
)

_MEASURES = {"cohen_kappa": "Cohen's kappa", "krippendorff_alpha": "Krippendorff's alpha"}
_TITLES = {
    "missed": "missed: wrong but not noticed (final4)",
    "invented": "invented: right but called wrong (falsealarm5)",
}


def errors_view(report: ErrorReport) -> Iterator[RenderableType]:
    """The tables one after the other."""
    yield facts_view(_facts(report))
    for each in report.distributions:
        yield from _distribution_view(each)
    if report.beliefs:
        yield _beliefs_view(report)
    if report.counterfactual:
        yield from _counterfactual_view(report.counterfactual)


def proposed_facts(proposed: Proposed, out: str) -> Iterator[tuple[str, str]]:
    """The tasks for people to decide."""
    about = f"{len(proposed.tasks):,} of {count_of(proposed.examples, 'example')}"
    if proposed.explanations:
        yield "explanations", f"{proposed.explanations:,} in {about}"
    else:
        yield "proposals", f"{proposed.proposals:,} about {about}"
        known = f"{proposed.known:,} of them are taken for errors that the gold has"
        yield "known", known if proposed.known else ""
    yield "failures", _reasons(proposed.failures)
    yield "unmatched", _reasons(proposed.matcher_failures)
    yield "unchecked", _parts(proposed.unchecked)
    yield "file", out


def enriched_view(enriched: Enriched, out: str) -> Iterator[RenderableType]:
    """The outcome of the tasks, the agreement of annotators, and the gold before and after."""
    yield facts_view(_enriched_facts(enriched, out))
    if enriched.agreement:
        yield _agreement_view(enriched.agreement, "proposals: an error, or none")
    if enriched.explanation_agreement:
        about = "explanations: kept, split, replaced or discarded"
        yield _agreement_view(enriched.explanation_agreement, about)
    if enriched.conflicts:
        yield table_view(Table("conflicts", "", _CONFLICTS, enriched.conflicts))
        return
    if enriched.operations:
        done: tuple[Column[tuple[str, Estimate]], ...] = (
            Column("operation", lambda row: row[0], WORDS),
            Column("n", lambda row: enriched.operations[row[0]], COUNT),
            Column("share, 95% interval", lambda row: row[1], FIGURE),
        )
        title = "what was done to get at descriptions"
        yield table_view(Table(title, "", done, list(enriched.operation_shares.items())))
    rows = [("before", enriched.before), ("after", enriched.after)]
    yield table_view(Table("the gold", "", _GOLD, rows))


_GOLD: tuple[Column[tuple[str, Counts]], ...] = (
    Column("", lambda row: row[0], WORDS),
    Column("inconsistent", lambda row: row[1].inconsistent, COUNT),
    Column("consistent", lambda row: row[1].consistent, COUNT),
    Column("total", lambda row: row[1].total, COUNT),
    Column("errors", lambda row: row[1].errors, COUNT),
)


def _enriched_facts(enriched: Enriched, out: str) -> Iterator[tuple[str, str]]:
    yield "proposals", _reasons(enriched.proposals)
    for state, share in enriched.shares.items():
        yield state, f"{share} of the decided proposals"
    yield "explanations", _reasons(enriched.explanations)
    if enriched.conflicts:
        return
    before, added = enriched.before.errors, enriched.after.errors - enriched.before.errors
    more = f" ({added / before:+.0%})" if before else ""
    yield "gold errors", f"{before:,} before, {enriched.after.errors:,} now{more}"
    already = f"{enriched.already:,} new ones are in the gold already" if enriched.already else ""
    yield "already", already
    newly = count_of(enriched.newly_unfaithful, "response")
    yield "newly found", f"{newly} not known to be unfaithful before"
    unknown = f"of {count_of(enriched.after.unknown, 'example')} the gold says nothing"
    yield "unknown", unknown if enriched.after.unknown else ""
    discarded = f"{count_of(enriched.after.discarded, 'example')}, which no longer count"
    yield "discarded", discarded if enriched.after.discarded else ""
    dropped = f"{count_of(enriched.dropped, 'example')} about which people were unsure"
    yield "dropped", dropped if enriched.dropped else ""
    yield "file", out


def _agreement_view(agreement: AnnotatorAgreement, about: str) -> RenderableType:
    rows = [
        ("raw agreement", agreement.raw),
        (_MEASURES[agreement.measure], agreement.chance_corrected),
    ]
    title = f"agreement of {', '.join(agreement.annotators)} on {about}"
    return table_view(Table(title, "", named_values("", "value, 95% interval by example"), rows))


_CONFLICTS: tuple[Column[Decided], ...] = (
    Column("example", lambda each: each.proposal.key[0], WORDS),
    Column("task", lambda each: each.proposal.key[1]),
    Column("decisions", lambda each: "; ".join(map(_said, each.proposal.decisions))),
    Column("about", lambda each: each.proposal.unit.text),
)


def _said(decision: PersonDecision) -> str:
    texts = " / ".join(error.unit.text for error in decision.errors)
    return f"{decision.by}: {decision.state}" + (f" ({texts})" if texts else "")


def _facts(report: ErrorReport) -> Iterator[tuple[str, str]]:
    gathered = report.gathered
    version = f" {report.author.version}" if report.author.version else ""
    yield "detector", f"{gathered.detector}{version} on {report.dataset}"
    noun = "example" if gathered.level == "error" else gathered.level
    matched = f", matched by {report.matcher}" if report.matcher else ""
    yield "looked at", f"{count_of(gathered.units, noun)}{matched}"
    yield "not read", str(report.unread) if report.unread.count else ""
    found = Counter(item.side for item in gathered.items)
    yield "errors", f"{found['missed']:,} missed, {found['invented']:,} invented"
    if len(report.explained) < len(gathered.items):
        yield "sample", f"{len(report.explained):,} of them"
    yield "detector failed", _reasons(gathered.failures)
    yield "matcher failed", _reasons(gathered.matcher_failures)
    yield "unchecked", _parts(gathered.unchecked)
    if report.believer and not report.beliefs:
        yield "P(True)", "not asked: no missed error is known to be an addition"
    if any(each.open and each.decided for each in report.distributions):
        yield "note", "shares are of the decided errors; open ones may divide differently"


def _distribution_view(each: ErrorShares) -> Iterator[RenderableType]:
    by = ", ".join(f"{count:,} by {who}" for who, count in each.decided_by.items())
    parts = [f"{each.decided:,} of {each.errors:,} decided" + (f" ({by})" if by else "")]
    parts += [f"{each.open:,} open"] * bool(each.open)
    parts += [f"failed: {_reasons(each.failures)}"] * bool(each.failures)
    title = f"{_TITLES[each.side]}; {'; '.join(parts)}"
    yield table_view(Table(title, "", _share_columns("category"), each.shares))
    if any(share.count for share in each.excluded):
        title = "left out of these shares: no errors of the detector, or nobody can tell (recheck3)"
        yield table_view(Table(title, "", _share_columns("answer"), each.excluded))


def _share_columns(head: str) -> tuple[Column[Share], ...]:
    return (
        Column(head, lambda each: each.category.name, WORDS),
        Column("n", lambda each: each.count, COUNT),
        Column("share, 95% interval", lambda each: each.share, FIGURE),
        Column("by people", lambda each: each.by_people, COUNT),
    )


def _written_by(belief: Beliefs) -> str:
    return ", ".join(f"{count:,} by {who}" for who, count in belief.written_by.items()) or "-"


_BELIEFS: tuple[Column[Beliefs], ...] = (
    Column("category", lambda each: each.category.name, WORDS),
    Column("mean, 95% interval by source", lambda each: each.mean, FIGURE),
    Column("median", lambda each: _median(each.scores)),
    Column("questions", _written_by),
    Column("failures", lambda each: _reasons(each.failures) or "-"),
)


def _beliefs_view(report: ErrorReport) -> RenderableType:
    title = (
        f"P(True) of missed additions: how far {report.believer} believes them without the source"
    )
    return table_view(Table(title, "", _BELIEFS, report.beliefs))


def _median(scores: Sequence[float]) -> str:
    return f"{median(scores):.3f}" if scores else "-"


def _counterfactual_view(test: Counterfactual) -> Iterator[RenderableType]:
    rows = [
        ("found while true", test.before),
        ("found once false", test.after),
        ("found once false, of those missed before", test.after_missed),
    ]
    title = "counterfactual test: true additions replaced by false ones"
    yield table_view(Table(title, "", named_values("", "share, 95% interval"), rows))
    yield facts_view(_test_facts(test))


def _test_facts(test: Counterfactual) -> Iterator[tuple[str, str]]:
    yield "additions", f"{test.targets:,} are true and not in the source"
    yield "no place", f"{test.unplaced:,} name no words to replace" if test.unplaced else ""
    yield "no words", _reasons(test.proposal_failures)
    yield "not judged", f"{test.unjudged:,}" if test.unjudged else ""


def _parts(count: int) -> str:
    return f"{count_of(count, 'part')} of responses without a verdict" if count else ""


def _reasons(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in counts.items())
