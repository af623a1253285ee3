"""What an evaluation says beyond one row for each detector: single runs, tasks, label thresholds.

Each is a table that the terminal, Markdown and the page show in their own way.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.evaluation.comparison import EvaluationReport
from assay.evaluation.evaluate import Evaluation
from assay.evaluation.rankings import NO_MODEL
from assay.metrics import Estimate

# The figures of FaithJudge's tables and of its figure 2; the other ones are in CSV and JSON.
SHOWN = ("balanced accuracy", "macro F1", "recall", "specificity")
ALL_TASKS = "all"
FEWEST_CLASSES = 2  # that a matrix says more of than the figures
MARK = "*"  # of the best, and of those that are not significantly worse

Cell = str | Estimate


@dataclass(frozen=True, slots=True)
class Detail:
    """A table: its first columns, `words` of them, are words, and the others numbers."""

    title: str
    note: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    words: int = 2


def details(report: EvaluationReport) -> Iterator[Detail]:
    """The tables that there is something to show in."""
    for title, note, heads, rows in (
        (
            "Within each model",
            "Each detector among those that ask the same model, by balanced accuracy; "
            f"{MARK} the best of them and those not significantly worse.",
            ("model", "detector", "rank", "n", "coverage", "balanced accuracy"),
            _model_rows(report),
        ),
        (
            "By task",
            "Each detector on the items of each task, and on all of them.",
            ("detector", "task", "n", "coverage", *SHOWN),
            _task_rows(report.evaluations),
        ),
        (
            "Runs that are averaged",
            "The spread is the standard deviation over the runs.",
            ("detector", "run", "n", "coverage", *SHOWN),
            _run_rows(report.evaluations),
        ),
        (
            "Selective prediction by labels",
            "What remains if only verdicts from a label upwards are accepted: their share of all "
            "verdicts, and the share of unfaithful items among them. Gold labels that the reading "
            "leaves out count as accepted and not as unfaithful.",
            ("detector", "accepted from", "coverage", "risk"),
            _acceptance_rows(report.evaluations),
        ),
    ):
        if rows:
            yield Detail(title, note, heads, tuple(rows))


def class_details(report: EvaluationReport) -> Iterator[Detail]:
    """The matrix of each detector that knows more than two classes; a page has its own."""
    for each in report.evaluations:
        found = each.classes
        if found and len(found.predicted) > FEWEST_CLASSES:
            rows = zip(found.gold, found.counts, strict=True)
            yield Detail(
                f"Classes of {each.detector}",
                "Gold classes are rows, and predicted ones columns.",
                ("gold", *found.predicted),
                tuple((name, *(f"{count:,}" for count in counts)) for name, counts in rows),
                words=1,
            )


def _model_rows(report: EvaluationReport) -> list[tuple[Cell, ...]]:
    by_name = {each.detector: each for each in report.evaluations}
    return [
        (
            each.model or NO_MODEL,
            each.detector + (MARK if each.is_best else ""),
            "-" if each.rank is None else str(each.rank),
            *_numbers(by_name[each.detector])[:3],
        )
        for each in report.by_model
    ]


def _task_rows(evaluations: Sequence[Evaluation]) -> list[tuple[Cell, ...]]:
    return [
        (each.detector, name, *_numbers(part))
        for each in evaluations
        if each.tasks
        for name, part in (*each.tasks.items(), (ALL_TASKS, each))
    ]


def _run_rows(evaluations: Sequence[Evaluation]) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for each in evaluations:
        rows += [(each.detector, run.detector, *_numbers(run)) for run in each.runs]
        if each.runs:
            spread = (f"±{value:.3f}" if value is not None else "-" for value in _spreads(each))
            rows += [(each.detector, "mean", *_numbers(each))]
            rows += [(each.detector, "spread", "", "", *spread)]
    return rows


def _spreads(evaluation: Evaluation) -> list[float | None]:
    return [evaluation.spread(name) for name in SHOWN]


def _acceptance_rows(evaluations: Sequence[Evaluation]) -> list[tuple[Cell, ...]]:
    return [
        (each.detector, one.label, one.coverage, one.risk)
        for each in evaluations
        for one in each.acceptance
    ]


def _numbers(evaluation: Evaluation) -> tuple[Cell, ...]:
    coverage = "undefined" if evaluation.coverage is None else f"{evaluation.coverage:.1%}"
    return (f"{evaluation.n:,}", coverage, *(evaluation.figures[name] for name in SHOWN))
