"""The statistics of a corpus as tables for the terminal."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import RenderableType
from rich.text import Text

from assay.core.pooling import GoldBasis, Pool
from assay.core.results import count_of, plural_of
from assay.datasets.corpus import Card, Repairs
from assay.datasets.download import STATES, FileState
from assay.datasets.overlaps import Overlap, Overlaps
from assay.datasets.validation import Defect
from assay.evaluation.agreement.agreement import AgreementFigures
from assay.evaluation.corpora.label_chains import ChainStats, Transitions
from assay.evaluation.corpora.label_changes import LabelChanges
from assay.evaluation.corpora.label_counts import LabelCount, LabelTable
from assay.evaluation.corpora.length_rates import LengthRates
from assay.evaluation.corpora.stats import AuthorCount, CorpusStats, Spread
from assay.metrics import Estimate
from assay.report.tables import (
    COUNT,
    FIGURE,
    WORDS,
    Column,
    Format,
    Table,
    facts_view,
    series,
    table_view,
)

MOST_AUTHORS = 15
MOST_POSITIONS = 10
NOBODY = "(not named)"
_POOLED: dict[Pool, str] = {
    "corpus": "the worst by any annotator",
    "any": "the worst by any annotator",
    "majority": "that of most annotators (ties count as unfaithful)",
    "all": "the best by all annotators",
}
_BASES = {
    "agreed": "as the corpus gives them",
    "annotators": "every verdict of every annotator",
}


def stats_view(stats: CorpusStats) -> Iterator[RenderableType]:
    """The tables one after the other."""
    yield facts_view(_facts(stats))
    for labels in stats.labels:
        yield from _labels(labels)
    yield _lengths(stats)
    for rates in stats.length_rates:
        yield _length_rates(rates, stats.gold)
        if rates.types and rates.side == "source":
            yield _types_by_length(rates)
    if stats.annotators:
        yield _authors("annotators", stats.annotators)
    if stats.agreement:
        title = "agreement: Krippendorff's alpha, nominal"
        yield table_view(Table(title, "", _AGREEMENT, stats.agreement))
    if stats.recorded:
        yield _authors("recorded detectors", stats.recorded)
    if stats.chains:
        yield from chains_view(stats.chains, stats.gold.pool if stats.gold else "corpus")


def _facts(stats: CorpusStats) -> Iterator[tuple[str, str]]:
    yield "examples", f"{stats.examples:,}"
    yield "sources", f"{stats.sources:,} different texts"
    yield "questions", f"{stats.questions:,} examples have one" if stats.questions else ""
    units = (
        f"{each.count:,} {plural_of(each.kind)}"
        + (f" ({each.unlabelled:,} without a label)" if each.unlabelled else "")
        for each in stats.units
    )
    yield "units", ", ".join(units) or "none: no unit is listed or judged by people"
    yield "annotators", f"{len(stats.annotators):,}" if stats.annotators else "none named"
    yield "LLMs", f"{len(stats.models):,}" if stats.models else "none named"
    yield "splits", _in_order(stats.splits)
    yield "tasks", _in_order(stats.tasks)


def _in_order(counts: dict[str, int]) -> str:
    return ", ".join(f"{name or '(none)'} {count:,}" for name, count in counts.items())


def _short_share(share: Estimate) -> str:
    """A share and its interval in percent, in few characters."""
    if share.value is None or share.low is None or share.high is None:
        return "-"
    return f"{100 * share.value:.1f} [{100 * share.low:.0f}-{100 * share.high:.0f}]"


SHORT = Format("share", _short_share)
SHORT_OF = Format("share", lambda each: f"{_short_share(each)} n={each.n:,}")
LENGTH = Format("length", "{:,.0f}".format)
_LABELS: tuple[Column[LabelCount], ...] = (
    Column("label", lambda each: each.label, WORDS),
    Column("reading", lambda each: each.coarse, WORDS),
    Column("n", lambda each: each.count, COUNT),
    Column("share", lambda each: _share(each.share)),
    Column("95% interval", lambda each: _interval(each.share)),
)


def _labels(labels: LabelTable) -> Iterator[RenderableType]:
    title = f"labels of {plural_of(labels.kind)} ({labels.taxonomy}), {_BASES[labels.basis]}"
    yield table_view(Table(title, "", _LABELS, labels.overall))
    if labels.by_model and len(labels.overall) > 1:
        columns: list[Column[tuple[str, Sequence[Estimate]]]] = [
            Column("LLM", lambda row: row[0] or NOBODY, WORDS),
            Column("n", lambda row: row[1][0].n, COUNT),
            *series([each.label for each in labels.overall], lambda row: row[1], SHORT),
        ]
        rows = [(model, [c.share for c in counts]) for model, counts in labels.by_model.items()]
        title = f"labels of {plural_of(labels.kind)} by LLM, % with 95% interval"
        yield table_view(Table(title, "", columns, rows))


_LENGTHS: tuple[Column[tuple[str, Spread]], ...] = (
    Column("length", lambda row: row[0], WORDS),
    Column("n", lambda row: row[1].n, COUNT),
    Column("lower quartile", lambda row: row[1].lower, LENGTH),
    Column("median", lambda row: row[1].median, LENGTH),
    Column("upper quartile", lambda row: row[1].upper, LENGTH),
    Column("maximum", lambda row: row[1].greatest, LENGTH),
)


def _lengths(stats: CorpusStats) -> RenderableType:
    rows = [
        (f"{side}, {measure}", spread)
        for side, measures in stats.lengths.items()
        for measure, spread in measures.items()
    ]
    return table_view(Table("lengths (a source counts once)", "", _LENGTHS, rows))


def _parts_of(rates: LengthRates) -> list[str]:
    starts = (0, *(end + 1 for end in rates.ends))
    return [f"{a:,}-{b:,}" for a, b in zip(starts, rates.ends, strict=False)]


def _types_by_length(rates: LengthRates) -> RenderableType:
    columns: list[Column[tuple[str, str, Sequence[Estimate]]]] = [
        Column("LLM", lambda row: row[0] or NOBODY, WORDS),
        Column("label", lambda row: row[1], WORDS),
        *series(_parts_of(rates), lambda row: row[2], SHORT_OF),
    ]
    rows = [
        (model, label, found)
        for model, types in rates.types.items()
        for label, found in types.items()
    ]
    title = (
        f"labels of responses that are not faithful by words of the {rates.side}, "
        "% with 95% interval"
    )
    return table_view(Table(title, "", columns, rows))


def _length_rates(rates: LengthRates, gold: GoldBasis | None) -> RenderableType:
    columns: list[Column[tuple[str, Sequence[Estimate]]]] = [
        Column("LLM", lambda row: row[0] or NOBODY, WORDS),
        *series(_parts_of(rates), lambda row: row[1], SHORT_OF),
    ]
    title = f"unfaithful responses by words of the {rates.side}, % with 95% interval"
    title += f"; {gold.describe()}" if gold else ""
    return table_view(Table(title, "", columns, [("all", rates.overall), *rates.by_model.items()]))


_AGREEMENT: tuple[Column[AgreementFigures], ...] = (
    Column("unit", lambda each: each.kind, WORDS),
    Column("taxonomy", lambda each: each.taxonomy, WORDS),
    Column("annotators", lambda each: each.annotators, COUNT),
    Column("ratings", lambda each: each.ratings, COUNT),
    Column("alpha [95% interval] units", lambda each: each.alpha, FIGURE),
)
_AUTHORS: tuple[Column[AuthorCount], ...] = (
    Column("name", lambda each: each.author, WORDS),
    Column("labels", lambda each: _in_order(each.labels), WORDS),
    Column("verdicts", lambda each: each.verdicts, COUNT),
    Column("failures", lambda each: each.failures, COUNT),
)


def _authors(title: str, authors: Sequence[AuthorCount]) -> RenderableType:
    rest = len(authors) - MOST_AUTHORS
    more = f"... and {rest:,} more, which the JSON document lists" if rest > 0 else ""
    return table_view(Table(title, "", _AUTHORS, authors[:MOST_AUTHORS], more=more))


def _share(share: Estimate) -> str:
    return "undefined" if share.value is None else f"{share.value:.1%}"


def _interval(share: Estimate) -> str:
    if share.value is None or share.low is None or share.high is None:  # of one source only
        return ""
    return f"{share.low:.1%} to {share.high:.1%}"


def chains_view(chains: ChainStats, pool: Pool = "corpus") -> Iterator[RenderableType]:
    """Transitions between the labels of sentences, and where responses first go wrong."""
    about = f"{chains.responses:,} responses, {chains.sentences:,} sentences, "
    about += f"{chains.unlabelled:,} of them without a label"
    if chains.unplaced:
        about += f"; {chains.unplaced:,} responses left out, whose sentences have no known place"
    basis = "as the corpus gives them"
    if chains.basis == "pooled":
        basis = f"{_POOLED[pool]} of the sentence or a span in it; unmarked is faithful"
    yield Text(f"\nsentence labels: {basis}; {about}")
    if chains.responses:
        yield _steps("chances of what follows, by reading", chains.by_reading)
        if len(chains.plain.before) > len(chains.by_reading[0].before):
            yield _steps("chances of what follows, by label", chains.by_label)
            yield _steps("chances of the next label", (chains.plain,))
        if chains.by_model:
            yield _by_model(chains)
        yield _first_errors(chains)


@dataclass(frozen=True, slots=True)
class _Step:
    """The chances of what follows a label, and whose responses they are of."""

    model: str
    before: str
    steps: int
    chances: Sequence[Estimate]


def _steps(title: str, tables: Sequence[Transitions]) -> RenderableType:
    columns: list[Column[_Step]] = [
        Column("after", lambda row: row.before, WORDS),
        Column("steps", lambda row: f"{row.steps}"),
        Column("n", lambda row: row.chances[0].n, COUNT),
        *series(tables[0].after, lambda row: row.chances, SHORT),
    ]
    rows = [step for each in tables for step in _steps_of(each)]
    return table_view(Table(f"{title}, % with 95% interval", "", columns, rows))


def _steps_of(table: Transitions, model: str = "") -> Iterator[_Step]:
    for before, chances in zip(table.before, table.chances, strict=True):
        yield _Step(model, before, table.steps, chances)


def _by_model(chains: ChainStats) -> RenderableType:
    columns: list[Column[_Step]] = [
        Column("LLM", lambda row: row.model or NOBODY, WORDS),
        Column("after", lambda row: row.before, WORDS),
        Column("n", lambda row: row.chances[0].n, COUNT),
        *series(chains.by_label[0].after, lambda row: row.chances, SHORT),
    ]
    rows = [step for model, each in chains.by_model.items() for step in _steps_of(each, model)]
    title = "chances of what follows next, by LLM, % with 95% interval"
    return table_view(Table(title, "", columns, [row for row in rows if row.chances[0].n]))


_FIRST_ERRORS: tuple[Column[tuple[str, int, Estimate | str, Estimate | str]], ...] = (
    Column("sentence", lambda row: row[0], WORDS),
    Column("first errors", lambda row: row[1], COUNT),
    Column("share of them", lambda row: row[2], SHORT),
    Column("of those without one so far", lambda row: row[3], SHORT),
)


def _first_errors(chains: ChainStats) -> RenderableType:
    errors = chains.first_errors
    found = zip(errors.counts, errors.shares, errors.hazards, strict=True)
    rows: list[tuple[str, int, Estimate | str, Estimate | str]] = [
        (f"{place}", *numbers)
        for place, numbers in enumerate(found, start=1)
        if place <= MOST_POSITIONS
    ]
    if later := sum(errors.counts[MOST_POSITIONS:]):
        rows.append(("later", later, "", ""))
    title = f"where responses first go wrong ({errors.clean:,} never do)"
    return table_view(Table(title, "", _FIRST_ERRORS, rows))


_CHANGES: tuple[Column[tuple[str, str, int]], ...] = (
    Column("before", lambda row: row[0], WORDS),
    Column("after", lambda row: row[1], WORDS),
    Column("n", lambda row: row[2], COUNT),
)


def changes_view(changes: LabelChanges) -> Iterator[RenderableType]:
    """Counts of changes from each label to each other."""
    kind = plural_of(changes.kind)
    if changes.counts:
        yield table_view(Table(f"labels of {kind} that changed", "", _CHANGES, changes.counts))
    apart = f"{changes.only_before:,} {kind} only before, {changes.only_after:,} only after"
    share, interval = _share(changes.changed), _interval(changes.changed)
    if changes.matched:
        share += f" (95% interval {interval})" if interval else " (no interval with one source)"
    matched = count_of(changes.matched, changes.kind)
    yield Text(f"\n{len(changes.changes):,} of {matched} changed: {share}; {apart}")


def repair_view(repairs: Repairs) -> Iterator[RenderableType]:
    """The repairs made while a corpus was read, if any."""
    columns: tuple[Column[tuple[str, int]], ...] = (
        Column("repair", lambda row: row[0], WORDS),
        Column("what", lambda row: repairs.meanings[row[0]], WORDS),
        Column("times", lambda row: row[1], COUNT),
    )
    if repairs.counts:
        rows = list(repairs.counts.items())
        yield table_view(Table("repairs made while reading", "", columns, rows))


def overlap_view(overlaps: Overlaps | None) -> Iterator[RenderableType]:
    """The corpora with sources in common, and those that nothing can be said of."""
    if overlaps is None:
        return
    if overlaps.shared:
        columns: tuple[Column[Overlap], ...] = (
            Column("corpus", lambda each: each.corpus, WORDS),
            Column("h80", lambda each: each.h80, COUNT),
            Column("h200", lambda each: each.h200, COUNT),
            Column("its sources", lambda each: each.sources, COUNT),
        )
        title = "sources shared with other corpora"
        yield table_view(Table(title, "", columns, overlaps.shared))
    yield Text(
        f"\nshared with {len(overlaps.shared)} of {len(overlaps.compared)} other corpora that are "
        f"here, by hashes of how a source begins (h80: {overlaps.h80:,} different, h200: "
        f"{overlaps.h200:,}; too short: {overlaps.short:,})"
    )
    for name, reason in overlaps.unread.items():
        yield Text(f"{name} could not be read: {reason}")


def defect_view(defects: Iterable[Defect]) -> Iterator[RenderableType]:
    """The defects of data with their places, if any."""
    rows = list(defects)
    if rows:
        yield table_view(Table("problems", "", _DEFECTS, rows))


_DEFECTS: tuple[Column[Defect], ...] = (
    Column("problem", lambda each: each.name, WORDS),
    Column(
        "what and where",
        lambda each: f"{each.meaning}, for example:\n" + "\n".join(each.places),
        WORDS,
    ),
    Column("times", lambda each: each.count, COUNT),
)


def card_facts(card: Card) -> Iterator[tuple[str, str]]:
    """All that a card says, by heading."""
    yield "corpus", f"{card.name}: {card.title}"
    yield "origin", card.origin
    yield "revision", card.revision
    yield "licence", card.licence
    yield "may train", "yes" if card.may_train else "no: for evaluation only"
    yield "paper", card.paper
    yield "units", f"{card.unit_kind}s, judged in the taxonomy {card.taxonomy}"
    if card.protocol:
        yield "protocol", f"{card.protocol} ({card.protocol.stated_in})"
    if card.asks:
        yield "asks", ", ".join(f"{name} asks {llm}" for name, llm in card.asks.items())
    yield "splits", ", ".join(card.splits) or "none"
    yield "labels", card.labels
    yield "defects", "\n".join(f"- {defect}" for defect in card.defects)
    yield "notes", card.notes


def _protocol(card: Card) -> str:
    """The protocol of a corpus: unit, pool and reading."""
    found = card.protocol
    return ", ".join(filter(None, (found.unit, found.pool, found.reading))) if found else "-"


CARDS: tuple[Column[tuple[Card, str]], ...] = (
    Column("corpus", lambda row: row[0].name, WORDS),
    Column("units", lambda row: row[0].unit_kind, WORDS),
    Column("taxonomy", lambda row: row[0].taxonomy, WORDS),
    Column("protocol", lambda row: _protocol(row[0]), WORDS),
    Column("licence", lambda row: row[0].licence, WORDS),
    Column("may train", lambda row: "yes" if row[0].may_train else "no", WORDS),
    Column("files", lambda row: row[1], WORDS),
)
FILES: tuple[Column[FileState], ...] = (
    Column("file", lambda file: file.path, WORDS),
    Column("state", lambda file: STATES[file.state], WORDS),
    Column("can be fetched", lambda file: "yes" if file.can_be_fetched else "no", WORDS),
    Column("bytes", lambda file: file.size, COUNT),
)
