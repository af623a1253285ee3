"""A run in words: what it is, how far it is and what it took."""

from collections.abc import Iterator, Mapping
from typing import Any

from assay.core.runs import Run
from assay.evaluate.runs.estimate import RunEstimate
from assay.evaluate.runs.summary import RunSummary


def run_facts(summary: RunSummary) -> Iterator[tuple[str, str]]:
    """All that is known of a run, by heading."""
    run = summary.run
    yield "run", f"{summary.name} {summary.state_in_words}"
    yield "file", summary.file
    yield "done", f"{summary.totals.examples:,} of {run.chosen:,} examples"
    yield from _description(run)
    yield "failures", counts(summary.totals.failures)
    yield from usage_facts(summary.usage)
    yield "adaptations", "\n".join(summary.adaptations)


def _description(run: Run) -> Iterator[tuple[str, str]]:
    yield "data", run.dataset + (f", split {run.split}" if run.split else "")
    yield "data digest", run.dataset_digest
    yield "examples", f"{run.examples:,}"
    sample = "" if run.sample is None else f"{run.chosen:,} of them, by seed {run.seed}"
    yield "sample", sample
    yield "detector", run.detector
    yield "judge", f"{run.judge}: {run.unit_kind}s, labels {run.taxonomy}"
    yield "model", run.model
    yield "votes", f"{run.votes} answers to every question" if run.votes > 1 else ""
    yield "peers", run.peers
    yield "knowledge", run.knowledge
    yield "knowledge digest", run.knowledge_digest
    yield "parameters", _lines(run.parameters)
    yield "prompts", _lines(run.prompt_digests)
    yield "version", run.version


def usage_facts(usage: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Calls, tokens, money and time."""
    if usage.get("calls") or usage.get("cached") or usage.get("failed"):
        calls = f"{usage['calls']:,} paid, {usage['cached']:,} from kept replies"
        yield "calls", calls + (f", {usage['failed']:,} failed" if usage["failed"] else "")
        tokens = f"{usage['prompt_tokens']:,} asked, {usage['completion_tokens']:,} answered"
        guessed = usage["estimated"]
        yield "tokens", tokens + (f" ({guessed:,} calls estimated)" if guessed else "")
        yield "cost", money(usage["cost"])
    yield "time", duration(usage["seconds"]) if "seconds" in usage else ""


def estimate_facts(estimate: RunEstimate) -> Iterator[tuple[str, str]]:
    """What a run would take, by model."""
    yield "examples", f"{estimate.examples:,}"
    if not estimate.models:
        yield "calls", "0: the detector asks no model"
    for model, each in estimate.models.items():
        yield "model", model
        yield "calls", f"{each.calls:,}"
        tokens = f"about {each.prompt_tokens:,} asked and {each.reply_tokens:,} answered"
        yield "tokens", f"{tokens}, at most {each.most_tokens:,} in all"
        yield "cost", _range(each.low, each.expected, each.high)
    if estimate.knowledge:
        asked = "; the model is asked again about it, which is not counted here"
        looked_up = f"what the source does not support, in {estimate.knowledge}"
        yield "looked up", looked_up + (asked if estimate.models else "")


def money(usd: float | None) -> str:
    """US dollars; None is a price that is not known.

    >>> money(0.01234), money(12.345), money(None)
    ('$0.0123', '$12.35', 'unknown: no price of the model is known (see --prices)')
    """
    if usd is None:
        return "unknown: no price of the model is known (see --prices)"
    return f"${usd:.2f}" if usd >= 1 else f"${usd:.4f}"


def duration(seconds: float) -> str:
    """A time in the two largest units that it has.

    >>> duration(7.25), duration(75), duration(3661)
    ('7.2 s', '1 min 15 s', '1 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def counts(numbers: Mapping[str, int]) -> str:
    """Names with how many there are, the most frequent first."""
    ordered = sorted(numbers.items(), key=lambda each: -each[1])
    return ", ".join(f"{name} {count:,}" for name, count in ordered)


def _range(low: float | None, expected: float | None, high: float | None) -> str:
    if low is None or expected is None or high is None:
        return money(None)
    return f"{money(expected)} expected; {money(low)} if replies are short, at most {money(high)}"


def _lines(values: Mapping[str, object]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in values.items() if value is not None)
