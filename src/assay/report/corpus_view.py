"""The statistics of a corpus as tables for the terminal and as one JSON document."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.evaluate.corpus_counts import JudgeCount
from assay.evaluate.corpus_stats import CorpusStats
from assay.evaluate.label_chains import ChainStats, Transitions
from assay.evaluate.label_counts import LabelTable
from assay.metrics import Estimate

MOST_JUDGES = 15
MOST_POSITIONS = 10
_BASES = {
    "agreed": "as the corpus gives them",
    "annotators": "every verdict of every annotator",
    "given": "as the corpus gives them",
    "pooled": "the worst that annotators say of a sentence or mark in it; unmarked is faithful",
}


def stats_document(stats: CorpusStats) -> dict[str, Any]:
    """Everything that was counted, as plain JSON values."""
    document = asdict(stats)
    if stats.chains:
        errors = stats.chains.first_errors
        document["chains"]["first_errors"] |= {
            "shares": [asdict(each) for each in errors.shares],
            "hazards": [asdict(each) for each in errors.hazards],
        }
    return document


def stats_view(stats: CorpusStats) -> Iterator[RenderableType]:
    """The tables one after the other."""
    yield facts_view(_facts(stats))
    for labels in stats.labels:
        yield from _labels(labels)
    yield _lengths(stats)
    if stats.annotators:
        yield _judges("annotators", stats.annotators)
    if stats.recorded:
        yield _judges("recorded detectors", stats.recorded)
    if stats.chains:
        yield from _chains(stats.chains)


def facts_view(facts: Iterable[tuple[str, str]]) -> Table:
    """Names and what is to be said of them; what is empty is left out."""
    table = Table.grid(padding=(0, 2))
    for name, fact in facts:
        if fact:
            table.add_row(Text(name, style="bold"), Text(fact))
    return table


def table_view(
    title: str, headers: Sequence[str], rows: Iterable[Sequence[str]], *, words: int = 1
) -> RenderableType:
    """A table whose first columns, `words` of them, are words, and the others numbers."""
    table = Table(box=None)
    for number, header in enumerate(headers):
        side: Literal["left", "right"] = "left" if number < words else "right"
        table.add_column(Text(header), justify=side, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return Group("", Text(title, style="bold"), table)


def _facts(stats: CorpusStats) -> Iterator[tuple[str, str]]:
    yield "examples", f"{stats.examples:,}"
    yield "sources", f"{stats.sources:,} different texts"
    yield "questions", f"{stats.questions:,} examples have one" if stats.questions else ""
    units = (
        f"{each.count:,} {_plural(each.kind)}"
        + (f" ({each.unlabelled:,} without a label)" if each.unlabelled else "")
        for each in stats.units
    )
    yield "units", ", ".join(units) or "none: nothing is listed or judged by people"
    yield "annotators", f"{len(stats.annotators):,}" if stats.annotators else "none named"
    yield "LLMs", f"{len(stats.models):,}" if stats.models else "none named"
    yield "splits", _listing(stats.splits)
    yield "tasks", _listing(stats.tasks)


def _listing(counts: dict[str, int]) -> str:
    return ", ".join(f"{name or '(none)'} {count:,}" for name, count in counts.items())


def _plural(kind: str) -> str:
    """The name of many units of a kind.

    >>> _plural("inconsistency"), _plural("span")
    ('inconsistencies', 'spans')
    """
    return f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"


def _labels(labels: LabelTable) -> Iterator[RenderableType]:
    title = f"labels of {_plural(labels.kind)} ({labels.taxonomy}), {_BASES[labels.basis]}"
    rows = [
        (each.label, each.coarse, f"{each.count:,}", *_share(each.share)) for each in labels.overall
    ]
    yield table_view(title, ("label", "reading", "n", "share", "95 % interval"), rows, words=2)
    if labels.by_model and len(labels.overall) > 1:
        names = [each.label for each in labels.overall]
        by_model = (
            (model or "(not named)", f"{counts[0].share.n:,}", *(_short(c.share) for c in counts))
            for model, counts in labels.by_model.items()
        )
        yield table_view(
            f"labels of {_plural(labels.kind)} by LLM, % with 95 % interval",
            ("LLM", "n", *names),
            by_model,
        )


def _lengths(stats: CorpusStats) -> RenderableType:
    rows = (
        (
            f"{side}, {measure}",
            f"{spread.n:,}",
            *map(_length, (spread.lower, spread.median)),
            *map(_length, (spread.upper, spread.greatest)),
        )
        for side, measures in stats.lengths.items()
        for measure, spread in measures.items()
    )
    headers = ("length", "n", "lower quartile", "median", "upper quartile", "greatest")
    return table_view("lengths (a source counts once)", headers, rows)


def _judges(title: str, judges: Sequence[JudgeCount]) -> RenderableType:
    rows = [
        (each.judge, _listing(each.labels), f"{each.verdicts:,}", f"{each.failures:,}")
        for each in judges[:MOST_JUDGES]
    ]
    if len(judges) > MOST_JUDGES:
        rows.append((f"... and {len(judges) - MOST_JUDGES:,} more (--json has all)", "", "", ""))
    return table_view(title, ("name", "labels", "verdicts", "failures"), rows, words=2)


def _chains(chains: ChainStats) -> Iterator[RenderableType]:
    about = f"{chains.responses:,} responses, {chains.sentences:,} sentences, "
    about += f"{chains.unlabelled:,} of them without a label"
    if chains.unplaced:
        about += f"; {chains.unplaced:,} responses left out: no place is known for their sentences"
    yield Text(f"\nsentence labels: {_BASES[chains.basis]}; {about}")
    if chains.responses:
        yield _steps("chances of what follows, by reading", chains.by_reading)
        if len(chains.plain.before) > len(chains.by_reading[0].before):
            yield _steps("chances of what follows, by label", chains.by_label)
            yield _steps("chances of the next label", (chains.plain,))
        yield _first_errors(chains)


def _steps(title: str, tables: Sequence[Transitions]) -> RenderableType:
    rows = (
        (before, f"{each.steps}", f"{chances[0].n:,}", *map(_short, chances))
        for each in tables
        for before, chances in zip(each.before, each.chances, strict=True)
    )
    headers = ("after", "steps", "n", *tables[0].after)
    return table_view(f"{title}, % with 95 % interval", headers, rows)


def _first_errors(chains: ChainStats) -> RenderableType:
    errors = chains.first_errors
    rows = [
        (f"{place}", f"{count:,}", _short(share), _short(hazard))
        for place, (count, share, hazard) in enumerate(
            zip(errors.counts, errors.shares, errors.hazards, strict=True), start=1
        )
        if place <= MOST_POSITIONS
    ]
    if later := sum(errors.counts[MOST_POSITIONS:]):
        rows.append(("later", f"{later:,}", "", ""))
    headers = ("sentence", "first errors", "share of them", "of those without one so far")
    return table_view(f"where responses first go wrong ({errors.clean:,} never do)", headers, rows)


def _share(share: Estimate) -> tuple[str, str]:
    if share.value is None or share.low is None or share.high is None:
        return "undefined", ""
    return f"{share.value:.1%}", f"{share.low:.1%} to {share.high:.1%}"


def _short(share: Estimate) -> str:
    if share.value is None or share.low is None or share.high is None:
        return "-"
    return f"{100 * share.value:.1f} [{100 * share.low:.0f}-{100 * share.high:.0f}]"


def _length(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"
