"""What an assertion raises, and what it lets pass: the same as `assay check --fail-on`."""

import asyncio
import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import assay
from assay import InputError, UnknownNameError, aassert_faithful, assert_faithful
from assay.cli.application import app
from assay.testing.assertions import Names
from assay.testing.watching import watchers

SOURCE = "The ferry runs."
LABELS = [label.name for label in assay.taxonomy("gray7")]


def fails(response: str, allow: Names = "not-sure") -> bool:
    """True if the assertion about a response, by what its last words say, raises."""
    try:
        assert_faithful(response, SOURCE, detector="spoken", allow=allow)
    except AssertionError:
        return True
    return False


def test_report_of_what_passes_is_given_back(spoken: str) -> None:
    report = assert_faithful("Yes, explicitly-supported.", SOURCE, "Does it?", detector=spoken)
    assert (report.coarse, report[0].example.question) == ("faithful", "Does it?")


def test_embedded_model_tells_a_wrong_year() -> None:
    source = "Ada was born in 1815 in London."
    assert_faithful("Ada was born in 1815.", source, detector="embedded")
    with pytest.raises(AssertionError, match="1815 where the response says 1852"):
        assert_faithful("Ada was born in 1852.", source, detector="embedded")


@pytest.mark.usefixtures("spoken")
def test_unfaithful_sentence_fails_and_unsure_one_passes() -> None:
    assert fails("It is fabricated.")
    assert not fails("It is fabricated?.")
    assert not fails("It is ambiguous.")


@pytest.mark.usefixtures("spoken")
def test_nothing_but_what_is_allowed_passes() -> None:
    assert not fails("It is no-fact. It is implicitly-supported.", ())
    assert fails("It is fabricated?.", ())
    assert fails("It is ambiguous.", ())


@pytest.mark.usefixtures("spoken")
def test_allowed_label_lets_no_other_one_of_its_reading_pass() -> None:
    assert not fails("It is fabricated.", "fabricated")
    assert fails("It is fabricated. It is contradicting.", "fabricated")
    assert not fails("It is ambiguous.", "ambiguous")
    assert fails("It is out-dependent.", "ambiguous")


@pytest.mark.usefixtures("spoken")
def test_allowed_label_lets_no_unsure_sentence_pass() -> None:
    assert fails("Perhaps fabricated?.", "ambiguous")
    assert fails("Perhaps fabricated?.", "fabricated")
    assert not fails("Perhaps fabricated?.", ("fabricated", "not-sure"))


@pytest.mark.usefixtures("spoken")
def test_labels_are_named_in_any_way() -> None:
    label = assay.taxonomy("gray7")["fabricated"]
    for allow in ("fabricated", label, [label], ["no-fact,fabricated"], {"fabricated", "no-fact"}):
        assert not fails("It is fabricated.", allow)


@pytest.mark.usefixtures("spoken")
def test_sentence_without_a_verdict_never_passes() -> None:
    assert fails("It is unjudged.")
    assert fails("It is unjudged. It is no-fact.", ("unfaithful", "not-sure", *LABELS))


@pytest.mark.parametrize(
    ("rule", "allow"), [("unfaithful", "not-sure"), ("unfaithful,not-sure", "")]
)
def test_assertion_and_command_fail_on_the_same(
    spoken: str, rule: str, allow: str, tmp_path: Path
) -> None:
    words = [*(f"{label}{mark}" for label, mark in product(LABELS, ("", "?"))), "unjudged"]
    for word in words:
        row = {"source": SOURCE, "response": f"It is {word}."}
        file = tmp_path / "row.json"
        file.write_text(json.dumps([row]), encoding="utf-8")
        given = ["check", str(file), "--detector", spoken, "--quiet", "--fail-on", rule]
        exit_code = CliRunner().invoke(app, given).exit_code
        assert fails(row["response"], allow) == (exit_code != 0), word


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
    with pytest.raises(AssertionError, match="unreadable: row 1: the response is empty"):
        assert_faithful(rows, detector=spoken, on_error="keep")


@pytest.mark.parametrize("answer", ["", " \n", [{"source": SOURCE, "answer": ""}]])
def test_empty_answer_is_no_pass_and_counted(answer: Any) -> None:
    told: list[assay.Report] = []
    watchers.append(told.append)
    try:
        source = SOURCE if isinstance(answer, str) else None
        with pytest.raises(AssertionError, match="of 1, because there is no answer to judge"):
            assert_faithful(answer, source, detector="overlap")
        with pytest.raises(AssertionError, match="no answer to judge"):
            asyncio.run(aassert_faithful(answer, source, detector="overlap"))
    finally:
        watchers.remove(told.append)
    assert [len(each.failures) for each in told] == [1, 1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((None, SOURCE), "the response is None"),
        (("It runs.",), "the source is missing"),
        (("It runs.", ""), "the source is empty"),
        (([{"response": "It runs."}],), "row 1: no source"),
        (([],), "nothing to check"),
    ],
)
def test_nothing_to_check_is_no_pass(given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        assert_faithful(*given, detector="overlap")


def test_misspelled_label_is_named_with_the_nearest_before_any_check(spoken: str) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'fabricated'") as caught:
        assert_faithful("", SOURCE, detector=spoken, allow="fabricate")
    assert caught.value.field == "allow"


def test_asynchronous_assertion_fails_alike(spoken: str) -> None:
    async def both() -> assay.Report:
        with pytest.raises(AssertionError, match="fabricated"):
            await aassert_faithful("It is fabricated.", SOURCE, detector=spoken)
        return await aassert_faithful("It is no-fact.", SOURCE, detector=spoken)

    assert asyncio.run(both()).coarse == "no-fact"


@pytest.mark.usefixtures("spoken")
def test_innermost_watcher_is_told_of_what_fails_too() -> None:
    seen: list[assay.Report] = []
    watchers.append(seen.append)
    try:
        fails("It is fabricated.")
    finally:
        watchers.pop()
    assert [each.coarse for each in seen] == ["unfaithful"]
