"""Benchmark construction in the terminal: batches, responses collected, filtered and mined."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from assay.bench.batches import Plan
from assay.bench.chance import ChanceComparison
from assay.bench.collection import Collected, ModelLine
from assay.bench.filters import Filtered
from assay.bench.mining import Group, Mined, ModelCoverage, Panellist
from assay.core.results import count_of
from assay.report.tables import (
    COUNT,
    WORDS,
    Column,
    Format,
    Table,
    facts_view,
    named_columns,
    table_view,
)
from assay.report.words import counts, spelled_out

MOST_ROWS = 20
_SHOWN = 3
_NOBODY = "(no model named)"
BITS = Format("bits", "{:.3f}".format)

_PLANNED: tuple[Column[tuple[int, tuple[int, int, Sequence[str]]]], ...] = (
    Column("annotators", lambda row: ", ".join(row[1][2]), WORDS),
    Column("batch", lambda row: row[0], COUNT),
    Column("items", lambda row: row[1][0], COUNT),
    Column("sources", lambda row: row[1][1], COUNT),
)
_GIVEN: tuple[Column[Mapping[str, Any]], ...] = (
    Column("annotators", lambda row: ", ".join(map(_progress, row["annotators"])), WORDS),
    Column("batch", lambda row: row["number"], COUNT),
    Column("items", lambda row: row["items"], COUNT),
    Column("sources", lambda row: row["sources"], COUNT),
)


def plan_view(plan: Plan) -> Iterator[RenderableType]:
    """The batches of a plan, and how much everybody has."""
    title = f"batches of about {plan.rule.size:,}, seed {plan.rule.seed}"
    yield table_view(Table(title, "", _PLANNED, list(plan.batches().items())))
    loads = ", ".join(f"{name} {count:,}" for name, count in plan.loads.items())
    same = ", the same for all of a batch" if plan.rule.per_batch else ""
    facts = [("items for each annotator", loads), ("annotators of an item", f"{plan.rule.k}{same}")]
    yield facts_view(facts)


def given_view(project: str, batches: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    """The batches of a project in the studio, and how far they are."""
    yield table_view(Table(f"batches of '{project}': submitted / given", "", _GIVEN, batches))


def _progress(annotator: Mapping[str, Any]) -> str:
    return f"{annotator['name']} {annotator['submitted']}/{annotator['given']}"


_COLLECTED: tuple[Column[ModelLine], ...] = (
    Column("model", lambda line: line.model, WORDS),
    Column("responses", lambda line: line.responses, COUNT),
    Column("refused", lambda line: line.refused, COUNT),
    Column("empty", lambda line: line.empty, COUNT),
    Column("cut off", lambda line: line.truncated, COUNT),
    Column("lacking", lambda line: len(line.lacking), COUNT),
)


def collected_view(found: Collected) -> RenderableType:
    """Counts of the responses of each model, by kind."""
    where = f" in {found.file}" if found.file else ""
    title = f"responses to {count_of(found.sources, 'source')}{where}"
    return table_view(Table(title, "", _COLLECTED, found.models))


def lacking_lines(found: Collected) -> Iterator[str]:
    """Which responses are lacking and why, a line for each model."""
    for each in found.models:
        if each.lacking:
            rest = len(each.lacking) - _SHOWN
            ids = ", ".join(each.lacking[:_SHOWN]) + (f" and {rest:,} more" if rest > 0 else "")
            why = f" ({each.problem})" if each.problem else ""
            count = f"{len(each.lacking):,} of {count_of(each.sources, 'source')}"
            yield f"{each.model} has no response to {count}: {ids}{why}"


def filtered_view(found: Filtered) -> Iterator[RenderableType]:
    """A row for each LLM with a column for each rule that dropped something, and the files."""
    rules = [rule for rule, _ in found.rules.most_common()]
    rows: list[tuple[str, Mapping[str, int]]] = sorted(found.models.items())
    if len(rows) > 1:
        rows.append(("all", {"kept": found.kept, **found.rules}))
    columns: list[Column[tuple[str, Mapping[str, int]]]] = [
        Column("model", lambda row: row[0] or _NOBODY, WORDS),
        *named_columns(("kept", *rules), lambda row, name: row[1].get(name, 0), COUNT),
    ]
    title = (
        f"kept {found.kept:,} of {count_of(found.responses, 'response')}, "
        f"to {found.kept_sources:,} of {count_of(found.sources, 'source')}"
    )
    yield table_view(Table(title, "", columns, rows))
    for line in _files(found):
        yield Text(spelled_out(line))


def _files(found: Filtered) -> Iterator[str]:
    if found.file:
        yield f"kept: {found.file}"
    if found.dropped_file:
        yield f"dropped, each with its reason: {found.dropped_file}"
    if found.proposed is not None:
        where = count_of(found.proposed_sources, "source")
        what = f"{count_of(found.proposed, 'sentence')} of {where}"
        yield f"{what} may contradict the rest, for you to read: {found.proposals_file}"


def mining_view(
    dataset: str, mined: Mined, compared: str, finding: ChanceComparison | None, limit: int
) -> Iterator[RenderableType]:
    """The tables one after the other; at most `limit` groups are listed."""
    yield facts_view(_mined_facts(dataset, mined))
    yield _by_hard(mined)
    if mined.chosen:
        yield _groups(mined, limit)
    yield _detectors(mined)
    yield _models(mined)
    if finding:
        yield facts_view(_compared(compared, finding))


def _mined_facts(dataset: str, mined: Mined) -> Iterator[tuple[str, str]]:
    responses = count_of(mined.responses, "response")
    yield "data", f"{dataset}: {responses} to {count_of(mined.groups, 'source')}"
    some = count_of(mined.hard, "response")
    hard = f"{some} with an entropy of {mined.hard_from:g} bits or more"
    yield "hard", f"{hard}; detectors disagree on {mined.disagreed:,}"
    chosen = sum(each.responses for each in mined.chosen)
    wish = f"at least {count_of(mined.at_least, 'hard response')}"
    wish += f", the first {mined.asked:,}" if mined.asked else ""
    groups = count_of(len(mined.chosen), "group")
    yield "chosen", f"{groups} ({wish}) with {count_of(chosen, 'response')}"


_HARD: tuple[Column[tuple[str, int, int]], ...] = (
    Column("hard responses", lambda row: row[0]),
    Column("groups", lambda row: row[1], COUNT),
    Column("chosen", lambda row: row[2], COUNT),
)


def _by_hard(mined: Mined) -> RenderableType:
    chosen = Counter(group.hard for group in mined.chosen)
    counted = list(mined.by_hard().items())
    rows = [(f"{hard:,}", count, chosen[hard]) for hard, count in counted[:MOST_ROWS]]
    if rest := counted[MOST_ROWS:]:
        groups = sum(count for _, count in rest)
        rows.append(("fewer", groups, sum(chosen[hard] for hard, _ in rest)))
    return table_view(Table("groups by their number of hard responses", "", _HARD, rows))


_GROUPS: tuple[Column[Group], ...] = (
    Column("source", lambda each: each.source, WORDS),
    Column("hard", lambda each: f"{each.hard:,} of {each.responses:,}"),
    Column("mean entropy", lambda each: each.entropy, BITS),
    Column("models missing", lambda each: f"{len(each.missing):,}" if each.missing else ""),
)


def _groups(mined: Mined, limit: int) -> RenderableType:
    rest = len(mined.chosen) - limit
    more = f"... and {rest:,} more" if rest > 0 else ""
    title = "groups, the hardest first"
    return table_view(Table(title, "", _GROUPS, mined.chosen[:limit], more=more))


def _detectors(mined: Mined) -> RenderableType:
    columns: tuple[Column[Panellist], ...] = (
        Column("detector", lambda each: each.detector, WORDS),
        Column("no vote", lambda each: counts(each.failures), WORDS),
        Column("votes", lambda each: f"{each.votes:,} of {mined.responses:,}"),
        Column("unfaithful", lambda each: _share(each.unfaithful, each.votes)),
        Column("models", lambda each: f"{each.models:,} of {len(mined.models):,}"),
    )
    return table_view(Table("coverage by detector", "", columns, mined.detectors))


def _models(mined: Mined) -> RenderableType:
    ordered = sorted(mined.models, key=lambda each: (-_rate(each.hard, each.responses), each.model))
    votes = len(mined.detectors)
    columns: tuple[Column[ModelCoverage], ...] = (
        Column("model", lambda each: each.model or "(no name)", WORDS),
        Column("responses", lambda each: each.responses, COUNT),
        Column("sources", lambda each: f"{each.sources:,} of {mined.groups:,}"),
        Column(
            "votes a response",
            lambda each: f"{sum(each.votes.values()) / each.responses:.1f} of {votes:,}",
        ),
        Column("hard", lambda each: _share(each.hard, each.responses)),
        Column("mean entropy", lambda each: each.entropy, BITS),
    )
    rest = len(ordered) - MOST_ROWS
    more = f"... and {rest:,} more" if rest > 0 else ""
    title = "coverage by model, the hardest first"
    return table_view(Table(title, "", columns, ordered[:MOST_ROWS], more=more))


def _compared(name: str, finding: ChanceComparison) -> Iterator[tuple[str, str]]:
    other = f"{name}, which has {finding.others:,} different ones by their letters and digits"
    yield "compared", f"{finding.known:,} groups have a source of {other}"
    yield "found", f"{finding.found:,} of them among {finding.chosen:,} chosen: {finding.share}"
    share = finding.expected_share
    expected = f"{finding.expected:.1f} [{finding.low}, {finding.high}]"
    expected += f", a share of {share:.3f}" if share is not None else ""
    yield "by chance", f"{expected}; as many or more in {finding.at_least:.2g} of random draws"


def _rate(count: int, n: int) -> float:
    return count / n if n else 0.0


def _share(count: int, n: int) -> str:
    return f"{count / n:.1%}" if n else "-"
