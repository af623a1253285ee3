"""The statistics of a corpus as tables for the terminal."""

from collections.abc import Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from assay.core.pooling import GoldBasis
from assay.core.totals import count_of, plural_of
from assay.datasets.corpus import Card, Repairs
from assay.datasets.download import STATES, FileState
from assay.datasets.overlaps import Overlaps
from assay.datasets.validation import Defect
from assay.evaluation.agreement import AgreementFigures
from assay.evaluation.corpus_stats import AuthorCount, CorpusStats
from assay.evaluation.label_changes import LabelChanges
from assay.evaluation.label_counts import LabelTable
from assay.evaluation.length_rates import LengthRates
from assay.metrics import Estimate
from assay.report.chains_view import chains_view, short_share
from assay.report.tables import facts_view, table_view

MOST_AUTHORS = 15
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
        yield _agreement(stats.agreement)
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


def _labels(labels: LabelTable) -> Iterator[RenderableType]:
    title = f"labels of {plural_of(labels.kind)} ({labels.taxonomy}), {_BASES[labels.basis]}"
    rows = [
        (each.label, each.coarse, f"{each.count:,}", *_share(each.share)) for each in labels.overall
    ]
    yield table_view(title, ("label", "reading", "n", "share", "95% interval"), rows, words=2)
    if labels.by_model and len(labels.overall) > 1:
        names = [each.label for each in labels.overall]
        by_model = (
            (
                model or "(not named)",
                f"{counts[0].share.n:,}",
                *(short_share(c.share) for c in counts),
            )
            for model, counts in labels.by_model.items()
        )
        yield table_view(
            f"labels of {plural_of(labels.kind)} by LLM, % with 95% interval",
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
    headers = ("length", "n", "lower quartile", "median", "upper quartile", "maximum")
    return table_view("lengths (a source counts once)", headers, rows)


def _parts_of(rates: LengthRates) -> list[str]:
    starts = (0, *(end + 1 for end in rates.ends))
    return [f"{a:,}-{b:,}" for a, b in zip(starts, rates.ends, strict=False)]


def _types_by_length(rates: LengthRates) -> RenderableType:
    rows = (
        (model or "(not named)", label, *(f"{short_share(each)} n={each.n:,}" for each in found))
        for model, types in rates.types.items()
        for label, found in types.items()
    )
    title = (
        f"labels of responses that are not faithful by words of the {rates.side}, "
        "% with 95% interval"
    )
    return table_view(title, ("LLM", "label", *_parts_of(rates)), rows, words=2)


def _length_rates(rates: LengthRates, gold: GoldBasis | None) -> RenderableType:
    shares = {"all": rates.overall, **rates.by_model}
    rows = (
        (model or "(not named)", *(f"{short_share(each)} n={each.n:,}" for each in found))
        for model, found in shares.items()
    )
    title = f"unfaithful responses by words of the {rates.side}, % with 95% interval"
    title += f"; {gold.describe()}" if gold else ""
    return table_view(title, ("LLM", *_parts_of(rates)), rows)


def _agreement(agreement: Sequence[AgreementFigures]) -> RenderableType:
    rows = (
        (each.kind, each.taxonomy, f"{each.annotators:,}", f"{each.ratings:,}", f"{each.alpha}")
        for each in agreement
    )
    headers = ("unit", "taxonomy", "annotators", "ratings", "alpha [95% interval] units")
    return table_view("agreement: Krippendorff's alpha, nominal", headers, rows, words=2)


def _authors(title: str, authors: Sequence[AuthorCount]) -> RenderableType:
    rows = [
        (each.author, _in_order(each.labels), f"{each.verdicts:,}", f"{each.failures:,}")
        for each in authors[:MOST_AUTHORS]
    ]
    if len(authors) > MOST_AUTHORS:
        more = f"... and {len(authors) - MOST_AUTHORS:,} more, which the JSON document lists"
        rows.append((more, "", "", ""))
    return table_view(title, ("name", "labels", "verdicts", "failures"), rows, words=2)


def _share(share: Estimate) -> tuple[str, str]:
    if share.value is None:
        return "undefined", ""
    if share.low is None or share.high is None:  # of one source only
        return f"{share.value:.1%}", ""
    return f"{share.value:.1%}", f"{share.low:.1%} to {share.high:.1%}"


def _length(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def changes_view(changes: LabelChanges) -> Iterator[RenderableType]:
    """How often each label became which."""
    kind = plural_of(changes.kind)
    rows = [(before, after, f"{count:,}") for before, after, count in changes.counts]
    if rows:
        yield table_view(f"labels of {kind} that changed", ("before", "after", "n"), rows, words=2)
    apart = f"{changes.only_before:,} {kind} only before, {changes.only_after:,} only after"
    share, interval = _share(changes.changed)
    if changes.matched:
        share += f" (95% interval {interval})" if interval else " (no interval with one source)"
    matched = count_of(changes.matched, changes.kind)
    yield Text(f"\n{len(changes.changes):,} of {matched} changed: {share}; {apart}")


def repair_view(repairs: Repairs) -> Iterator[RenderableType]:
    """What was repaired while a corpus was read, if anything."""
    rows = [(name, repairs.meanings[name], f"{count:,}") for name, count in repairs.counts.items()]
    if rows:
        yield table_view("repairs made while reading", ("repair", "what", "times"), rows, words=2)


def overlap_view(overlaps: Overlaps | None) -> Iterator[RenderableType]:
    """The corpora with sources in common, and those that nothing can be said of."""
    if overlaps is None:
        return
    rows = [
        (each.corpus, f"{each.h80:,}", f"{each.h200:,}", f"{each.sources:,}")
        for each in overlaps.shared
    ]
    if rows:
        headers = ("corpus", "h80", "h200", "its sources")
        yield table_view("sources shared with other corpora", headers, rows)
    yield Text(
        f"\nshared with {len(rows)} of {len(overlaps.compared)} other corpora that are here, by "
        f"hashes of how a source begins (h80: {overlaps.h80:,} different, h200: "
        f"{overlaps.h200:,}; too short: {overlaps.short:,})"
    )
    for name, reason in overlaps.unread.items():
        yield Text(f"{name} could not be read: {reason}")


def defect_view(defects: Iterable[Defect]) -> Iterator[RenderableType]:
    """What is wrong with data, and where, if anything."""
    rows = [
        (each.name, f"{each.meaning}, for example:\n" + "\n".join(each.places), f"{each.count:,}")
        for each in defects
    ]
    if rows:
        yield table_view("problems", ("problem", "what and where", "times"), rows, words=2)


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


def protocol_words(card: Card) -> str:
    """The protocol of a corpus in a table: unit, pool and reading."""
    found = card.protocol
    return ", ".join(filter(None, (found.unit, found.pool, found.reading))) if found else "-"


def file_row(file: FileState) -> tuple[str, str, str, str]:
    """A file of a corpus in a table: its path, state, whether it can be fetched, and size."""
    size = "-" if file.size is None else f"{file.size:,}"
    return file.path, STATES[file.state], "yes" if file.can_be_fetched else "no", size
