"""Every cell of an evaluation has another value, and stands under its own head in every form."""

from collections import Counter
from dataclasses import asdict, replace
from typing import Any

import pytest

from assay.evaluation.comparison import EvaluationReport
from assay.evaluation.evaluate import Evaluation
from assay.evaluation.figures import RATES
from assay.evaluation.label_figures import Acceptance
from assay.metrics import Estimate
from assay.report.evaluation.page import evaluation_html
from assay.report.evaluation.table import (
    SHOWN,
    csv_table,
    markdown_table,
    report_view,
    terminal_tables,
)
from tests.reading_tables import csv_rows, markdown_tables, upright
from tests.reading_tables import html_tables as html_tables_of
from tests.reading_tables import terminal_tables as tables_of

OTHERS = ("ranking loss", "AUROC", "risk-coverage area", "calibration error")
FIGURES = (*RATES, *OTHERS)
Cells = dict[str, str | Estimate]
DETECTORS = ("labels", "scores", "failing")


def estimate(number: int) -> Estimate:
    """A figure of which value, ends and n are all its own."""
    return Estimate(number / 1000, 5000 + number, (number - 40) / 1000, (number + 50) / 1000)


def told(evaluation: Evaluation, start: int) -> Evaluation:
    """The evaluation with a value of its own for everything that a table tells of it."""
    names = (*FIGURES, "fabricated", "consistent", "coverage", "risk")
    given = {name: estimate(start + 7 * place) for place, name in enumerate(names)}
    return replace(
        evaluation,
        figures={name: given[name] for name in FIGURES},
        class_f1={name: given[name] for name in ("fabricated", "consistent")},
        acceptance=(Acceptance("no-fact", given["coverage"], given["risk"]),),
        failures=Counter(parse=1 + start // 400, refused=2 + start // 300),
        invalid=start // 25,
        seconds=start / 10,
        cost=start / 7,
    )


@pytest.fixture
def report(small_report: EvaluationReport) -> EvaluationReport:
    """Three detectors, each with a task and two runs."""
    found = []
    for place, each in enumerate(small_report.evaluations):
        start = 100 + 300 * place
        runs = tuple(
            replace(told(each, start + 100 + n), detector=f"run {place}{n}") for n in range(2)
        )
        tasks = {f"task {place}": told(each, start + 200)}
        found.append(replace(told(each, start), runs=runs, tasks=tasks))
    return replace(small_report, evaluations=tuple(found))


def cells(evaluation: Evaluation) -> dict[str, str]:
    """What each head has to say of an evaluation, in the words of the terminal and Markdown."""
    shown = {name: str(each) for name, each in evaluation.figures.items()}
    shown |= {f"F1 {name}": str(each) for name, each in evaluation.class_f1.items()}
    return shown | {
        "n": f"{evaluation.n:,}",
        "coverage": f"{evaluation.coverage:.1%}",
        "failures": f"parse {evaluation.failures['parse']}, refused "
        f"{evaluation.failures['refused']}, invalid as unfaithful {evaluation.invalid}",
        "seconds": f"{evaluation.seconds:.1f}",
        "cost": f"{evaluation.cost:.4f}",
    }


def wide(each: Estimate) -> str:
    """A figure as a wide table shows it."""
    return f"{each.value:.3f} [{each.low:.2f}, {each.high:.2f}]"


def test_a_wide_terminal_has_each_value_under_its_head(report: EvaluationReport) -> None:
    [rows] = tables_of(*terminal_tables(report, 300))
    assert [row.pop("detector").removesuffix("*") for row in rows] == list(DETECTORS)
    for row, evaluation, rank in zip(rows, report.evaluations, report.ranks, strict=True):
        shown = cells(evaluation)
        assert row == {
            "rank": str(rank),
            **{head: shown[head] for head in ("n", "coverage", "failures")},
            **{name: wide(each) for name, each in evaluation.figures.items()},
        }


def test_a_narrow_terminal_has_each_value_beside_its_head(report: EvaluationReport) -> None:
    for table, evaluation, rank in zip(
        tables_of(*terminal_tables(report, 80)), report.evaluations, report.ranks, strict=True
    ):
        [(name, column)] = upright(table).items()
        assert name.removesuffix("*") == evaluation.detector
        assert column == {"rank": str(rank), **cells(evaluation)}


def test_markdown_has_each_value_under_its_head(report: EvaluationReport) -> None:
    rows = markdown_tables(markdown_table(report))[0]
    assert [row.pop("detector").removesuffix("*") for row in rows] == list(DETECTORS)
    for row, evaluation, rank in zip(rows, report.evaluations, report.ranks, strict=True):
        assert row == {"rank": str(rank), **cells(evaluation)}


def figures_of(evaluation: Evaluation) -> dict[str, Estimate]:
    """Everything that CSV has a line for."""
    [accepted] = evaluation.acceptance
    items = len(evaluation.items)
    return {
        **evaluation.figures,
        **{f"F1 {name}": each for name, each in evaluation.class_f1.items()},
        "coverage": Estimate(evaluation.coverage, items),
        "failures parse": Estimate(evaluation.failures["parse"], items),
        "failures refused": Estimate(evaluation.failures["refused"], items),
        "invalid as unfaithful": Estimate(evaluation.invalid, items),
        "coverage from no-fact": accepted.coverage,
        "risk from no-fact": accepted.risk,
    }


def test_csv_has_each_value_under_its_head(report: EvaluationReport) -> None:
    lines = csv_rows(csv_table(replace(report, split="test")))
    found = {(o["detector"], o["run"], o["task"], o["figure"]): o for o in lines}
    assert len(found) == len(lines)
    for place, evaluation in enumerate(report.evaluations):
        parts = {("", ""): evaluation, ("", f"task {place}"): evaluation.tasks[f"task {place}"]}
        parts |= {(run.detector, ""): run for run in evaluation.runs}
        for (run, task), part in parts.items():
            for name, each in figures_of(part).items():
                line = found[evaluation.detector, run, task, name]
                ends = ["" if x is None else str(x) for x in (each.value, each.low, each.high)]
                assert [line[head] for head in ("value", "low", "high")] == ends, (name, line)
                assert (line["n"], line["split"], line["dataset"]) == (str(each.n), "test", "toy")
        rank = found[evaluation.detector, "", "", "rank"]
        assert (rank["value"], rank["version"]) == (
            str(report.ranks[place]),
            evaluation.detector + " 2.0",
        )
        spread = found[evaluation.detector, "", "", "spread AUROC"]
        assert float(spread["value"]) == pytest.approx(evaluation.spread("AUROC"))


def test_json_has_each_value_under_its_name(report: EvaluationReport) -> None:
    documents = report.to_dict()["detectors"]
    for document, evaluation, rank in zip(documents, report.evaluations, report.ranks, strict=True):
        assert (document["detector"], document["rank"]) == (evaluation.detector, rank)
        assert_document(document, evaluation)
        for run, part in zip(evaluation.runs, document["runs"], strict=True):
            assert_document(part, run)
        for task, part in evaluation.tasks.items():
            assert_document(document["tasks"][task], part)


def assert_document(document: dict[str, Any], evaluation: Evaluation) -> None:
    """Whether a JSON object says of an evaluation what is so."""
    [accepted] = evaluation.acceptance
    for name, each in evaluation.figures.items():
        assert document["figures"][name] == asdict(each), name
    for name, each in evaluation.class_f1.items():
        assert document["class_f1"][name] == asdict(each), name
    assert document["acceptance"] == [
        {"from": "no-fact", "coverage": asdict(accepted.coverage), "risk": asdict(accepted.risk)}
    ]
    assert document["failures"] == dict(evaluation.failures)
    assert document["items"] == len(evaluation.items)
    assert document["n"] == evaluation.n
    assert document["coverage"] == evaluation.coverage
    assert document["invalid_as_unfaithful"] == evaluation.invalid
    for name in ("seconds", "cost"):
        assert document.get(name, getattr(evaluation, name)) == getattr(evaluation, name)


def rows_wanted(report: EvaluationReport) -> dict[str, list[Cells]]:
    """The rows of the smaller tables, by the heads that name what each table is about."""
    tasks: list[Cells] = []
    runs: list[Cells] = []
    accepted: list[Cells] = []
    for each in report.evaluations:
        who = {"detector": each.detector}
        tasks += [{**who, "task": name, **few(part)} for name, part in each.tasks.items()]
        tasks += [{**who, "task": "all", **few(each)}]
        runs += [{**who, "run": run.detector, **few(run)} for run in each.runs]
        runs += [{**who, "run": "mean", **few(each)}]
        spread = {name: f"±{each.spread(name):.3f}" for name in SHOWN}
        runs += [{**who, "run": "spread", "n": "", "coverage": "", **spread}]
        [one] = each.acceptance
        accepted += [
            {**who, "accepted from": "no-fact", "coverage": one.coverage, "risk": one.risk}
        ]
    return {"task": tasks, "run": runs, "accepted from": accepted}


def few(evaluation: Evaluation) -> Cells:
    """The figures that the smaller tables show."""
    shown = {name: evaluation.figures[name] for name in SHOWN}
    return {"n": f"{evaluation.n:,}", "coverage": f"{evaluation.coverage:.1%}", **shown}


def as_page(each: Estimate) -> str:
    """A figure as the page shows it."""
    return f"{each.value:.3f} {each.low:.3f}–{each.high:.3f} n={each.n:,}"


def order(form: str, report: EvaluationReport) -> list[str]:
    """The detectors as they come in a form: on the page the best first."""
    if form != "page":
        return list(DETECTORS)
    ranked = zip(report.ranks, DETECTORS, strict=True)
    return [name for _, name in sorted(ranked, key=lambda each: each[0] or 0)]


def test_the_smaller_tables_have_each_value_under_its_head(report: EvaluationReport) -> None:
    wanted = rows_wanted(report)
    forms = {
        "terminal": tables_of(*report_view(report, 80)),
        "markdown": markdown_tables(markdown_table(report)),
        "page": html_tables_of(evaluation_html(report)),
    }
    for form, tables in forms.items():
        for head, rows in wanted.items():
            [found] = [t for t in tables if t and head in t[0] and "detector" in t[0]]
            few_columns = len(found[0]) <= 4
            show = (
                as_page
                if form == "page"
                else wide
                if form == "terminal" and not few_columns
                else str
            )
            told = [
                {name: cell if isinstance(cell, str) else show(cell) for name, cell in row.items()}
                for row in rows
            ]
            in_order = [
                row for name in order(form, report) for row in told if row["detector"] == name
            ]
            assert found == in_order, (form, head)


def test_the_page_has_each_value_under_its_head(report: EvaluationReport) -> None:
    [rows] = [t for t in html_tables_of(evaluation_html(report)) if "Failures" in t[0]]
    by_name = {row["Detector"].split(",")[0]: row for row in rows}
    for evaluation in report.evaluations:
        row, total = by_name[evaluation.detector], len(evaluation.judged)
        judged = total - evaluation.failures.total()
        assert row["n"] == str(evaluation.n)
        assert row["Coverage"].endswith(f"{judged} of {total}")
        assert row["Failures"].endswith(f"{evaluation.invalid} invalid read as unfaithful")
        assert row["Time"].startswith(f"{evaluation.seconds:,.3g} s")
        assert row["Cost"] == f"{evaluation.cost:.4f}"
        for name, each in evaluation.figures.items():
            assert row[name] == as_page(each), name
