"""The CSV of results: each value under its head, nothing hidden, nothing run as a formula."""

import csv
import io

from assay.core.complaints import CheckEnd
from assay.core.places import RowPlace
from assay.core.problems import Problem
from assay.report.result_table import ResultTable
from tests.report.findings import HERE, complaints, found, mark


def rows(file: io.StringIO) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.getvalue(), newline="")))


def test_every_value_stands_under_its_head() -> None:
    file = io.StringIO()
    table = ResultTable(file, HERE)
    result = found("fabricated", "explicitly-supported")
    table.add(result, complaints(result, "accepted"))
    table.end(CheckEnd())
    first, second = rows(file)
    assert first == {
        "file": "a.jsonl",
        "line": "7",
        "example": "a",
        "model": "",
        "unit": "s1",
        "kind": "sentence",
        "parent": "",
        "text": "Ada was born in 1852.",
        "label": "fabricated",
        "coarse": "unfaithful",
        "score": "0.25",
        "confidence": "0.9",
        "note": "Because.",
        "evidence": "Ada",
        "marks": "",
        "failure": "",
        "broken_rule": "fabricated",
        "standing": "accepted",
        "accepted": "accepted by Ann on 2026-01-31: read it in the book",
        "fingerprint": mark(result),
    }
    assert (second["unit"], second["standing"], second["broken_rule"]) == ("s2", "", "")


def test_missing_verdicts_and_unreadable_rows_are_lines_too() -> None:
    file = io.StringIO()
    table = ResultTable(file, HERE)
    table.add(found(""), ())
    table.add_problem(Problem.at(RowPlace("a.jsonl", 9, "line 9"), "the source is empty"))
    unjudged, unread = rows(file)
    assert (unjudged["failure"], unjudged["label"]) == ("parse", "")
    assert unjudged["note"] == "no label in the reply"
    assert (unread["failure"], unread["line"]) == ("unreadable", "9")
    assert unread["note"] == "a.jsonl line 9: the source is empty"


def test_formulas_are_guarded_and_line_breaks_are_quoted() -> None:
    file = io.StringIO()
    result = found("fabricated", text="=HYPERLINK(1)\rb")
    ResultTable(file, HERE).add(result, complaints(result))
    (row,) = rows(file)
    assert row["text"] == "'=HYPERLINK(1)\rb"
    assert '"\'=HYPERLINK(1)\rb"' in file.getvalue()
    assert file.getvalue().count("\n") == 2
