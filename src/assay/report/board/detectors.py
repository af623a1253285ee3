"""The tables of a board that tell how good its detectors are."""

from collections.abc import Iterator, Mapping

from assay.board.results import Board, ErrorDistribution
from assay.evaluation.comparison import EvaluationReport
from assay.evaluation.evaluate import Evaluation
from assay.metrics import Estimate
from assay.report.board.leaderboard import NONE, gold_sentence
from assay.report.evaluation.table import MARK, report_notes
from assay.report.tables import COUNT, SHARE, WORDS, Column, Format, Table, named_columns

# Those by which papers compare detectors.
FIGURES = ("balanced accuracy", "precision", "recall", "specificity", "F1", "macro F1", "AUROC")


def figure(each: Estimate) -> str:
    """A figure with its interval.

    >>> figure(Estimate(0.5, 8, 0.25, 0.75)), figure(Estimate(0.5, 3))
    ('0.500 [0.250, 0.750]', '0.500')
    """
    if each.value is None:
        return NONE
    if each.low is None or each.high is None:
        return f"{each.value:.3f}"
    return f"{each.value:.3f} [{each.low:.3f}, {each.high:.3f}]"


VALUE = Format("figure", figure)


def label_share(label: str, counts: Mapping[str, int]) -> str:
    """The count of a label, with its share of all in percent."""
    count, total = counts.get(label, 0), sum(counts.values())
    return f"{count:,} ({100 * count / total:.1f})" if total else NONE


def error_tables(board: Board) -> Iterator[Table[ErrorDistribution]]:
    """Error rates of detectors on each gold label, and the labels of their errors."""
    name: Column[ErrorDistribution] = Column("detector", lambda each: each.detector, WORDS)
    total: Column[ErrorDistribution] = Column(
        "errors", lambda each: sum(each.errors.values()), COUNT
    )
    basis = gold_sentence(board)
    for unit in ("response", "sentence"):
        mine = [each for each in board.errors if each.unit == unit]
        if not mine:
            continue
        labels = list(dict.fromkeys(label for each in mine for label in each.gold))
        yield Table(
            f"Errors of detectors by gold label, {unit} level",
            "Wrong of all judged that have the gold label; in brackets, that share in percent.",
            [name, *named_columns(labels, _rate)],
            mine,
            basis,
        )
        yield Table(
            f"Gold labels of the errors of detectors, {unit} level",
            "Errors that have each gold label; in brackets, the share of all errors in percent.",
            [
                name,
                total,
                *named_columns(labels, lambda each, head: label_share(head, each.errors)),
            ],
            mine,
            basis,
        )


def _rate(each: ErrorDistribution, label: str) -> str:
    wrong, judged = each.errors.get(label, 0), each.gold.get(label, 0)
    return f"{wrong:,}/{judged:,} ({100 * wrong / judged:.1f})" if judged else NONE


def detector_tables(board: Board) -> Iterator[Table[Evaluation]]:
    """Figures of the detectors against people's labels, without those that none of them has."""
    for unit, report in (("responses", board.detectors), ("sentences", board.sentence_detectors)):
        if report:
            reading = f"{_gold_at(board, unit)}: {report.reading}. Figures are of all n unless they"
            notes = (f"{reading} have their own", "JSON has more of them", *report_notes(report))
            title, columns = f"Detectors against people, {unit}", _measured_columns(report)
            rows = [each for each in report.evaluations if not each.judges_responses_only]
            yield Table(title, "; ".join(notes) + ".", columns, rows)


def _gold_at(board: Board, unit: str) -> str:
    """At which level people's labels were read; sentences have a usual reading of their own."""
    is_said = len(board.levels) == 1 or unit == "responses"
    for level in board.levels:
        if level.name == board.measured_at and is_said:
            return f"People's labels at the level {level.title}"
    return "People's labels in their usual reading, whatever the level"


def _measured_columns(report: EvaluationReport) -> list[Column[Evaluation]]:
    ranks = {
        each.detector: rank for each, rank in zip(report.evaluations, report.ranks, strict=True)
    }
    known = {
        name
        for each in report.evaluations
        for name, found in each.figures.items()
        if found.value is not None
    }
    return [
        Column(
            "detector",
            lambda each: each.detector + (MARK if each.detector in report.best else ""),
            WORDS,
        ),
        Column("rank", lambda each: ranks[each.detector], COUNT),
        Column("n", lambda each: each.n, COUNT),
        Column("coverage", lambda each: each.coverage, SHARE),
        Column("failures", lambda each: each.failures.total(), COUNT),
        *named_columns((name for name in FIGURES if name in known), _figure_of),
    ]


def _figure_of(each: Evaluation, name: str) -> str:
    found = each.figures[name]
    return figure(found) if found.value is None or found.n == each.n else str(found)
