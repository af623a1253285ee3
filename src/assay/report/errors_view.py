"""Why a judge errs, as tables for the terminal and as one JSON document."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.console import RenderableType

from assay.core.records import failure_record
from assay.evaluate.errors.analysis import ErrorReport
from assay.evaluate.errors.applying import Enriched
from assay.evaluate.errors.counterfactuals import Counterfactual, Trial
from assay.evaluate.errors.shares import Beliefs, Distribution
from assay.evaluate.errors.tasks import Proposed
from assay.report.corpus_view import facts_view, table_view

_TITLES = {
    "missed": "missed: wrong, and not noticed (final4)",
    "invented": "invented: called wrong, and right (falsealarm5)",
}


def errors_view(report: ErrorReport) -> Iterator[RenderableType]:
    """The tables one after the other."""
    yield facts_view(_facts(report))
    for each in report.distributions:
        yield _distribution_view(each)
    if report.beliefs:
        yield _beliefs_view(report)
    if report.counterfactual:
        yield from _counterfactual_view(report.counterfactual)


def errors_document(report: ErrorReport) -> dict[str, Any]:
    """The same as plain JSON values."""
    gathered = report.gathered
    return {
        "dataset": report.dataset,
        "judge": gathered.judge,
        "level": gathered.level,
        "matcher": report.origin.matcher,
        "units": gathered.units,
        "found": dict(Counter(item.side for item in gathered.items)),
        "judge_failures": dict(gathered.failures),
        "matcher_failures": dict(gathered.matcher_failures),
        "unchecked": gathered.unchecked,
        **{each.side: _distribution_document(each) for each in report.distributions},
        "believer": report.believer,
        "p_true": {each.category.name: _beliefs_document(each) for each in report.beliefs},
        "counterfactual": _test_document(report.counterfactual),
    }


def proposed_facts(proposed: Proposed, out: str) -> Iterator[tuple[str, str]]:
    """What a pass over the data proposes."""
    about = len({task.example.id for task in proposed.tasks})
    yield "tasks", f"{len(proposed.tasks):,} about {about:,} of {proposed.examples:,} examples"
    yield "known", f"{proposed.known:,} proposals are in the gold already" if proposed.known else ""
    yield "failures", _reasons(proposed.failures)
    yield "unmatched", _reasons(proposed.matcher_failures)
    yield "unchecked", _parts(proposed.unchecked)
    yield "file", out


def enriched_facts(enriched: Enriched, out: str) -> Iterator[tuple[str, str]]:
    """What became of the tasks."""
    states, before, added = enriched.states, enriched.errors_before, enriched.added
    yield "tasks", ", ".join(f"{count:,} {state}" for state, count in states.items()) or "none"
    yield "accepted", f"{enriched.accepted} of those that are decided"
    more = f" (+{added / before:.0%})" if before else ""
    yield "gold errors", f"{before:,} before, {before + added:,} now{more}"
    known = f"{enriched.known:,} accepted tasks are in the gold already" if enriched.known else ""
    yield "known", known
    yield "new", f"{enriched.newly_unfaithful:,} responses were not known to be unfaithful"
    yield "dropped", f"{enriched.dropped:,} examples, unsure" if enriched.dropped else ""
    yield "file", out


def _facts(report: ErrorReport) -> Iterator[tuple[str, str]]:
    gathered = report.gathered
    yield "judge", f"{gathered.judge} on {report.dataset}"
    units = "examples" if gathered.level == "error" else f"{gathered.level}s"
    matched = f", matched by {report.origin.matcher}" if report.origin.matcher else ""
    yield "looked at", f"{gathered.units:,} {units}{matched}"
    found = Counter(item.side for item in gathered.items)
    yield "errors", f"{found['missed']:,} missed, {found['invented']:,} invented"
    if len(report.explained) < len(gathered.items):
        yield "sample", f"{len(report.explained):,} of them"
    yield "judge failed", _reasons(gathered.failures)
    yield "matcher failed", _reasons(gathered.matcher_failures)
    yield "unchecked", _parts(gathered.unchecked)
    if report.believer and not report.beliefs:
        yield "P(True)", "nothing to ask about: no missed error is known to be an addition"
    if any(each.open and each.decided for each in report.distributions):
        yield "note", "shares are of what is decided; what is open may be of other kinds"


def _distribution_view(each: Distribution) -> RenderableType:
    rows = [
        (s.category.name, f"{s.count:,}", str(s.share), f"{s.by_people:,}") for s in each.shares
    ]
    by = ", ".join(f"{count:,} by {who}" for who, count in each.decided_by.items())
    parts = [f"{each.decided:,} of {each.errors:,} decided" + (f" ({by})" if by else "")]
    parts += [f"{each.open:,} open"] * bool(each.open)
    parts += [f"failed: {_reasons(each.failures)}"] * bool(each.failures)
    headers = ("category", "n", "share, 95 % interval", "by people")
    return table_view(f"{_TITLES[each.side]}; {'; '.join(parts)}", headers, rows)


def _beliefs_view(report: ErrorReport) -> RenderableType:
    rows = [(b.category.name, str(b.mean), _reasons(b.failures) or "-") for b in report.beliefs]
    title = (
        f"P(True) of what was added and missed, as {report.believer} believes it without a source"
    )
    return table_view(title, ("category", "mean, 95 % interval by source", "failures"), rows)


def _counterfactual_view(test: Counterfactual) -> Iterator[RenderableType]:
    rows = [
        ("found while it is true", str(test.before)),
        ("found once it is false", str(test.after)),
        ("found once it is false, of those missed before", str(test.after_missed)),
    ]
    title = "counterfactual test: true additions replaced by false ones"
    yield table_view(title, ("", "share, 95 % interval"), rows)
    yield facts_view(_test_facts(test))


def _test_facts(test: Counterfactual) -> Iterator[tuple[str, str]]:
    yield "additions", f"{test.targets:,} are true and not in the source"
    yield "no place", f"{test.unplaced:,} name no words to replace" if test.unplaced else ""
    yield "no words", _reasons(test.proposal_failures)
    yield "not judged", f"{test.unjudged:,}" if test.unjudged else ""


def _distribution_document(each: Distribution) -> dict[str, Any]:
    return {
        "errors": each.errors,
        "decided": each.decided,
        "decided_by": dict(each.decided_by),
        "open": each.open,
        "failures": dict(each.failures),
        "categories": {
            share.category.name: {
                "count": share.count,
                "share": asdict(share.share),
                "by_people": share.by_people,
            }
            for share in each.shares
        },
    }


def _beliefs_document(each: Beliefs) -> dict[str, Any]:
    return {"mean": asdict(each.mean), "failures": dict(each.failures)}


def _test_document(test: Counterfactual | None) -> dict[str, Any] | None:
    if test is None:
        return None
    return {
        "targets": test.targets,
        "unplaced": test.unplaced,
        "before": asdict(test.before),
        "after": asdict(test.after),
        "after_missed": asdict(test.after_missed),
        "proposal_failures": dict(test.proposal_failures),
        "unjudged": test.unjudged,
        "trials": [_trial_document(trial) for trial in test.trials],
        "without_words": [
            {"example": target.example.id, **failure_record(failure)}
            for target, failure in test.failed
        ],
    }


def _trial_document(trial: Trial) -> dict[str, Any]:
    target = trial.target
    return {
        "example": target.example.id,
        "description": target.error.description,
        "words": [span.text for span in target.error.unit.spans],
        "alternatives": list(trial.alternative.words),
        "reason": trial.alternative.reason,
        "response": trial.changed.response.text,
        "found_before": target.found,
        "found_after": trial.found,
    }


def _parts(count: int) -> str:
    return f"{count:,} parts of responses have no verdict" if count else ""


def _reasons(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in counts.items())
