"""SARIF of results: it fits the official schema, and says what the rules say."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.complaints import CheckEnd
from assay.core.places import RowPlace
from assay.core.problems import Problem
from assay.core.taxonomies import GRAY7
from assay.report.sarif import SarifScope, SarifWriter, sarif_file
from tests.report.findings import HERE, MANIFEST, complaints, found, mark

# The schema of the standard, without its descriptions.
SCHEMA = json.loads((Path(__file__).parent / "sarif-2.1.0.schema.json").read_text())
VALIDATOR = jsonschema.Draft4Validator(SCHEMA)
KNOWN = SarifScope(HERE, has_baseline=True, has_accepted=True)


def run_in(path: Path) -> dict[str, Any]:
    """The only run of a file that fits the schema."""
    document = json.loads(path.read_text(encoding="utf-8"))
    VALIDATOR.validate(document)
    (run,) = document["runs"]
    return dict(run)


def test_finding_has_a_rule_a_line_and_a_fingerprint(tmp_path: Path) -> None:
    result = found("explicitly-supported", "fabricated")
    with sarif_file(tmp_path / "a.sarif", MANIFEST, GRAY7, SarifScope(HERE)) as writer:
        writer.add(result, complaints(result))
        writer.end(CheckEnd())
    run = run_in(tmp_path / "a.sarif")
    (one,) = run["results"]
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert set(GRAY7.names) <= set(rules)
    assert rules[one["ruleId"]]["shortDescription"]["text"] == GRAY7["fabricated"].meaning
    assert (one["ruleId"], one["level"]) == ("fabricated", "error")
    physical = one["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "a.jsonl"}
    assert physical["region"] == {"startLine": 7, "endLine": 7}
    assert one["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "a/s2"
    assert one["partialFingerprints"]["assay/v1"] == mark(result, 1)
    assert "Because." in one["message"]["text"]
    assert run["invocations"][0]["executionSuccessful"] is True


def test_sentence_said_twice_has_a_fingerprint_each_time(tmp_path: Path) -> None:
    result = found("fabricated", "fabricated")
    with sarif_file(tmp_path / "a.sarif", MANIFEST, GRAY7, SarifScope(HERE)) as writer:
        writer.add(result, complaints(result))
    hashes = [
        each["partialFingerprints"]["primaryLocationLineHash"]
        for each in run_in(tmp_path / "a.sarif")["results"]
    ]
    assert hashes == [f"{mark(result)}:1", f"{mark(result)}:2"]


def test_known_and_accepted_findings_say_so(tmp_path: Path) -> None:
    result = found(*["fabricated"] * 4)
    with sarif_file(tmp_path / "a.sarif", MANIFEST, GRAY7, KNOWN) as writer:
        writer.add(result, complaints(result, "new", "noted", "known", "accepted"))
    found_in = run_in(tmp_path / "a.sarif")["results"]
    assert [each["baselineState"] for each in found_in] == ["new", "new", *["unchanged"] * 2]
    assert [len(each["suppressions"]) for each in found_in] == [0, 0, 0, 1]
    (suppression,) = found_in[3]["suppressions"]
    assert suppression["justification"] == "accepted by Ann on 2026-01-31: read it in the book"


def test_what_fails_nothing_is_a_warning(tmp_path: Path) -> None:
    result = found("fabricated")
    scope = SarifScope(HERE, fails=False)
    with sarif_file(tmp_path / "a.sarif", MANIFEST, GRAY7, scope) as writer:
        writer.add(result, complaints(result))
    (one,) = run_in(tmp_path / "a.sarif")["results"]
    assert one["level"] == "warning"


def test_missing_verdicts_and_broken_ends_are_notifications(tmp_path: Path) -> None:
    end = CheckEnd("budget", "used up", share="3 of 4", share_state="broken")
    with sarif_file(tmp_path / "a.sarif", MANIFEST, GRAY7, SarifScope(HERE)) as writer:
        writer.add(found(""), ())
        writer.add_problem(Problem.at(RowPlace("a.jsonl", 9, "line 9"), "the source is empty"))
        writer.end(end)
    run = run_in(tmp_path / "a.sarif")
    (invocation,) = run["invocations"]
    told = [each["message"]["text"] for each in invocation["toolExecutionNotifications"]]
    assert run["results"] == []
    assert invocation["executionSuccessful"] is False
    assert told == [
        "it did not go on to its end: used up",
        "3 of 4",
        "no verdict on a s1: parse no label in the reply",
        "a.jsonl line 9: the source is empty",
    ]
    regions = [
        each["locations"][0]["physicalLocation"]["region"]["startLine"]
        for each in invocation["toolExecutionNotifications"][2:]
    ]
    assert regions == [7, 9]


def test_sentences_of_a_text_have_lines_of_their_own(tmp_path: Path) -> None:
    result = found("fabricated", "fabricated", text="a\nb", place=RowPlace("a.txt", is_text=True))
    with sarif_file(tmp_path / "a.sarif", MANIFEST, GRAY7, SarifScope(HERE)) as writer:
        writer.add(result, complaints(result))
    regions = [
        each["locations"][0]["physicalLocation"]["region"]
        for each in run_in(tmp_path / "a.sarif")["results"]
    ]
    assert regions == [{"startLine": 1, "endLine": 2}, {"startLine": 3, "endLine": 4}]


NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1
)  # as a file may have


@given(st.text(min_size=1), NAMES)
def test_any_text_gives_a_file_that_fits_the_schema(
    tmp_path_factory: pytest.TempPathFactory, text: str, name: str
) -> None:
    path = tmp_path_factory.mktemp("sarif") / "a.sarif"
    result = found("fabricated", "", id=name, text=f"{text}\ud800")
    with sarif_file(path, MANIFEST, GRAY7, KNOWN) as writer:
        writer.add(result, complaints(result))
        writer.add_problem(Problem(name, text, place=RowPlace(f"{name}%.jsonl")))
    assert len(run_in(path)["results"]) == 1


def test_check_that_breaks_off_leaves_the_older_file(tmp_path: Path) -> None:
    path = tmp_path / "a.sarif"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), sarif_file(path, MANIFEST, GRAY7, SarifScope(HERE)):
        raise ZeroDivisionError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_writer_that_is_told_no_end_says_that_it_was_stopped(tmp_path: Path) -> None:
    path = tmp_path / "a.sarif"
    with path.open("w", encoding="utf-8") as file:
        SarifWriter(file, MANIFEST, GRAY7, SarifScope(HERE)).close()
    assert run_in(path)["invocations"][0]["executionSuccessful"] is False
