"""Checks and runs in the terminal: units with label, evidence and reason, sums, and facts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from assay.core.judgements import Finding, Manifest
from assay.core.labels import Taxonomy
from assay.core.problems import Unread
from assay.core.results import Result, Totals, count_of, is_flagged, plural_of
from assay.core.stages import StageUse, StageUses, read_stages
from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from assay.report.pages.badges import UNSURE, label_badge, note_of, outcome_badge
from assay.report.pages.responses import families_of
from assay.report.pages.texts import SeenTexts, cut_runs, marked_ranges
from assay.report.words import counts, duration, money, printable, spelled_out

if TYPE_CHECKING:
    from assay.engine.estimate import RunEstimate
    from assay.engine.summary import RunSummary


QUOTES = 2
MARKS = 5
QUOTE_LENGTH = 160
_SPACE = re.compile(r"\s+")


class TerminalView:
    """Prints results as they come; of many, only the units that need a look."""

    def __init__(
        self,
        console: Console,
        taxonomy: Taxonomy,
        totals: Totals,
        *,
        many: bool = False,
        only_flagged: bool = False,
    ) -> None:
        """Of `many` examples each has a heading; `only_flagged` leaves out what needs no look.

        `totals` is counted by whoever adds the results.
        """
        self._console = console
        self._taxonomy = taxonomy
        self._many = many
        self._only_flagged = only_flagged
        self._totals = totals

    def add(self, result: Result) -> None:
        """Prints one example."""
        families = [
            family
            for family in families_of(result.judgement)
            if not self._only_flagged or any(map(is_flagged, family))
        ]
        if self._many and families:
            self._console.print(Rule(_heading(result), align="left", style="dim"))
        reading = SeenTexts(result.example)
        for rows in [_rows(finding, parts, reading) for finding, *parts in families]:
            self._console.print(rows)

    def close(self) -> None:
        """Prints the closing line, if anything was judged."""
        if not self._totals.examples:
            return
        line = closing_line(self._totals, self._taxonomy)
        self._console.print(Rule(style="dim"))
        self._console.print(line, soft_wrap=True)


def closing_line(totals: Totals, taxonomy: Taxonomy) -> Text:
    """Counts per class, coverage, failures, and how much of the sources was read."""
    line, noun, share = Text(), totals.noun, totals.coverage
    line.append(count_of(totals.units, noun), style="bold")
    if totals.parts:
        parts = (count_of(count, kind) for kind, count in sorted(totals.parts.items()))
        line.append(f" ({', '.join(parts)})")
    if totals.examples != 1 and noun != "response":
        line.append(f" in {count_of(totals.examples, 'response')}")
    for badge in (*map(label_badge, reversed(taxonomy.labels)), UNSURE):
        if count := totals.labels[badge.name]:
            line.append("  ")
            line.append(f"{badge.symbol} {count:,} {badge.name}", style=badge.style)
    coverage = "none" if share is None else f"{share:.1%}"
    line.append(f"  coverage {coverage}, {count_of(totals.failures.total(), 'failure')}")
    if totals.failed_parts:  # which coverage does not count
        line.append(
            f", {totals.failed_parts:,} of them in parts" if totals.unjudged else " in parts"
        )
    if totals.failures:
        line.append(f" ({counts(totals.failures)})", style="red")
    if totals.peers[0]:
        line.append(f", {totals.peers[0]:,} of {count_of(totals.peers.total(), 'response')} ")
        line.append("judged zero-shot for lack of annotated peers")
    if totals.characters_read < totals.characters:
        line.append(f", {totals.characters_read / totals.characters:.1%} of the sources read")
    return line


def _heading(result: Result) -> Text:
    response = result.response
    badge = outcome_badge(response.outcome)
    score = "" if response.score is None else f" {response.score:.2f}"
    heading = Text(f"{printable(result.id)} ")
    return heading.append(f"{badge.symbol} {badge.name}{score}", style=badge.style)


def _rows(finding: Finding, parts: Sequence[Finding], reading: SeenTexts) -> Group:
    """The label, the unit, below it what the label rests on, and the parts of a sentence."""
    outcome = finding.outcome
    if isinstance(outcome, Failure):
        lines = [Text(printable(f"{outcome.reason}: {outcome.detail}"), style="dim italic")]
    else:
        lines = list(_grounds(finding.unit, outcome, reading))
    body = _wording(finding, style="" if lines else "dim")
    # A sentence that is one claim is shown once.
    below = [_part(part) for part in parts if len(parts) > 1]
    return Group(
        _label(finding),
        *(Padding(line, (0, 0, 0, 2)) for line in (body, *lines)),
        *(Padding(line, (0, 0, 0, 4)) for line in below),
        "",
    )


def _wording(finding: Finding, style: str) -> Text:
    """The text of a unit on one line, its marked words underlined in the colour of its label."""
    if not finding.outcome.marks:
        return Text(printable(finding.unit.text), style=style)
    body = Text(style=style)
    marked = f"bold underline {outcome_badge(finding.outcome).style}"
    for number, run in enumerate(cut_runs(finding.text.rstrip(), marked_ranges(finding))):
        flat = spelled_out(_SPACE.sub(" ", run))
        body.append(flat if body else flat.lstrip(), style=marked if number % 2 else "")
    return body


def _label(finding: Finding) -> Text:
    verdict = finding.outcome
    badge = outcome_badge(verdict)
    if isinstance(verdict, Failure):
        return Text(f"{badge.symbol} {badge.name}", style=badge.style)
    score = "" if verdict.score is None else f"  {verdict.score:.2f}"
    error = f"  {verdict.error}" if verdict.error else ""
    leaning = f" ({verdict.label})" if badge == UNSURE else ""
    return Text(f"{badge.symbol} {badge.name}{leaning}{error}{score}", style=badge.style)


def _part(finding: Finding) -> Text:
    """A claim or relation in a line of its own; the page and the document tell more."""
    failure = finding.failure
    why = f" ({failure.reason}: {failure.detail})" if failure else ""
    said = Text(f"{finding.kind} ", style="dim").append_text(_label(finding))
    return said.append(f"  {printable(finding.text + why)}", style="default not bold")


def _grounds(unit: Unit, verdict: Verdict, reading: SeenTexts) -> Iterator[Text]:
    if unit.kind == "inconsistency":
        for span in unit.spans:
            yield Text(f"in the response: {_shorten(span.text)}", style="dim")
    if verdict.marks:
        marked = "; ".join(_shorten(span.text) for span in verdict.marks[:MARKS])
        more = len(verdict.marks) - MARKS
        yield Text(f"not borne out: {marked}{f' and {more} more' if more > 0 else ''}", style="dim")
    for name, quote in reading.quotes(verdict.evidence[:QUOTES]):
        where = f" {_shorten(name)}" if name else ""
        yield Text(f"❝ {_shorten(quote)} ❞{where}", style="dim")
    for each in verdict.external:
        yield Text(f"outside: {printable(each.address)} {_shorten(each.quote)}", style="dim")
    for sense in verdict.interpretations:
        yield Text(f"read as: {printable(sense.meaning)} → {sense.label}", style="dim")
    if note := note_of(verdict):
        yield Text(printable(note), style="dim italic")


def _shorten(text: str) -> str:
    flat = printable(text)
    return flat if len(flat) <= QUOTE_LENGTH else flat[: QUOTE_LENGTH - 1] + "…"


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
