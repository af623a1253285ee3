"""Figures of localization, as tables."""

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.text import Text

from assay.core.results import count_of
from assay.evaluation.evaluate import Evaluation
from assay.evaluation.localization.agreement import Agreement
from assay.evaluation.localization.evaluation import Choice, LocalizationReport
from assay.evaluation.localization.measures import Localization, MarkedWords
from assay.metrics import Estimate
from assay.report.tables import (
    COUNT,
    FIGURE,
    WORDS,
    Column,
    Table,
    facts_view,
    named_columns,
    named_values,
    series,
    table_view,
)
from assay.report.words import counts

BINARY_FIGURES = ("balanced accuracy", "precision", "recall", "F1")


def report_view(report: LocalizationReport) -> Iterator[RenderableType]:
    """The tables of one corpus."""
    found = report.localization
    title = f"{report.dataset}: {found.detector}, matched by {found.matcher}"
    yield _values_view(title, ("figure", "value, 95% interval by source"), found.figures)
    yield facts_view(_facts(report))
    if found.by_kind:
        yield _values_view("recall by kind of gold error", ("kind", "recall"), found.by_kind)
    if found.by_category:
        heads = ("category", "precision")
        yield _values_view("precision by predicted category", heads, found.by_category)
    if report.marked:
        yield from _marked_view(report.marked)
    yield _binary_view(report)


def choice_view(choice: Choice, about: str) -> Iterator[RenderableType]:
    """Both variants side by side, and what follows."""
    columns: list[Column[Localization]] = [
        Column("prompt", lambda each: each.detector, WORDS),
        *named_columns(choice.variants[0].figures, lambda each, name: each.figures[name], FIGURE),
        Column("coverage", _coverage),
    ]
    yield table_view(Table(f"{choice.style} on {about}", "", columns, choice.variants))
    test = choice.comparison
    p_value = "undefined" if test.p_value is None else f"{test.p_value:.3f}"
    yield Text(
        f"\ndifference of F1, a minus b: {test.difference}; p = {p_value} (paired bootstrap)"
    )
    yield Text(_advice(choice), style="bold")


def agreement_view(parts: Mapping[str, Agreement], dataset: str) -> Iterator[RenderableType]:
    """A row for each half and each way to show the errors."""
    first = next(iter(parts.values()))
    columns: list[Column[tuple[str, Agreement]]] = [
        Column("part", lambda row: row[0], WORDS),
        *named_columns(first.figures, lambda row, name: row[1].figures[name], FIGURE),
        Column("failures", lambda row: row[1].failures.total(), COUNT),
    ]
    title = f"matcher {first.matcher} against the annotators of {dataset}; n counts rounds"
    yield table_view(Table(title, "", columns, list(parts.items())))


def _values_view(
    title: str, heads: tuple[str, str], values: Mapping[str, Estimate]
) -> RenderableType:
    return table_view(Table(title, "", named_values(*heads), list(values.items())))


def _advice(choice: Choice) -> str:
    """Advice from the comparison, in a line."""
    test = choice.comparison
    if choice.better is None:
        return "take neither: there is no example on which the F1 of both can be measured"
    measured = f"on the {test.difference.n:,} examples that both are measured on"
    if test.first == test.second:
        return f"take {choice.better}, or the other: their F1 is the same {measured}"
    clear = "the difference is more than luck" if choice.is_clear else "the difference may be luck"
    return f"take {choice.better}: it has the higher F1 {measured}; {clear}"


def _facts(report: LocalizationReport) -> Iterator[tuple[str, str]]:
    found = report.localization
    hits, made = found.hits, sum(each.is_made for case in found.cases for each in case.predicted)
    yield "errors", f"{hits.found:,} found of {hits.gold:,}, with {hits.predicted:,} predictions"
    yield "coverage", _coverage(found)
    if made:
        yield "predictions", f"{made:,} only mark words, and match only an error at the same words"
    if found.unchecked:
        yield "unchecked", f"{found.unchecked:,} parts of measured responses have no verdict"
    if report.unread.count:
        yield "not read", str(report.unread)
    if report.unknown:
        yield "left out", f"{report.unknown:,} examples: nobody said what is wrong"
    if report.outside:
        yield (
            "sample",
            f"{report.outside:,} other examples are not in the sample of the run or in the file",
        )
    if report.absent:
        judged = count_of(report.absent, "example")
        yield "not in the data", f"{judged} that the detector judged, left out"
    if report.reading:
        yield "labels", f"read as in {report.reading}"
    if report.several:
        yield "explanations", f"{report.several:,} gold errors change several places each"
    if report.made:
        yield "undescribed", f"{report.made:,} gold errors are only marked"


def _marked_view(marked: MarkedWords) -> Iterator[RenderableType]:
    """A row for all responses, and one for each task, at either level."""
    parts = {"all": marked, **marked.tasks}
    rows = [
        (name, level, list(figures.values()))
        for name, part in parts.items()
        for level, figures in (
            ("characters", part.characters),
            ("responses with any", part.examples),
        )
    ]
    columns: list[Column[tuple[str, str, list[Estimate]]]] = [
        Column("responses", lambda row: row[0], WORDS),
        Column("counted", lambda row: row[1], WORDS),
        *series(marked.characters, lambda row: row[2], FIGURE),
    ]
    whose = "words of what it calls unfaithful" if marked.is_whole else "marked words"
    title = f"{whose} against those that people marked; n counts responses"
    yield table_view(Table(title, "", columns, rows))
    coverage = "undefined" if marked.coverage is None else f"{marked.coverage:.1%}"
    failed = f"; detector failed: {counts(marked.failures)}" if marked.failures else ""
    yield facts_view(
        [
            ("coverage", f"{coverage} of {marked.responses:,} responses{failed}"),
            (
                "left out",
                f"{marked.unplaced:,} responses with errors that have no place"
                if marked.unplaced
                else "",
            ),
        ]
    )


def _binary_view(report: LocalizationReport) -> RenderableType:
    sides = [(f"{report.binarized.detector}, binarized", report.binarized)]
    if report.binary:
        sides.append((report.binary.detector, report.binary))
    columns: list[Column[tuple[str, Evaluation]]] = [
        Column("detector", lambda row: row[0], WORDS),
        *named_columns(BINARY_FIGURES, lambda row, name: row[1].figures[name], FIGURE),
        Column("failures", lambda row: row[1].failures.total(), COUNT),
    ]
    title = "verdicts on whole responses; at least one inconsistency is unfaithful"
    return table_view(Table(title, "", columns, sides))


def _coverage(found: Localization) -> str:
    if found.coverage is None:
        return "undefined"
    failed = {"detector": found.failures, "matcher": found.matcher_failures}
    told = [
        f"{side} failed: " + ", ".join(f"{count:,} {reason}" for reason, count in reasons.items())
        for side, reasons in failed.items()
        if reasons
    ]
    return "; ".join((f"{found.coverage:.1%} of {len(found.cases):,} examples", *told))
