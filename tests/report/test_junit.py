"""JUnit's XML of results: counts, cases, and texts that XML could not hold."""

from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import check
from assay.app.gate import make_gate
from assay.core.complaints import CheckEnd, Complaint
from assay.core.errors import InputError
from assay.core.places import RowPlace
from assay.core.problems import Problem
from assay.core.results import Result
from assay.core.taxonomies import GRAY7
from assay.report.junit import junit_file
from tests.report.findings import complaints as told
from tests.report.findings import found

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


# The elements and attributes that Jenkins' schema of JUnit's XML has, as far as we write them.
INSIDE = ("skipped", "failure", "error", "system-out")
ATTRIBUTES = {
    "testsuites": {"tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped"},
    "testcase": {"classname", "name", "file", "line"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"message"},
    "system-out": set(),
}


def require_structure(path: Path) -> ElementTree.Element:
    """The suite of a file, once its elements, attributes and counts are those of JUnit."""
    root = ElementTree.parse(path).getroot()
    (suite,) = root
    for element in root.iter():
        assert set(element.keys()) <= ATTRIBUTES[element.tag]
        if element.tag == "testcase":
            places = [INSIDE.index(each.tag) for each in element]
            assert places == sorted(places)
            assert len({each.tag for each in element} & {"skipped", "failure", "error"}) <= 2
    said = {name: [each for each in suite if each.find(name) is not None] for name in INSIDE}
    assert suite.get("tests") == str(len(suite))
    assert suite.get("failures") == str(len(said["failure"]))
    assert suite.get("skipped") == str(len(said["skipped"]))
    errors = [each for each in said["error"] if each not in said["failure"]]
    assert suite.get("errors") == str(len(errors))
    return suite


def test_structure_is_that_of_junit_whatever_happens(tmp_path: Path) -> None:
    with junit_file(tmp_path / "a.xml", "suite", HERE) as writer:
        writer.add(one := found("fabricated"), told(one))
        writer.add(one := found("fabricated", "fabricated"), told(one, "known", "accepted"))
        writer.add(one := found("fabricated", "fabricated"), told(one, "new", "accepted"))
        writer.add(one := found("", "fabricated"), told(one, "known"))
        writer.add(one := found("", "fabricated"), told(one))
        writer.add(found("explicitly-supported"), ())
        writer.add_problem(Problem.at(RowPlace("a.jsonl", 9, "line 9"), "the source is empty"))
        writer.end(CheckEnd("interrupted", share="3 of 4", share_state="broken"))
    suite = require_structure(tmp_path / "a.xml")
    kinds = [[each.tag for each in case] for case in suite]
    assert kinds == [
        ["failure"],
        ["skipped", "system-out"],
        ["failure", "system-out"],
        ["error", "system-out"],
        ["failure", "error"],
        [],
        ["error"],
        ["failure"],
        ["error"],
    ]
    assert [case.get("name") for case in suite][-2:] == [
        "share of unfaithful responses",
        "the whole check",
    ]
    assert [case.get("line") for case in suite] == ["7"] * 6 + ["9", None, None]


def test_accepted_finding_says_by_whom_and_why(tmp_path: Path) -> None:
    with junit_file(tmp_path / "a.xml", "suite", HERE) as writer:
        result = found("fabricated", "fabricated", "fabricated")
        writer.add(result, told(result, "noted", "known", "accepted"))
    (case,) = cases(tmp_path / "a.xml")
    skipped, out = case
    assert skipped.get("message") == "1 new for the baseline, 1 known before, 1 accepted"
    assert "(accepted by Ann on 2026-01-31: read it in the book; fingerprint " in (out.text or "")


@pytest.mark.parametrize(
    ("state", "tag"), [("kept", None), ("broken", "failure"), ("unknown", "error")]
)
def test_share_is_a_case_of_its_own(
    tmp_path: Path, state: Literal["kept", "broken", "unknown"], tag: str | None
) -> None:
    with junit_file(tmp_path / "a.xml", "suite", HERE, fails=False) as writer:
        result = found("fabricated")
        writer.add(result, told(result))
        writer.end(CheckEnd(share="1 of 1", share_state=state))
    response, share = cases(tmp_path / "a.xml")
    assert [each.tag for each in response] == ["system-out"]
    assert [each.tag for each in share] == ([tag] if tag else [])


@given(st.text())
def test_any_finding_gives_xml_of_that_structure(tmp_path_factory: object, text: str) -> None:
    assert isinstance(tmp_path_factory, pytest.TempPathFactory)
    path = tmp_path_factory.mktemp("junit") / "a.xml"
    hostile = f"{text}]]>\x00\x1b[31m\ud800￾</failure>&amp;"
    with junit_file(path, text, HERE) as writer:
        result = found("fabricated", "fabricated", "", id=hostile, text=hostile)
        writer.add(result, told(result, "new", "accepted"))
    require_structure(path)
