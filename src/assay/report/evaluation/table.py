"""An evaluation as tables for the terminal, in Markdown and as CSV."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.box import HEAVY_HEAD, SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from assay import __version__
from assay.evaluation.comparison import NO_MODEL, EvaluationReport
from assay.evaluation.evaluate import Evaluation
from assay.metrics import Estimate
from assay.report.tables import (
    COUNT,
    ESTIMATE_PARTS,
    FIGURE,
    SHARE,
    STACKED,
    WORDS,
    Column,
    Format,
    Table,
    csv_text,
    markdown_lines,
    markdown_text,
    named_columns,
    series,
    table_grid,
    table_view,
)
from assay.report.terminal import stages_in_words

UPRIGHT = 2
WIDE = 216
NAMES_WIDTH = 30
COLUMN_WIDTH = 34
MARK = "*"  # of the best, and of those that are not significantly worse
LEGEND = (
    f"{MARK} the best balanced accuracy and those not distinguishable from it (paired bootstrap, "
    "p >= 0.05 with Holm's correction)"
)
# The figures of FaithJudge's tables and of its figure 2; the other ones are in CSV and JSON.
SHOWN = ("balanced accuracy", "macro F1", "recall", "specificity")
FEWEST_CLASSES = 2  # that a matrix says more of than the figures
COVERAGE = replace(SHARE, missing="undefined")
_PLAIN = Format("figure", "{:.3f}".format, missing="-")


def terminal_tables(report: EvaluationReport, width: int) -> Iterator[Grid]:
    """One row for each detector if that fits the width; otherwise one column, as many as fit."""
    title = f"{report.dataset}: {report.reading}"
    if len(report.evaluations) > UPRIGHT and width >= WIDE:
        heads = ("detector", "rank", "n", "coverage", "failures", *report.evaluations[0].figures)
        columns = [each for each in _columns(report.evaluations, report) if each.head in heads]
        table = Table("", "", columns, report.evaluations)
        yield table_grid(table, title=title, box=SIMPLE_HEAD)
        return
    at_once = max(1, (width - NAMES_WIDTH) // COLUMN_WIDTH)
    for start in range(0, len(report.evaluations), at_once):
        some = report.evaluations[start : start + at_once]
        yield table_grid(_upright(some, report), title="" if start else title, box=HEAVY_HEAD)


def _upright(
    evaluations: Sequence[Evaluation], report: EvaluationReport
) -> Table[Column[Evaluation]]:
    """A column for each detector, and a row for what is a column otherwise."""

    def column(evaluation: Evaluation) -> Column[Column[Evaluation]]:
        return Column(_name(evaluation, report), lambda row: row.write(evaluation))

    columns: list[Column[Column[Evaluation]]] = [
        Column("", lambda row: row.head, WORDS),
        *map(column, evaluations),
    ]
    return Table("", "", columns, _columns(evaluations, report)[1:])


def _columns(
    evaluations: Sequence[Evaluation], report: EvaluationReport
) -> list[Column[Evaluation]]:
    """All that is told of some detectors, in one row for each."""
    figures = dict.fromkeys(name for each in evaluations for name in each.figures)
    classes = {f"F1 {name}": name for each in evaluations for name in each.class_f1}
    rank: Column[Evaluation] = Column("rank", lambda each: _rank(each, report), COUNT)
    return [
        Column("detector", lambda each: _name(each, report), WORDS),
        *([rank] if len(report.evaluations) > 1 else []),
        Column("n", lambda each: each.n, COUNT),
        Column("coverage", lambda each: each.coverage, COVERAGE),
        Column("failures", _failures),
        *named_columns(figures, lambda each, name: each.figures.get(name, ""), STACKED),
        *named_columns(classes, lambda each, head: each.class_f1.get(classes[head], ""), FIGURE),
        Column(
            "seconds", lambda each: each.seconds, Format("seconds", "{:.1f}".format, missing="")
        ),
        Column("cost", lambda each: each.cost, Format("cost", "{:.4f}".format, missing="")),
    ]


def _failures(evaluation: Evaluation) -> str:
    reasons = [f"{reason} {count:,}" for reason, count in evaluation.failures.items()]
    if evaluation.invalid:
        reasons.append(f"invalid as unfaithful {evaluation.invalid:,}")
    return ", ".join(reasons) or "0"


def _name(evaluation: Evaluation, report: EvaluationReport) -> str:
    return evaluation.detector + (MARK if evaluation.detector in report.best else "")


def _rank(evaluation: Evaluation, report: EvaluationReport) -> int | None:
    return report.ranks[report.evaluations.index(evaluation)]


def details(report: EvaluationReport) -> Iterator[Table[Any]]:
    """Tables beside one row for each detector: models, tasks, runs, thresholds."""
    tables: tuple[Table[Any], ...] = (
        Table(
            "Beside the record",
            "Detectors that were run, and those recorded with the data, on the items that both "
            "have a verdict on: the same verdicts, and scores by their ranks and differences.",
            (
                Column("detector", lambda each: each.detector, WORDS),
                Column("recorded", lambda each: each.recorded, WORDS),
                Column("same verdict", lambda each: each.same, STACKED),
                Column("scores", lambda each: each.scored, COUNT),
                Column("rank corr.", lambda each: each.correlation, _PLAIN),
                Column("mean diff.", lambda each: each.difference, _PLAIN),
                Column("largest", lambda each: each.largest, _PLAIN),
            ),
            report.concordances,
        ),
        _model_table(report),
        Table(
            "By task",
            "Each detector on the items of each task, and on all of them.",
            _part_columns("task"),
            [
                _Part(each.detector, name, part)
                for each in report.evaluations
                if each.tasks
                for name, part in (*each.tasks.items(), ("all", each))
            ],
        ),
        Table(
            "Runs that are averaged",
            "The spread is the standard deviation over the runs.",
            _part_columns("run"),
            list(_runs(report.evaluations)),
        ),
        Table(
            "Selective prediction by labels",
            "What remains if only verdicts from a label upwards are accepted: their share of all "
            "verdicts, and the share of unfaithful items among them. Gold labels that the reading "
            "leaves out count as accepted and not as unfaithful.",
            (
                Column("detector", lambda row: row[0].detector, WORDS),
                Column("accepted from", lambda row: row[1].label, WORDS),
                Column("coverage", lambda row: row[1].coverage, FIGURE),
                Column("risk", lambda row: row[1].risk, FIGURE),
            ),
            [(each, one) for each in report.evaluations for one in each.acceptance],
        ),
    )
    return (table for table in tables if table.rows)


def _model_table(report: EvaluationReport) -> Table[Any]:
    by_name = {each.detector: each for each in report.evaluations}
    return Table(
        "Within each model",
        "Each detector among those that ask the same model, by balanced accuracy; "
        f"{MARK} the best of them and those not significantly worse.",
        (
            Column("model", lambda each: each.model or NO_MODEL, WORDS),
            Column("detector", lambda each: each.detector + (MARK if each.is_best else ""), WORDS),
            Column("rank", lambda each: each.rank, COUNT),
            Column("n", lambda each: by_name[each.detector].n, COUNT),
            Column("coverage", lambda each: by_name[each.detector].coverage, COVERAGE),
            Column(SHOWN[0], lambda each: by_name[each.detector].figures[SHOWN[0]], STACKED),
        ),
        report.by_model,
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """A detector on a task or in a run; a spread over runs has no evaluation of its own."""

    detector: str
    name: str
    evaluation: Evaluation
    is_spread: bool = False

    def figure(self, name: str) -> Estimate | str:
        if not self.is_spread:
            return self.evaluation.figures[name]
        spread = self.evaluation.spread(name)
        return "-" if spread is None else f"±{spread:.3f}"


def _part_columns(what: str) -> list[Column[_Part]]:
    return [
        Column("detector", lambda part: part.detector, WORDS),
        Column(what, lambda part: part.name, WORDS),
        Column("n", lambda part: "" if part.is_spread else part.evaluation.n, COUNT),
        Column(
            "coverage", lambda part: "" if part.is_spread else part.evaluation.coverage, COVERAGE
        ),
        *named_columns(SHOWN, _Part.figure, STACKED),
    ]


def _runs(evaluations: Sequence[Evaluation]) -> Iterator[_Part]:
    for each in evaluations:
        yield from (_Part(each.detector, run.detector, run) for run in each.runs)
        if each.runs:
            yield _Part(each.detector, "mean", each)
            yield _Part(each.detector, "spread", each, is_spread=True)


def class_details(report: EvaluationReport) -> Iterator[Table[Any]]:
    """The matrix of each detector that knows more than two classes; a page has its own."""
    for each in report.evaluations:
        found = each.classes
        if found and len(found.predicted) > FEWEST_CLASSES:
            gold: Column[tuple[str, Sequence[int]]] = Column("gold", lambda row: row[0], WORDS)
            yield Table(
                f"Classes of {each.detector}",
                "Gold classes are rows, and predicted ones columns.",
                [gold, *series(found.predicted, lambda row: row[1], COUNT)],
                list(zip(found.gold, found.counts, strict=True)),
            )


def report_view(report: EvaluationReport, width: int) -> Iterator[RenderableType]:
    """The tables of an evaluation, and what has to be known to read them."""
    yield from terminal_tables(report, width)
    for note in report_notes(report):
        yield Text(note, style="dim")
    yield from map(table_view, (*details(report), *class_details(report)))
    if report.labels:
        yield Text(f"labels: {report.labels}", style="dim")
    if report.repairs:
        yield Text(f"repairs: {report.repairs}", style="dim")


def report_notes(report: EvaluationReport) -> Iterator[str]:
    """Notes for readers of the table of an evaluation."""
    legend = LEGEND if report.best else ""
    yield from filter(None, (legend, _of_responses(report), _by_label(report)))
    yield from _stages(report)


def _stages(report: EvaluationReport) -> Iterator[str]:
    """For each detector that is made of others, the work of each of these."""
    for each in report.evaluations:
        if each.stages:
            yield f"stages of {each.detector}: {stages_in_words(each.stages)}"


def _by_label(report: EvaluationReport) -> str:
    """The detectors that are ordered by their labels, in words; empty if all have scores."""
    names = [each.detector for each in report.evaluations if each.confidence == "label"]
    if not names:
        return ""
    return f"without scores, AUROC and risk-coverage area go by labels: {', '.join(names)}"


def _of_responses(report: EvaluationReport) -> str:
    """The detectors without figures, as they judge whole responses, in words; empty if none."""
    names = [each.detector for each in report.evaluations if each.judges_responses_only]
    if not names:
        return ""
    return f"measured at response level only, since they judge whole responses: {', '.join(names)}"


def markdown_table(report: EvaluationReport) -> str:
    """One row for each detector, and below the table which versions they are of."""
    table = Table("", "", _columns(report.evaluations, report), report.evaluations)
    lines = [*markdown_lines(table)]
    for each in (*details(report), *class_details(report)):
        lines += ["", markdown_text(f"{each.title}. {each.note}"), "", *markdown_lines(each)]
    about = (
        ("Without figures", _of_responses(report)),
        ("Confidence", _by_label(report)),
        ("Work", "; ".join(_stages(report))),
        ("Labels", report.labels),
        ("Repairs", report.repairs),
        ("Versions", "; ".join((f"Assay {__version__}", *map(_version, report.evaluations)))),
    )
    told = [f"{name}: {text}" for name, text in about if text]
    notes = [line for text in told for line in (markdown_text(text), "")]
    head = markdown_text(f"{report.dataset}: {report.reading}")
    legend = (LEGEND, "") if report.best else ()
    return "\n".join((head, "", *lines, "", *legend, *notes))


@dataclass(frozen=True, slots=True)
class _Line:
    """A figure of CSV; an empty task is all tasks together, an empty run all runs."""

    evaluation: Evaluation
    run: str
    task: str
    figure: str
    value: Estimate


def csv_table(report: EvaluationReport) -> str:
    """One line for each figure: whose it is, its value with interval and n, and versions.

    An empty task is all tasks together, an empty split all of the data.
    """
    columns: tuple[Column[_Line], ...] = (
        Column("dataset", lambda _: report.dataset),
        Column("split", lambda _: report.split),
        Column("reading", lambda _: report.reading),
        Column("detector", lambda line: line.evaluation.detector),
        Column("model", lambda line: line.evaluation.model),
        Column("run", lambda line: line.run),
        Column("task", lambda line: line.task or report.task),
        Column("figure", lambda line: line.figure),
        Column("value", lambda line: line.value, parts=ESTIMATE_PARTS),
        Column("version", lambda line: _version(line.evaluation)),
        Column("assay", lambda _: __version__),
    )
    return csv_text(columns, _lines(report))


def _lines(report: EvaluationReport) -> Iterator[_Line]:
    for each in report.evaluations:
        parts = [("", "", each), *((run.detector, "", run) for run in each.runs)]
        parts += [("", task, part) for task, part in each.tasks.items()]
        for run, task, part in parts:
            figures = [*_csv_figures(part), *(_whole_figures(each, report) if part is each else ())]
            yield from (_Line(each, run, task, name, value) for name, value in figures)


def _whole_figures(
    evaluation: Evaluation, report: EvaluationReport
) -> Iterator[tuple[str, Estimate]]:
    """The figures of a detector over all of its tasks and runs."""
    items = len(evaluation.items)
    yield "best", Estimate(int(evaluation.detector in report.best), items)
    yield "rank", Estimate(_rank(evaluation, report), items)
    for each in report.by_model:
        if each.detector == evaluation.detector:
            yield "best within model", Estimate(int(each.is_best), items)
            yield "rank within model", Estimate(each.rank, items)
    if evaluation.runs:
        for name in evaluation.figures:
            yield f"spread {name}", Estimate(evaluation.spread(name), len(evaluation.runs))


def _csv_figures(evaluation: Evaluation) -> Iterator[tuple[str, Estimate]]:
    items = len(evaluation.items)
    yield "coverage", Estimate(evaluation.coverage, items)
    for reason, count in evaluation.failures.items():
        yield f"failures {reason}", Estimate(count, items)
    if evaluation.invalid:
        yield "invalid as unfaithful", Estimate(evaluation.invalid, items)
    yield from evaluation.figures.items()
    yield from ((f"F1 {name}", each) for name, each in evaluation.class_f1.items())
    for each in evaluation.acceptance:
        yield f"coverage from {each.label}", each.coverage
        yield f"risk from {each.label}", each.risk


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
