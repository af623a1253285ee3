"""Tables of a board about labels, lengths, and how good the detectors are."""

from collections.abc import Iterator

from assay.board.results import Board, ErrorDistribution
from assay.evaluation.comparison import EvaluationReport
from assay.evaluation.levels import Level
from assay.metrics import Estimate
from assay.report.board_tables import NONE, Section, figure, has_people, percent
from assay.report.evaluation_details import MARK
from assay.report.evaluation_table import report_notes

# Those by which papers compare detectors.
FIGURES = ("balanced accuracy", "precision", "recall", "specificity", "F1", "macro F1", "AUROC")


def distributions(board: Board) -> Iterator[Section]:
    """The labels of each judge that has more than two."""
    for judge in board.judges:
        mine = [each for each in board.distributions if each.judge == judge.name]
        labels = list(dict.fromkeys(label for each in mine for label in each.labels))
        if len(labels) < 3:
            continue
        failures = list(dict.fromkeys(reason for each in mine for reason in each.failures))
        rows = [
            (
                each.model,
                f"{sum(each.labels.values()):,}",
                *(_share(each.labels.get(label, 0), sum(each.labels.values())) for label in labels),
                *(f"{each.failures.get(reason, 0):,}" for reason in failures),
            )
            for each in mine
        ]
        note = (
            f"How many of the ranked responses {judge.name} gave each label, and the share of "
            "those with a label in percent."
        )
        heads = ("LLM", "n", *labels, *failures)
        people = has_people(board, [judge.name])
        yield Section(f"Labels by {judge.name}", note, heads, tuple(rows), by_people=people)


def _share(count: int, total: int) -> str:
    return f"{count:,} ({100 * count / total:.1f})" if total else NONE


def lengths(board: Board, level: Level) -> Section | None:
    """The rates of all LLMs together, by length; those of each LLM are in JSON and on the site."""
    rows: list[tuple[str, ...]] = []
    for each in board.lengths:
        if each.level != level.name:
            continue
        for side in each.rates:
            parts = (
                f"up to {end:,}: {percent(rate, interval=False)} (n={rate.n:,})"
                for end, rate in zip(side.ends, side.overall, strict=True)
            )
            rows.append((each.judge, side.side, *parts))
    if not rows:
        return None
    most = max(map(len, rows))
    heads = ("judge", "length of", *(f"part {number + 1}" for number in range(most - 2)))
    filled = tuple((*row, *("",) * (most - len(row))) for row in rows)
    note = (
        "Up to so many words: percent hallucinated of n responses. The lengths are cut into at "
        "most five parts, as equal as they allow. Intervals, and each LLM, are in JSON and on "
        "the site."
    )
    people = has_people(board, (row[0] for row in rows))
    return Section("By length", note, heads, filled, words=2, by_people=people)


def errors(board: Board) -> Iterator[Section]:
    """How often detectors go wrong on each gold label, and which labels their errors have."""
    for unit in ("response", "sentence"):
        if mine := [each for each in board.errors if each.unit == unit]:
            labels = list(dict.fromkeys(label for each in mine for label in each.gold))
            yield _error_rates(unit, mine, labels)
            yield _error_shares(unit, mine, labels)


def _error_rates(unit: str, mine: list[ErrorDistribution], labels: list[str]) -> Section:
    rows = [(each.detector, *(_wrong(each, label) for label in labels)) for each in mine]
    title = f"Errors of detectors by gold label, {unit} level"
    note = "Wrong of all judged that have the gold label; in brackets, that share in percent."
    return Section(title, note, ("detector", *labels), tuple(rows), by_people=True)


def _error_shares(unit: str, mine: list[ErrorDistribution], labels: list[str]) -> Section:
    rows = []
    for each in mine:
        total = sum(each.errors.values())
        shares = (_share(each.errors.get(label, 0), total) for label in labels)
        rows.append((each.detector, f"{total:,}", *shares))
    title = f"Gold labels of the errors of detectors, {unit} level"
    note = "Errors that have each gold label; in brackets, the share of all errors in percent."
    heads = ("detector", "errors", *labels)
    return Section(title, note, heads, tuple(rows), by_people=True)


def _wrong(each: ErrorDistribution, label: str) -> str:
    wrong, judged = each.errors.get(label, 0), each.gold.get(label, 0)
    return f"{wrong:,}/{judged:,} ({100 * wrong / judged:.1f})" if judged else NONE


def detectors(board: Board) -> Iterator[Section]:
    """How well the detectors agree with people; figures that none of them has are left out."""
    for unit, report in (("responses", board.detectors), ("sentences", board.sentence_detectors)):
        if report:
            gold = _gold_at(board, unit)
            yield _measured(f"Detectors against people, {unit}", report, gold)


def _gold_at(board: Board, unit: str) -> str:
    """At which level people's labels were read; sentences have a usual reading of their own."""
    is_said = len(board.levels) == 1 or unit == "responses"
    for level in board.levels:
        if level.name == board.measured_at and is_said:
            return f"People's labels at the level {level.title}"
    return "People's labels in their usual reading, whatever the level"


def _measured(title: str, report: EvaluationReport, gold: str) -> Section:
    known = {
        name
        for each in report.evaluations
        for name, found in each.figures.items()
        if found.value is not None
    }
    names = [name for name in FIGURES if name in known]
    rows = []
    for each, rank in zip(report.evaluations, report.ranks, strict=True):
        if each.judges_responses_only:
            continue
        coverage = NONE if each.coverage is None else f"{each.coverage:.1%}"
        place = NONE if rank is None else f"{rank}"
        cells = (_figure(each.figures[name], each.n) for name in names)
        name = each.detector + (MARK if each.detector in report.best else "")
        rows.append((name, place, f"{each.n:,}", coverage, f"{each.failures.total():,}", *cells))
    reading = f"{gold}: {report.reading}. Figures are of all n unless they have their own"
    notes = (reading, "JSON has more of them", *report_notes(report))
    heads = ("detector", "rank", "n", "coverage", "failures", *names)
    return Section(title, "; ".join(notes) + ".", heads, tuple(rows))


def _figure(each: Estimate, n: int) -> str:
    return figure(each) if each.value is None or each.n == n else str(each)
