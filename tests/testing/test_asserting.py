"""What an assertion raises, and what it lets pass: the same as `assay check --fail-on`."""

import asyncio
import json
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

import assay
from assay import InputError, NoVerdictError, UnknownNameError, aassert_faithful, assert_faithful
from assay.cli.application import app
from assay.testing.watching import watchers

SOURCE = "The ferry runs."
LABELS = [label.name for label in assay.taxonomy("gray7")]


def raised(response: str, detector: str, **how: str) -> str:
    """The name of the error that an assertion raises; empty where it passes."""
    try:
        assert_faithful(response, SOURCE, detector=detector, **how)
    except (AssertionError, NoVerdictError) as error:
        return type(error).__name__
    return ""


def test_report_of_what_passes_is_given_back(spoken: str) -> None:
    report = assert_faithful("Yes, explicitly-supported.", SOURCE, "Does it?", detector=spoken)
    assert (report.coarse, report[0].example.question) == ("faithful", "Does it?")


def test_unfaithful_sentence_fails_and_unsure_one_passes(spoken: str) -> None:
    assert raised("It is fabricated.", spoken) == "AssertionError"
    assert raised("It is fabricated?.", spoken) == ""
    assert raised("It is fabricated?.", spoken, fail_on="unfaithful,not-sure") == "AssertionError"


def test_accepted_labels_pass(spoken: str) -> None:
    both = "It is fabricated. It is contradicting."
    assert raised("It is fabricated.", spoken, allow="fabricated") == ""
    assert raised(both, spoken, allow="fabricated") == "AssertionError"
    assert raised("It is ambiguous.", spoken, fail_on="unfaithful,not-sure") == "AssertionError"
    strict = {"fail_on": "unfaithful,not-sure", "allow": "ambiguous"}
    assert raised("It is ambiguous.", spoken, **strict) == ""
    assert raised("It is fabricated?.", spoken, **strict) == "AssertionError"


def test_labels_are_named_in_any_way(spoken: str) -> None:
    label = assay.taxonomy("gray7")["fabricated"]
    for allow in ("fabricated", label, [label], ["no-fact,fabricated"], {"fabricated", "no-fact"}):
        assert_faithful("It is fabricated.", SOURCE, detector=spoken, allow=allow)


def test_failure_is_no_pass_and_a_broken_rule_comes_first(spoken: str) -> None:
    assert raised("It is unjudged.", spoken) == "NoVerdictError"
    assert raised("It is unjudged. It is fabricated.", spoken) == "AssertionError"
    assert raised("It is unjudged.", spoken, fail_on="not-sure") == "NoVerdictError"


@pytest.mark.parametrize("rule", ["unfaithful", "unfaithful,not-sure", "fabricated", "no-fact"])
def test_assertion_and_command_fail_on_the_same(spoken: str, rule: str, tmp_path: Path) -> None:
    codes = {"": 0, "AssertionError": 1, "NoVerdictError": 3}
    words = [*(f"{label}{mark}" for label, mark in product(LABELS, ("", "?"))), "unjudged"]
    for word in words:
        row = {"source": SOURCE, "response": f"It is {word}."}
        file = tmp_path / "row.json"
        file.write_text(json.dumps([row]), encoding="utf-8")
        given = ["check", str(file), "--detector", spoken, "--quiet", "--fail-on", rule]
        exit_code = CliRunner().invoke(app, given).exit_code
        assert codes[raised(row["response"], spoken, fail_on=rule)] == exit_code, word


def test_source_may_be_whatever_check_takes(spoken: str) -> None:
    for source in (SOURCE, [SOURCE, "It is red."], {"ferry": {"runs": True}}):
        assert_faithful("Yes, explicitly-supported.", source, detector=spoken)


def test_rows_are_given_as_to_check(spoken: str) -> None:
    good = {"source": SOURCE, "response": "Yes, explicitly-supported."}
    assert len(assert_faithful([good, good], detector=spoken)) == 2
    with pytest.raises(AssertionError, match="1 sentence labelled fabricated"):
        assert_faithful([good, {**good, "response": "It is fabricated."}], detector=spoken)


def test_row_that_was_kept_without_being_read_is_no_pass(spoken: str) -> None:
    rows = [{"source": SOURCE, "response": ""}]
    with pytest.raises(NoVerdictError, match="unreadable: row 1: the response is empty"):
        assert_faithful(rows, detector=spoken, on_error="keep")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((None, SOURCE), "the response is None"),
        (("It runs.",), "the source is missing"),
        (("", SOURCE), "the response is empty"),
        (([],), "nothing to check"),
    ],
)
def test_nothing_to_check_is_no_pass(given: tuple[object, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        assert_faithful(*given, detector="overlap")


def test_rule_that_cannot_fail_is_refused(spoken: str) -> None:
    for how in (
        {"allow": "unfaithful"},
        {"fail_on": ""},
        {"fail_on": "fabricated", "allow": "fabricated"},
    ):
        with pytest.raises(InputError, match="no label is left that could fail"):
            assert_faithful("It is fabricated.", SOURCE, detector=spoken, **how)


def test_misspelled_label_is_named_with_the_nearest(spoken: str) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'fabricated'"):
        assert_faithful("It runs.", SOURCE, detector=spoken, allow="fabricate")


def test_asynchronous_assertion_fails_alike(spoken: str) -> None:
    async def both() -> assay.Report:
        with pytest.raises(AssertionError, match="fabricated"):
            await aassert_faithful("It is fabricated.", SOURCE, detector=spoken)
        return await aassert_faithful("It is no-fact.", SOURCE, detector=spoken)

    assert asyncio.run(both()).coarse == "no-fact"


def test_innermost_watcher_is_told_of_what_fails_too(spoken: str) -> None:
    seen: list[assay.Report] = []
    watchers.append(seen.append)
    try:
        raised("It is fabricated.", spoken)
    finally:
        watchers.pop()
    assert [each.coarse for each in seen] == ["unfaithful"]
