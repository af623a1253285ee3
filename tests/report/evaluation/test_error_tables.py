"""Every cell of the tables of localization, errors, audits and reproduction is under its head."""

from collections import Counter
from dataclasses import replace

from assay.audit.outcomes import AuditTally
from assay.core.taxonomies import FINAL4
from assay.error_analysis.beliefs import Beliefs
from assay.error_analysis.enrichment import Counts
from assay.evaluation.comparison import EvaluationReport
from assay.evaluation.localization.agreement import Agreement
from assay.evaluation.localization.evaluation import Choice, LocalizationReport
from assay.evaluation.localization.measures import MarkedWords
from assay.evaluation.reproduce import Reproduction
from assay.evaluation.reproduce.cells import Cell, Expectation, Published
from assay.evaluation.reproduce.tables import PublishedTable
from assay.metrics import Comparison, Estimate, Hits
from assay.report.audit.tables import csv_report, markdown_report
from assay.report.evaluation.errors import enriched_view, errors_view
from assay.report.evaluation.localization import agreement_view, choice_view, report_view
from assay.report.evaluation.reproduction import cells_view, summary_view
from tests.reading_tables import Row, csv_rows, markdown_tables, terminal_tables
from tests.report.audit.test_audit_page import report as audit_report
from tests.report.evaluation.test_error_views import enriched, error_report, localization

NAMES = ("precision", "recall", "F1")


def estimate(number: int) -> Estimate:
    """A figure of which value, ends and n are all its own."""
    return Estimate(number / 100, 1000 + number, (number - 4) / 100, (number + 5) / 100)


def three(start: int) -> dict[str, Estimate]:
    return {name: estimate(start + n) for n, name in enumerate(NAMES)}


def told(figures: dict[str, Estimate]) -> Row:
    return {name: str(each) for name, each in figures.items()}


def test_localization_has_each_value_under_its_head(small_report: EvaluationReport) -> None:
    labels, scores, _ = small_report.evaluations
    found = replace(
        localization(),
        figures=three(31),
        by_kind={"place": estimate(41)},
        by_category={"extrinsic-correct": estimate(42)},
    )
    marked = MarkedWords(9, 8, three(51), three(61), Counter())
    report = LocalizationReport("toy", found, labels, scores, marked=marked)
    figures, kinds, categories, words, binary = terminal_tables(*report_view(report))
    assert [tuple(row.values()) for row in figures] == list(told(three(31)).items())
    assert kinds == [{"kind": "place", "recall": str(estimate(41))}]
    assert categories == [{"category": "extrinsic-correct", "precision": str(estimate(42))}]
    assert words == [
        {"responses": "all", "counted": "characters", **told(three(51))},
        {"responses": "all", "counted": "responses with any", **told(three(61))},
    ]
    for row, each in zip(binary, (labels, scores), strict=True):
        shown = {name: str(each.figures[name]) for name in row if name in each.figures}
        assert row.items() >= shown.items()
        assert row["failures"] == f"{each.failures.total():,}"
        assert len(row) == len(shown) + 2


def test_both_variants_of_a_prompt_have_their_own_figures() -> None:
    variants = (
        replace(localization("a"), figures=three(31)),
        replace(localization("b"), figures=three(41)),
    )
    choice = Choice("cot", variants, Comparison(0.5, 0.4, estimate(20), 0.01), "a")
    [rows] = terminal_tables(*choice_view(choice, "toy"))
    coverage = "50.0% of 2 examples; detector failed: 1 refused"
    assert rows == [
        {"prompt": "a", **told(three(31)), "coverage": coverage},
        {"prompt": "b", **told(three(41)), "coverage": coverage},
    ]


def test_agreement_of_a_matcher_has_each_value_under_its_head() -> None:
    part = Agreement("offline", 4, Hits(1, 2, 3), three(31), Counter(parse=6))
    [rows] = terminal_tables(*agreement_view({"held out": part}, "faithbench"))
    assert rows == [{"part": "held out", **told(three(31)), "failures": "6"}]


def test_errors_have_each_value_under_its_head() -> None:
    report = error_report()
    belief = Beliefs(
        FINAL4["extrinsic-correct"],
        estimate(33),
        (0.2, 0.7, 0.8),
        Counter(model=3, people=2),
        Counter(refused=4),
    )
    tables = terminal_tables(*errors_view(replace(report, beliefs=(belief,))))
    missed, beliefs, counterfactual = tables[0], tables[-2], tables[-1]
    (first,) = (row for row in missed if row["n"] != "0")
    assert first["category"] == "extrinsic-correct"
    assert (first["n"], first["by people"]) == ("1", "0")
    assert first["share, 95% interval"].startswith("1.000 [")
    assert beliefs == [
        {
            "category": "extrinsic-correct",
            "mean, 95% interval by source": str(estimate(33)),
            "median": "0.700",
            "questions": "3 by model, 2 by people",
            "failures": "4 refused",
        }
    ]
    assert [row[""] for row in counterfactual] == [
        "found while true",
        "found once false",
        "found once false, of those missed before",
    ]


def test_counterfactual_shares_stand_in_their_rows() -> None:
    report = error_report()
    assert report.counterfactual
    test = replace(
        report.counterfactual,
        before=estimate(11),
        after=estimate(22),
        after_missed=estimate(33),
    )
    rows = terminal_tables(*errors_view(replace(report, counterfactual=test)))[-1]
    assert [row["share, 95% interval"] for row in rows] == [
        str(estimate(number)) for number in (11, 22, 33)
    ]


def test_enriched_gold_has_each_count_under_its_head() -> None:
    before, after = (Counts(n, n + 1, n + 2, n + 3, n + 4, Counter()) for n in (10, 20))
    *_, rows = terminal_tables(
        *enriched_view(replace(enriched(), before=before, after=after), "out.jsonl")
    )
    assert rows == [
        {
            "": name,
            "inconsistent": f"{n}",
            "consistent": f"{n + 1}",
            "total": f"{3 * n + 3}",  # with the unknown ones, not with those discarded
            "errors": f"{n + 4}",
        }
        for name, n in (("before", 10), ("after", 20))
    ]


def test_outcome_of_an_audit_has_each_count_under_its_head() -> None:
    tally = AuditTally("ferries", 90, 81, 12, 5, 33, 24, 15, 6, estimate(7))
    report = replace(audit_report(), tallies=(tally,))
    row = markdown_tables(markdown_report(report))[0][0]
    assert row == {
        "data": "ferries",
        "total": "90",
        "flagged": "81",
        "incorrect": "33",
        "ambiguous": "24",
        "system error": "15",
        "open": "12",
        "revised": "6",
        "inconsistency rate": str(estimate(7)),
    }
    outcome = [line for line in csv_rows(csv_report(report)) if line["row"] == "ferries"]
    figures = {line["figure"]: line["value"] for line in outcome}
    wanted = {name: shown for name, shown in row.items() if name in figures}
    wanted["inconsistency rate"] = "0.07"
    assert {name: figures[name] for name in wanted} == wanted
    assert len(wanted) == 6


def cell(text: str, ours: float | None, n: int, status: str, demand: str = "exact") -> Cell:
    published = Published("t", f"row {text}", "F1", text, "Table 2", Expectation(demand))  # type: ignore[arg-type]
    return Cell(published, ours, n, status)  # type: ignore[arg-type]


def test_reproduction_has_each_value_under_its_head() -> None:
    done = Reproduction(
        "t",
        PublishedTable("A table", "by counting", "m:f"),
        (
            cell("0.50", 0.75, 12, "DIFFERS"),
            cell("0.60", 0.6, 13, "exact"),
            *(cell(f"0.7{n}", 0.7, 14, "within tolerance") for n in range(2)),
            *(cell(f"0.8{n}", 0.7, 15, "differs (known)") for n in range(3)),
            *(cell(f"0.9{n}", None, 0, "not computable", "absent") for n in range(4)),
        ),
    )
    [rows] = terminal_tables(*cells_view(done))
    assert rows[0] == {
        "cell": "row 0.50",
        "published": "0.50",
        "ours": "0.75",
        "difference": "+0.25",
        "n": "12",
        "status": "DIFFERS",
    }
    [[row]] = terminal_tables(*summary_view([done]))
    assert row == {
        "table": "t",
        "cells": "11",
        "exact": "1",
        "within": "2",
        "known": "3",
        "absent": "4",
        "failed": "1",
    }
    first = done.to_dict()["cells"][0]
    names = ("published", "ours", "difference", "n", "status")
    assert [first[name] for name in names] == [0.5, 0.75, 0.25, 12, "DIFFERS"]
