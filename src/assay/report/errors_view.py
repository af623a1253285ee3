"""Why a detector errs, and what an enrichment of gold adds, as tables for the terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from rich.console import RenderableType

from assay.core.totals import count_of
from assay.evaluation.errors.analysis import ErrorReport
from assay.evaluation.errors.applying import Enriched
from assay.evaluation.errors.counterfactuals import Counterfactual
from assay.evaluation.errors.enrichment import Proposed
from assay.evaluation.errors.explanations import Distribution, Share
from assay.report.tables import facts_view, table_view

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
    """What a pass over the data proposes."""
    about = f"{len(proposed.tasks):,} of {count_of(proposed.examples, 'example')}"
    yield "proposals", f"{proposed.proposals:,} about {about}"
    yield "known", f"{proposed.known:,} proposals are in the gold already" if proposed.known else ""
    yield "failures", _reasons(proposed.failures)
    yield "unmatched", _reasons(proposed.matcher_failures)
    yield "unchecked", _parts(proposed.unchecked)
    yield "file", out


def enriched_facts(enriched: Enriched, out: str) -> Iterator[tuple[str, str]]:
    """What became of the proposals."""
    states, before, added = enriched.states, enriched.errors_before, enriched.added
    yield "proposals", _reasons(states) or "none"
    yield "accepted", f"{enriched.accepted} of those that were decided"
    more = f" (+{added / before:.0%})" if before else ""
    yield "gold errors", f"{before:,} before, {before + added:,} now{more}"
    known = (
        f"{enriched.known:,} accepted proposals are in the gold already" if enriched.known else ""
    )
    yield "known", known
    yield (
        "new",
        f"{count_of(enriched.newly_unfaithful, 'response')} not known to be unfaithful before",
    )
    yield (
        "dropped",
        f"{count_of(enriched.dropped, 'example')} about which people were unsure"
        if enriched.dropped
        else "",
    )
    yield "file", out


def _facts(report: ErrorReport) -> Iterator[tuple[str, str]]:
    gathered = report.gathered
    version = f" {report.author.version}" if report.author.version else ""
    yield "detector", f"{gathered.detector}{version} on {report.dataset}"
    noun = "example" if gathered.level == "error" else gathered.level
    matched = f", matched by {report.matcher}" if report.matcher else ""
    yield "looked at", f"{count_of(gathered.units, noun)}{matched}"
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


def _distribution_view(each: Distribution) -> Iterator[RenderableType]:
    rows = _share_rows(each.shares)
    by = ", ".join(f"{count:,} by {who}" for who, count in each.decided_by.items())
    parts = [f"{each.decided:,} of {each.errors:,} decided" + (f" ({by})" if by else "")]
    parts += [f"{each.open:,} open"] * bool(each.open)
    parts += [f"failed: {_reasons(each.failures)}"] * bool(each.failures)
    headers = ("category", "n", "share, 95% interval", "by people")
    yield table_view(f"{_TITLES[each.side]}; {'; '.join(parts)}", headers, rows)
    if any(share.count for share in each.excluded):
        title = "left out of these shares: no errors of the detector, or nobody can tell (recheck3)"
        yield table_view(title, ("answer", *headers[1:]), _share_rows(each.excluded))


def _share_rows(shares: Sequence[Share]) -> list[tuple[str, str, str, str]]:
    return [(s.category.name, f"{s.count:,}", str(s.share), f"{s.by_people:,}") for s in shares]


def _beliefs_view(report: ErrorReport) -> RenderableType:
    rows = [
        (
            each.category.name,
            str(each.mean),
            _median(each.scores),
            ", ".join(f"{count:,} by {who}" for who, count in each.written_by.items()) or "-",
            _reasons(each.failures) or "-",
        )
        for each in report.beliefs
    ]
    title = (
        f"P(True) of missed additions: how far {report.believer} believes them without the source"
    )
    headers = ("category", "mean, 95% interval by source", "median", "questions", "failures")
    return table_view(title, headers, rows)


def _median(scores: Sequence[float]) -> str:
    return f"{median(scores):.3f}" if scores else "-"


def _counterfactual_view(test: Counterfactual) -> Iterator[RenderableType]:
    rows = [
        ("found while true", str(test.before)),
        ("found once false", str(test.after)),
        ("found once false, of those missed before", str(test.after_missed)),
    ]
    title = "counterfactual test: true additions replaced by false ones"
    yield table_view(title, ("", "share, 95% interval"), rows)
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
