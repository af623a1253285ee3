"""The JSON document, written as results come."""

import io
import json
from collections.abc import Callable

from assay import check
from assay.checking.document import MOST_PROBLEMS, DocumentWriter
from assay.core import Example
from assay.datasets import Problem


def test_streamed_document_is_the_reports(make_example: Callable[..., Example]) -> None:
    report = check([make_example(id="a"), make_example(response="Es flog – 😀.", id="b")])
    stream = io.StringIO()
    writer = DocumentWriter(stream, report.detector, report.taxonomy, report.unit_kind)
    for each in report:
        writer.add(each)
    writer.close()
    assert json.loads(stream.getvalue()) == report.to_dict()


def test_document_without_examples_is_valid() -> None:
    stream = io.StringIO()
    DocumentWriter(stream, 'a "judge"', "gray7", "claim").close()
    assert json.loads(stream.getvalue()) == {
        "detector": 'a "judge"',
        "taxonomy": "gray7",
        "unit_kind": "claim",
        "examples": [],
        "problems": [],
    }


def test_only_the_first_problems_are_kept() -> None:
    stream = io.StringIO()
    writer = DocumentWriter(stream, "judge", "gray7")
    for number in range(MOST_PROBLEMS + 5):
        writer.add_problem(Problem(f"x.jsonl line {number}", "broken"))
    writer.close()
    problems = json.loads(stream.getvalue())["problems"]
    assert len(problems) == MOST_PROBLEMS
    assert problems[0] == {"where": "x.jsonl line 0", "message": "broken"}
