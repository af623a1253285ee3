"""A run in words: what it is, how far it is, what it took and what it would take."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.core.judgements import Manifest
from assay.core.problems import Unread
from assay.core.results import count_of, plural_of
from assay.core.stages import StageUse, StageUses, read_stages
from assay.report.words import counts, duration, money

if TYPE_CHECKING:
    from assay.engine.estimate import RunEstimate
    from assay.engine.summary import RunSummary

STATES = {
    "new": "has not begun",
    "running": "is running now",
    "killed": "was killed and can be resumed",
    "interrupted": "was interrupted and can be resumed",
    "terminated": "was asked to end (SIGTERM) and can be resumed",
    "stopped": "was stopped by an error and can be resumed",
    "budget": "stopped when its budget was used up and can be resumed with a larger one",
    "complete": "is complete",
}
_COUNTED = ("calls", "cached", "failed", "prompt_tokens", "completion_tokens", "estimated")


def run_facts(summary: "RunSummary") -> Iterator[tuple[str, str]]:
    """All that is known of a run, by heading."""
    yield "run", f"{summary.name} {state_in_words(summary.state)}"
    yield "kept at", summary.place
    yield "done", f"{summary.totals.examples:,} of {count_of(summary.manifest.chosen, 'example')}"
    yield "not read", _unread(summary.unread)
    yield from manifest_facts(summary.manifest)
    yield "failures", counts(summary.totals.failures)
    yield from usage_facts(summary.usage)
    yield "adaptations", "\n".join(summary.adaptations)


def rows_not_read(count: int) -> str:
    """The number of unreadable rows, in words."""
    return str(Unread(count))


def state_in_words(state: str) -> str:
    """The state of a run in words that follow its name."""
    return STATES.get(state, f"is in an unknown state, '{state}'")


def manifest_facts(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """The facts about a set of judgements, by heading."""
    author = manifest.author
    yield "data", manifest.dataset + (f", split {manifest.split}" if manifest.split else "")
    yield "data digest", manifest.dataset_digest
    yield "examples", f"{manifest.examples:,}"
    sample = f"{manifest.chosen:,} of them, chosen with seed {manifest.seed}"
    yield "sample", "" if manifest.sample is None else sample
    named = manifest.detector or author.name
    version = " ".join(filter(None, (author.name * (author.name != named), author.version)))
    yield "detector", f"{named} ({version})" if version else named
    yield "judges", f"{plural_of(manifest.unit_kind)}, labels {manifest.taxonomy}"
    yield "model", manifest.model
    yield "votes", f"{manifest.votes} replies to every question" if manifest.votes > 1 else ""
    yield "peers", manifest.peers
    yield "knowledge", manifest.knowledge
    yield "knowledge digest", manifest.knowledge_digest
    yield "parameters", _lines(manifest.parameters)
    yield "prompts", _lines(manifest.prompt_digests)
    yield "Assay", manifest.version


def usage_facts(usage: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Calls, tokens, money and time."""
    if usage.get("calls") or usage.get("cached") or usage.get("failed"):
        count = {name: usage.get(name, 0) for name in _COUNTED}
        calls = f"{count['calls']:,} paid, {count['cached']:,} from the cache"
        yield "calls", calls + (f", {count['failed']:,} failed" if count["failed"] else "")
        tokens = f"{count['prompt_tokens']:,} prompt, {count['completion_tokens']:,} completion"
        guessed = count["estimated"]
        yield "tokens", tokens + (f" ({guessed:,} calls estimated)" if guessed else "")
        yield "cost", money(usage.get("cost"))
    yield "time", duration(usage["seconds"]) if "seconds" in usage else ""
    yield "stages", stages_in_words(read_stages(usage.get("stages", ())))


def stages_in_words(stages: StageUses) -> str:
    """The work of each part of a combined detector, and the share of the first that came to it.

    >>> from assay.core.stages import StageUse
    >>> both = StageUse("a", 60, 388, 74.2), StageUse("b", 28, 40, calls=40)
    >>> stages_in_words(both)
    'a: 60 responses, 1 min 14 s; b: 28 responses (46.7%), 40 of 388 units, 40 calls'
    """
    return "; ".join(_stage(each, stages[0]) for each in stages)


def _stage(stage: StageUse, first: StageUse) -> str:
    share = stage.examples / first.examples if first.examples else 1
    said = [count_of(stage.examples, "response") + (f" ({share:.1%})" if share < 1 else "")]
    if stage.units * first.examples < stage.examples * first.units:
        said.append(f"{stage.units:,} of {count_of(first.units, 'unit')}")
    if stage.calls:
        said.append(count_of(stage.calls, "call"))
    elif stage.seconds:
        said.append(duration(stage.seconds))
    return f"{stage.name}: {', '.join(said)}"


def estimate_facts(estimate: "RunEstimate") -> Iterator[tuple[str, str]]:
    """The estimated calls, tokens and cost of a run, by model."""
    yield "examples", f"{estimate.examples:,}"
    yield "not read", rows_not_read(estimate.unread) if estimate.unread else ""
    if not estimate.models:
        yield "calls", "0: the detector asks no model"
    for model, each in estimate.models.items():
        yield "model", model
        yield "calls", f"{each.calls:,}"
        tokens = f"about {each.prompt_tokens:,} prompt and {each.reply_tokens:,} completion"
        yield "tokens", f"{tokens}, at most {each.most_tokens:,} in all"
        yield "cost", _range(each.low, each.expected, each.high)
    if estimate.knowledge:
        again = "; the model is asked about it once more, which is not counted here"
        looked_up = f"what the source does not support, in {estimate.knowledge}"
        yield "looked up", looked_up + (again if estimate.models else "")


def _unread(unread: Unread) -> str:
    if not unread.count:
        return ""
    more = unread.count - len(unread.first)
    lines = [rows_not_read(unread.count), *map(str, unread.first)]
    return "\n".join([*lines, f"... and {more:,} more"] if more else lines)


def _range(low: float | None, expected: float | None, high: float | None) -> str:
    if low is None or expected is None or high is None:
        return money(None)
    return f"{money(expected)} expected; {money(low)} if replies are short, at most {money(high)}"


def _lines(values: Mapping[str, object]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in values.items() if value is not None)
