"""An evaluation as a table for the terminal, in Markdown and as CSV."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from assay import __version__
from assay.core.formulas import guard
from assay.evaluation.comparison import (
    ASKS_ACCURACY,
    ASKS_RIGHT,
    EvaluationReport,
    PairComparison,
)
from assay.evaluation.evaluate import Evaluation
from assay.metrics import Estimate
from assay.report.evaluation_details import MARK, Cell, Detail, class_details, details
from assay.report.tables import printable, table_view

UPRIGHT = 2
WIDE = 216
NAMES_WIDTH = 30
COLUMN_WIDTH = 34
FEW = 4  # columns, each of which may hold a figure, its interval and its n on one line
LEGEND = (
    f"{MARK} the best balanced accuracy and those not distinguishable from it (paired bootstrap, "
    "p >= 0.05 with Holm's correction)"
)


def terminal_tables(report: EvaluationReport, width: int) -> Iterator[Table]:
    """One row for each detector if that fits the width; otherwise one column, as many as fit."""
    title = f"{report.dataset}: {report.reading}"
    if len(report.evaluations) > UPRIGHT and width >= WIDE:
        yield _wide_table(report, title)
        return
    at_once = max(1, (width - NAMES_WIDTH) // COLUMN_WIDTH)
    for start in range(0, len(report.evaluations), at_once):
        some = report.evaluations[start : start + at_once]
        yield _upright_table(some, report, "" if start else title)


def _upright_table(
    evaluations: Sequence[Evaluation], report: EvaluationReport, title: str
) -> Table:
    table = Table("", title=title, title_justify="left")
    for evaluation in evaluations:
        table.add_column(_name(evaluation, report), justify="right")
    columns = [_cells(evaluation, report) for evaluation in evaluations]
    for name in dict.fromkeys(name for column in columns for name in column):
        table.add_row(name, *(column.get(name, "") for column in columns))
    return table


def _wide_table(report: EvaluationReport, title: str) -> Table:
    heads = ("rank", "n", "coverage", "failures", *report.evaluations[0].figures)
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("detector", overflow="fold")
    for head in heads:
        table.add_column(head, justify="right")
    for evaluation in report.evaluations:
        figures = {name: _stacked(each) for name, each in evaluation.figures.items()}
        cells = _cells(evaluation, report) | figures
        table.add_row(_name(evaluation, report), *(cells[head] for head in heads))
    return table


def _by_label(report: EvaluationReport) -> str:
    """Which detectors are ordered by their labels, in words; empty if all have scores."""
    names = [each.detector for each in report.evaluations if each.confidence == "label"]
    if not names:
        return ""
    return f"without scores, AUROC and risk-coverage area go by labels: {', '.join(names)}"


def _of_responses(report: EvaluationReport) -> str:
    """Which detectors have no figures, as they judge whole responses, in words; empty if none."""
    names = [each.detector for each in report.evaluations if each.judges_responses_only]
    if not names:
        return ""
    return f"measured at response level only, since they judge whole responses: {', '.join(names)}"


def _name(evaluation: Evaluation, report: EvaluationReport) -> str:
    return evaluation.detector + (MARK if evaluation.detector in report.best else "")


def _stacked(each: Estimate) -> str:
    """A figure over its interval."""
    if each.value is None:
        return "-"
    if each.low is None or each.high is None:
        return f"{each.value:.3f}"
    return f"{each.value:.3f}\n[{each.low:.2f}, {each.high:.2f}]"


def markdown_table(report: EvaluationReport) -> str:
    """One row for each detector, and below the table which versions they are of."""
    columns = [_cells(evaluation, report) for evaluation in report.evaluations]
    names = list(dict.fromkeys(name for column in columns for name in column))
    rows = [
        (_name(evaluation, report), *(column.get(name, "") for name in names))
        for evaluation, column in zip(report.evaluations, columns, strict=True)
    ]
    lines = _markdown(("detector", *names), rows)
    for each in (*details(report), *class_details(report)):
        cells = [[_inline(cell) for cell in row] for row in each.rows]
        lines += ["", f"{each.title}. {each.note}", "", *_markdown(each.heads, cells)]
    versions = "; ".join((f"Assay {__version__}", *map(_version, report.evaluations)))
    confidence = _by_label(report)
    about = (
        ("Without figures", _of_responses(report)),
        ("Confidence", confidence),
        ("Labels", report.labels),
        ("Repairs", report.repairs),
        ("Versions", versions),
    )
    notes = [line for name, text in about if text for line in (f"{name}: {text}", "")]
    head = f"{report.dataset}: {report.reading}"
    legend = (LEGEND, "") if report.best else ()
    return "\n".join((head, "", *lines, "", *legend, *notes))


def _markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows)]


def _inline(cell: Cell) -> str:
    return cell if isinstance(cell, str) else str(cell)


def csv_table(report: EvaluationReport) -> str:
    """One line for each figure: whose it is, its value with interval and n, and versions.

    An empty task is all tasks together, an empty split all of the data.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    about = ("dataset", "split", "reading", "detector", "model", "run", "task")
    writer.writerow((*about, "figure", "value", "low", "high", "n", "version", "assay"))
    for evaluation in report.evaluations:
        whole = [
            ("best", int(evaluation.detector in report.best)),
            ("rank", _rank(evaluation, report)),
            *_within_model(evaluation, report),
        ]
        given = [(name, Estimate(value, len(evaluation.items))) for name, value in whole]
        given += [
            (f"spread {name}", Estimate(evaluation.spread(name), len(evaluation.runs)))
            for name in evaluation.figures
            if evaluation.runs
        ]
        parts = [("", "", evaluation, given)]
        parts += [(run.detector, "", run, []) for run in evaluation.runs]
        parts += [("", task, part, []) for task, part in evaluation.tasks.items()]
        for run, task, part, more in parts:
            for name, each in (*_csv_figures(part), *more):
                cells = ("" if v is None else v for v in (each.value, each.low, each.high))
                data = (report.dataset, report.split, report.reading)
                who = (evaluation.detector, evaluation.model, run)
                row = (*data, *who, task or report.task, name, *cells)
                row = (*row, each.n, _version(evaluation), __version__)
                writer.writerow(map(guard, row))
    return out.getvalue()


def _within_model(
    evaluation: Evaluation, report: EvaluationReport
) -> Iterator[tuple[str, int | None]]:
    for each in report.by_model:
        if each.detector == evaluation.detector:
            yield "best within model", int(each.is_best)
            yield "rank within model", each.rank


def _csv_figures(evaluation: Evaluation) -> Iterator[tuple[str, Estimate]]:
    items = len(evaluation.items)
    yield "coverage", Estimate(evaluation.coverage, items)
    for reason, count in evaluation.failures.items():
        yield f"failures {reason}", Estimate(count, items)
    if evaluation.invalid:
        yield "invalid as unfaithful", Estimate(evaluation.invalid, items)
    yield from _estimates(evaluation)
    for each in evaluation.acceptance:
        yield f"coverage from {each.label}", each.coverage
        yield f"risk from {each.label}", each.risk


def _rank(evaluation: Evaluation, report: EvaluationReport) -> int | None:
    return report.ranks[report.evaluations.index(evaluation)]


def _version(evaluation: Evaluation) -> str:
    """The detector as its manifest knows it: name, version and model."""
    if evaluation.runs:
        return " + ".join(dict.fromkeys(map(_version, evaluation.runs)))
    manifest = evaluation.manifest
    if manifest is None:
        return evaluation.detector
    author = manifest.author
    model = f"model {manifest.model}" if manifest.model else ""
    return " ".join(filter(None, (author.name, author.version, model)))


def _estimates(evaluation: Evaluation) -> Iterable[tuple[str, Estimate]]:
    yield from evaluation.figures.items()
    yield from ((f"F1 {name}", each) for name, each in evaluation.class_f1.items())


def _cells(evaluation: Evaluation, report: EvaluationReport) -> dict[str, str]:
    coverage = "undefined" if evaluation.coverage is None else f"{evaluation.coverage:.1%}"
    reasons = [f"{reason} {count:,}" for reason, count in evaluation.failures.items()]
    if evaluation.invalid:
        reasons.append(f"invalid as unfaithful {evaluation.invalid:,}")
    rank = _rank(evaluation, report)
    cells = {"n": f"{evaluation.n:,}", "coverage": coverage, "failures": ", ".join(reasons) or "0"}
    if len(report.evaluations) > 1:
        cells = {"rank": "-" if rank is None else str(rank), **cells}
    cells |= {name: str(each) for name, each in _estimates(evaluation)}
    cells["seconds"] = "" if evaluation.seconds is None else f"{evaluation.seconds:.1f}"
    cells["cost"] = "" if evaluation.cost is None else f"{evaluation.cost:.4f}"
    return cells


def report_view(report: EvaluationReport, width: int) -> Iterator[RenderableType]:
    """The tables of an evaluation, and what has to be known to read them."""
    yield from terminal_tables(report, width)
    for note in report_notes(report):
        yield Text(note, style="dim")
    for each in (*details(report), *class_details(report)):
        yield _detail_view(each)
    if report.labels:
        yield Text(f"labels: {report.labels}", style="dim")
    if report.repairs:
        yield Text(f"repairs: {report.repairs}", style="dim")


def report_notes(report: EvaluationReport) -> Iterator[str]:
    """What has to be known to read the table of an evaluation."""
    legend = LEGEND if report.best else ""
    yield from filter(None, (legend, _of_responses(report), _by_label(report)))


def _detail_view(detail: Detail) -> RenderableType:
    shown = str if len(detail.heads) <= FEW else _stacked
    rows = [[c if isinstance(c, str) else shown(c) for c in row] for row in detail.rows]
    return table_view(f"{detail.title}. {detail.note}", detail.heads, rows, words=detail.words)


def comparison_view(
    pair: PairComparison, about: str, items: int, number: int
) -> Iterator[RenderableType]:
    """Two detectors side by side: the tests, errors by gold label, and items that differ."""
    accuracy, right = pair.balanced_accuracy, pair.right
    yield Text(about, style="dim")
    counted = f"{pair.n:,} of {items:,} items, which the reading counts and both judged"
    yield Text(f"{pair.first} against {pair.second} on {counted}")
    if max(pair.runs) > 1:
        yield Text(
            "balanced accuracies are averages over runs; for single items a detector says what "
            "most of its runs say, and unfaithful where they are split"
        )
    yield Text(
        f"balanced accuracy {_number(accuracy.first)} and {_number(accuracy.second)}; "
        f"difference {accuracy.difference}; p = {_number(accuracy.p_value)}"
    )
    yield Text(f"  asks {ASKS_ACCURACY}", style="dim")
    yield Text(
        f"only the first right {right.only_first:,}, only the second {right.only_second:,}; "
        f"p = {_number(right.p_value)} ({right.test})"
    )
    yield Text(f"  asks {ASKS_RIGHT}", style="dim")
    kinds = ("both right", "first wrong", "second wrong", "both wrong")
    table = Table("gold label", *kinds)
    for name, counts in pair.errors_by_gold.items():
        table.add_row(name, *(f"{counts.get(kind, 0):,}" for kind in kinds))
    yield table
    yield Text(f"{len(pair.differences):,} items differ")
    for each in pair.differences[:number]:
        item = each.first.item
        said = " / ".join(
            "faithful" if one.faithful else "unfaithful" for one in (each.first, each.second)
        )
        yield Text(f"  {item.example}  gold {item.gold}, {said}: {_short(item.unit.text)}")


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _short(text: str) -> str:
    return printable(" ".join(text.split())[:160])
