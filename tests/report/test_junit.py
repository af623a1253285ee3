"""JUnit's XML of results: counts, cases, and texts that XML could not hold."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import check
from assay.app.gate import make_gate
from assay.core.complaints import Complaint
from assay.core.errors import InputError
from assay.core.problems import Problem
from assay.core.results import Result
from assay.core.taxonomies import GRAY7
from assay.report.junit import junit_file

SOURCE = "Ada was born in 1815 in London."
HERE = Path.cwd()


def complaints(result: Result) -> tuple[Complaint, ...]:
    return make_gate(None, ["unfaithful"], GRAY7).add(result)


def cases(path: Path) -> list[ElementTree.Element]:
    return list(ElementTree.parse(path).getroot().iter("testcase"))


def test_each_response_is_a_case_and_the_unfaithful_one_fails(tmp_path: Path) -> None:
    rows = [{"source": SOURCE, "response": f"Ada was born in {year}."} for year in (1815, 1852)]
    with junit_file(tmp_path / "a.xml", "suite", HERE) as writer:
        for result in check(rows, detector="embedded"):
            writer.add(result, complaints(result))
    right, wrong = cases(tmp_path / "a.xml")
    assert (right.get("name"), len(right), wrong.get("name")) == ("1", 0, "2")
    (failure,) = wrong
    assert (failure.tag, failure.get("type")) == ("failure", "contradicting")
    assert failure.get("message") == "contradicting: Ada was born in 1852."
    assert failure.text is not None
    assert "1815 where the response says 1852" in failure.text
    assert f"source: {SOURCE}" in failure.text


def test_missing_verdicts_and_unreadable_rows_are_errors(tmp_path: Path) -> None:
    with junit_file(tmp_path / "a.xml", "suite", HERE) as writer:
        for result in check(SOURCE, "Der Hafen wurde nicht mit einem Fest eröffnet."):
            writer.add(result, complaints(result))
        writer.add_problem(Problem("line 3", "the source is empty"))
    root = ElementTree.parse(tmp_path / "a.xml").getroot()
    assert root.attrib == {"tests": "2", "failures": "0", "errors": "2"}
    kinds = [each.get("type") for case in cases(tmp_path / "a.xml") for each in case]
    assert kinds == ["language", "unreadable"]


@given(st.text())
def test_any_text_gives_xml_that_can_be_read(tmp_path_factory: object, text: str) -> None:
    assert isinstance(tmp_path_factory, pytest.TempPathFactory)
    path = tmp_path_factory.mktemp("junit") / "a.xml"
    with junit_file(path, text, HERE) as writer:
        writer.add_problem(Problem(text, f"]]>{text}"))
    (case,) = cases(path)
    assert len(case) == 1


def test_what_goes_wrong_leaves_the_older_file(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), junit_file(path, "suite", HERE):
        raise ZeroDivisionError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_folder_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match="cannot write"),
        junit_file(tmp_path / "no" / "a.xml", "suite", HERE),
    ):
        pass
