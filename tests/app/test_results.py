"""What a check gives back."""

import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from assay import __version__
from assay.app.results import Report
from assay.core.codec import MOST_PROBLEMS, DocumentWriter
from assay.core.errors import MissingExtraError
from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement, Manifest
from assay.core.problems import Problem
from assay.core.results import Result
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Failure, Outcome, Verdict

TEXT = "It sat. It ate."
UNITS = (
    Unit.at("sentence", Span.cut(TEXT, 0, 7, "response"), "s1"),
    Unit.at("sentence", Span.cut(TEXT, 8, 15, "response"), "s2"),
)
GOOD = Verdict("s1", GRAY7["explicitly-supported"], 0.9, 0.8, "as it says")
BAD = Verdict("s2", GRAY7["fabricated"], 0.1)
FAILED = Failure("s2", "parse", "no JSON", raw="???")
MANIFEST = Manifest(Author("mine", version="1"), version="0.1.0", taxonomy="gray7")


def result(*outcomes: Outcome, id: str = "1") -> Result:
    example = Example(id, Source("The cat sat."), Response(TEXT))
    return Result(example, Judgement(id, Author("mine"), UNITS, outcomes, 12, 12))


@pytest.fixture
def report() -> Report:
    return Report(MANIFEST, (result(GOOD), result(FAILED, id="2"), result(GOOD, BAD, id="3")))


def test_report_is_a_sequence_of_its_results(report: Report) -> None:
    assert (len(report), report[1].id, [each.id for each in report]) == (3, "2", ["1", "2", "3"])
    assert [each.id for each in report.sentences] == ["s1", "s2", "s1", "s2"]
    assert report.failures == (FAILED,)
    assert report.label == "fabricated"
    assert report.score == 0.1


def test_report_reads_as_one_line_a_unit(report: Report) -> None:
    assert str(report).splitlines()[:2] == [
        "explicitly-supported   0.90 It sat.",
        "no verdict             It ate. (parse)",
    ]


def test_report_and_problem_are_short_in_an_interpreter(report: Report) -> None:
    said = (
        "<Report: mine, unfaithful, 3 responses, 4 units, 1 failure, label fabricated, score 0.10>"
    )
    assert repr(report) == said
    assert repr(report[2]) == "<Result 3: unfaithful, 2 units, label fabricated, score 0.10>"
    assert repr(report[1]) == "<Result 2: no verdict, 1 unit, 1 failure>"
    assert [repr(each) for each in report.units[:2]] == [
        "<Finding s1: explicitly-supported 0.90 'It sat.'>",
        "<Finding s2: no verdict (parse) 'It ate.'>",
    ]
    unsure = replace(BAD, attributes=Attributes(unsure=True))
    assert repr(Finding(UNITS[1], unsure)) == "<Finding s2: not-sure (fabricated) 0.10 'It ate.'>"
    problem = Problem("row 1", "it is empty", example=report[0].example)
    assert repr(problem) == "Problem(where='row 1', message='it is empty', field='', code='')"


def test_long_texts_and_names_leave_results_short_in_an_interpreter() -> None:
    text, name = "It sat\non the mat. " * 500, "a/very/long/name/" * 20
    verdict = Verdict(
        "s" * 40, GRAY7["explicitly-supported"], 0.987, attributes=Attributes(unsure=True)
    )
    unit = Unit.at("sentence", Span.cut(text, 0, len(text), "response"), verdict.unit)
    example = Example(name, Source(text), Response(text))
    long = Result(example, Judgement(name, Author(name), (unit,), (verdict,)))
    report = Report(replace(MANIFEST, author=Author(name)), (long, long))
    assert [len(repr(each)) <= 130 for each in (long.units[0], long, report)] == [True] * 3


def test_coarse_counts_what_is_not_sure_and_what_has_no_verdict(report: Report) -> None:
    unsure = replace(BAD, attributes=Attributes(unsure=True))
    leaning = Report(MANIFEST, (result(GOOD, unsure), result(GOOD, id="2")))
    assert leaning.label == "fabricated"
    assert leaning.coarse == "not-sure"
    assert (leaning[0].coarse, leaning[1].coarse) == ("not-sure", "faithful")
    assert [each.coarse for each in report] == ["faithful", None, "unfaithful"]
    assert report.coarse == "unfaithful"
    assert Report(MANIFEST, report.results[:2]).coarse is None
    assert Report(MANIFEST, (*leaning.results, report[1])).coarse == "not-sure"
    assert Report(MANIFEST, ()).coarse is None


def test_data_frame_without_pandas_says_what_to_install(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'assay-faith\[pandas\]'"):
        report.to_pandas()


def test_document_names_its_detector_and_its_versions(report: Report) -> None:
    document = report.to_dict()
    assert document["manifest"]["author"] == {"name": "mine", "version": "1"}
    assert (document["manifest"]["version"], document["assay"]) == ("0.1.0", __version__)
    assert [each["example"] for each in document["judgements"]] == ["1", "2", "3"]


def test_page_of_a_report_is_text_and_a_file(report: Report, tmp_path: Path) -> None:
    page = report.to_html(tmp_path / "page.html")
    assert page.startswith("<!doctype html>")
    assert (tmp_path / "page.html").read_text("utf-8") == page


def test_notebook_shows_a_part_of_a_page(report: Report) -> None:
    fragment = report._repr_html_()
    assert fragment.startswith('<div class="assay-report">')
    assert fragment.count("<summary>1 sentence needs a look</summary>") == 2  # of three responses
    assert "problem" not in fragment  # which is what a row that could not be read has
    assert "<script" not in fragment


def test_document_keeps_the_first_of_the_rows_that_could_not_be_read() -> None:
    stream = io.StringIO()
    writer = DocumentWriter(stream, MANIFEST, __version__)
    for number in range(MOST_PROBLEMS + 5):
        writer.add_problem(f"x.jsonl line {number}", "broken")
    writer.close()
    problems = json.loads(stream.getvalue())["problems"]
    assert len(problems) == MOST_PROBLEMS
    assert problems[0] == {"where": "x.jsonl line 0", "message": "broken"}
