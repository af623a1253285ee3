"""An evaluation as rows: one form for the terminal, CSV, Markdown and JSON."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from assay.evaluate.board import EvaluationReport
from assay.evaluate.comparison import PairComparison
from assay.evaluate.evaluation import Evaluation
from assay.metrics import Estimate

MARK = "*"
UPRIGHT = 2
WIDE = 190
NAMES_WIDTH = 30
COLUMN_WIDTH = 34
LEGEND = f"{MARK} the best balanced accuracy, and those not significantly worse (paired, p >= 0.05)"


def terminal_tables(report: EvaluationReport, width: int) -> Iterator[Table]:
    """A row a detector where that fits the width; otherwise upright, as many as fit at a time."""
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
    columns = [_cells(evaluation) for evaluation in evaluations]
    for name in dict.fromkeys(name for column in columns for name in column):
        table.add_row(name, *(column.get(name, "") for column in columns))
    return table


def _wide_table(report: EvaluationReport, title: str) -> Table:
    figures = list(report.evaluations[0].figures)
    table = Table("detector", title=title, title_justify="left", box=SIMPLE_HEAD)
    for name in ("n", "coverage", "failures", *figures):
        table.add_column(name, justify="right")
    for evaluation in report.evaluations:
        cells = _cells(evaluation)
        shown = [_stacked(evaluation.figures[name]) for name in figures]
        row = (cells["n"], cells["coverage"], cells["failures"], *shown)
        table.add_row(_name(evaluation, report), *row)
    return table


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
    """A row a detector."""
    columns = [_cells(evaluation) for evaluation in report.evaluations]
    names = list(dict.fromkeys(name for column in columns for name in column))
    lines = ["| detector | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for evaluation, column in zip(report.evaluations, columns, strict=True):
        cells = " | ".join(column.get(name, "") for name in names)
        lines.append(f"| {_name(evaluation, report)} | {cells} |")
    about = (("Labels", report.labels), ("Repairs", report.repairs))
    notes = [line for name, text in about if text for line in (f"{name}: {text}", "")]
    head = f"{report.dataset}: {report.reading}"
    return "\n".join((head, "", *lines, "", LEGEND, "", *notes))


def csv_table(report: EvaluationReport) -> str:
    """A line a figure: detector, figure, value, low, high, n."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("dataset", "reading", "detector", "figure", "value", "low", "high", "n"))
    for evaluation in report.evaluations:
        about = (report.dataset, report.reading, evaluation.detector)
        items = len(evaluation.judged)
        writer.writerow((*about, "coverage", evaluation.coverage, "", "", items))
        for reason, count in evaluation.failures.items():
            writer.writerow((*about, f"failures {reason}", count, "", "", items))
        writer.writerow((*about, "best", int(evaluation.detector in report.best), "", "", items))
        for name, each in _estimates(evaluation):
            cells = ("" if v is None else v for v in (each.value, each.low, each.high))
            writer.writerow(
                (report.dataset, report.reading, evaluation.detector, name, *cells, each.n)
            )
    return out.getvalue()


def json_document(report: EvaluationReport) -> dict[str, Any]:
    """Everything that the table shows."""
    return {
        "dataset": report.dataset,
        "reading": report.reading,
        "labels": report.labels,
        "repairs": report.repairs,
        "best": list(report.best),
        "detectors": [
            {
                "detector": evaluation.detector,
                "items": len(evaluation.judged),
                "n": evaluation.n,
                "coverage": evaluation.coverage,
                "failures": dict(evaluation.failures),
                "seconds": evaluation.seconds,
                "cost": evaluation.cost,
                "figures": {name: _record(each) for name, each in evaluation.figures.items()},
                "class_f1": {name: _record(each) for name, each in evaluation.class_f1.items()},
            }
            for evaluation in report.evaluations
        ],
    }


def comparison_document(pair: PairComparison) -> dict[str, Any]:
    """Two detectors side by side, with every item where they differ."""
    accuracy = pair.balanced_accuracy
    return {
        "first": pair.first,
        "second": pair.second,
        "n": pair.n,
        "balanced_accuracy": {
            "first": accuracy.first,
            "second": accuracy.second,
            "difference": _record(accuracy.difference),
            "p_value": accuracy.p_value,
        },
        "mcnemar": {
            "only_first_right": pair.right.only_first,
            "only_second_right": pair.right.only_second,
            "p_value": pair.right.p_value,
            "test": pair.right.test,
        },
        "errors_by_gold": pair.errors_by_gold,
        "differences": [
            {
                "example": each.first.item.example,
                "unit": each.first.item.unit.text,
                "gold": each.first.item.gold.name,
                "first_says_faithful": each.first.faithful,
                "second_says_faithful": each.second.faithful,
            }
            for each in pair.differences
        ],
    }


def _record(each: Estimate) -> dict[str, float | int | None]:
    return {"value": each.value, "low": each.low, "high": each.high, "n": each.n}


def _estimates(evaluation: Evaluation) -> Iterable[tuple[str, Estimate]]:
    yield from evaluation.figures.items()
    yield from ((f"F1 {name}", each) for name, each in evaluation.class_f1.items())


def _cells(evaluation: Evaluation) -> dict[str, str]:
    coverage = "undefined" if evaluation.coverage is None else f"{evaluation.coverage:.1%}"
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in evaluation.failures.items())
    cells = {"n": f"{evaluation.n:,}", "coverage": coverage, "failures": reasons or "0"}
    cells |= {name: str(each) for name, each in _estimates(evaluation)}
    cells["seconds"] = "" if evaluation.seconds is None else f"{evaluation.seconds:.1f}"
    cells["cost"] = "" if evaluation.cost is None else f"{evaluation.cost:.4f}"
    return cells
