"""Rows that cannot be read, in checks from Python."""

import asyncio
import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assay import DetectorSpec, InputError, Report, acheck, check, check_each, open_judgements
from tests.cli.loopback import Loopback

Judge = Callable[..., DetectorSpec]

GOOD = {"source": "The cat sat.", "response": "The cat sat."}


class Lazy(dict[str, object]):
    """A row that fails where it is looked at."""

    def __getitem__(self, name: str) -> object:
        raise ZeroDivisionError("no page 0")


ROWS: list[Any] = [
    {"id": "x", "source": "The cat sat."},
    {**GOOD, "id": "first"},
    {**GOOD, "response": float("nan")},
    5,
    {**GOOD, "source": " "},
    {**GOOD, "response": 7},
    Lazy(GOOD),
    {**GOOD, "id": "second"},
    None,
]
IDS = ["x", "first", "3", "4", "5", "6", "7", "second", "9"]


def awaited(rows: object, **options: Any) -> Report:
    return asyncio.run(acheck(rows, **options))


def streamed(rows: object, **options: Any) -> list[Any]:
    return list(check_each(rows, **options))


@pytest.mark.parametrize("call", [check, awaited, streamed])
@pytest.mark.parametrize("asks", [False, True], ids=["offline", "model"])
def test_kept_rows_have_a_result_in_their_place(
    call: Callable[..., Any], asks: bool, judge: Judge
) -> None:
    results = list(call(ROWS, detector=judge() if asks else "overlap", on_error="keep"))
    assert [each.id for each in results] == IDS
    for each in results:
        if each.id in ("first", "second"):
            assert (each.problem, each.coverage, each.failures) == (None, 1.0, ())
            continue
        (failure,) = each.failures
        assert (failure.reason, failure.detail) == ("unreadable", str(each.problem))
        assert (each.label, each.score, each.coverage) == (None, None, 0.0)


def test_kept_row_has_as_much_of_its_texts_as_can_be_read() -> None:
    report = check(ROWS, detector="overlap", on_error="keep")
    assert str(report[0].problem).startswith("row 1: no response: none of response")
    assert report[0].example.source.text == "The cat sat."
    assert report[4].example.response.text == "The cat sat."
    assert str(report[6].problem) == "row 7: ZeroDivisionError: no page 0"


def test_kept_rows_are_told_wherever_a_report_is_shown(tmp_path: Path) -> None:
    report = check([GOOD, {**GOOD, "id": "bad", "response": ""}], on_error="keep")
    told = "row 2: the response is empty (field 'response')"
    assert [str(each) for each in report.problems] == [told]
    assert f"{told} (unreadable)" in str(report)
    row = report.to_pandas().iloc[1]
    assert (row["example"], row["failure"], row["note"]) == ("bad", "unreadable", told)
    assert pd.isna(row["label"])
    assert pd.isna(row["score"])
    where, message = told.split(": ", 1)
    assert report.to_dict()["problems"] == [{"where": where, "message": message}]
    assert "1 row could not be read" in report.to_html()
    (tmp_path / "verdicts.json").write_text(report.to_json())
    judgements = list(open_judgements(str(tmp_path / "verdicts.json")))
    assert [each.failures == () for each in judgements] == [True, False]
    assert json.loads(report.to_json())["judgements"][1]["response"]["score"] is None


def test_kept_pair_of_texts_is_a_result_with_a_problem() -> None:
    (result,) = check("The cat sat.", " ", on_error="keep")
    assert str(result.problem) == "the texts: the response is empty"
    assert result.example.source.text == "The cat sat."


def test_error_names_the_row_and_how_the_others_are_judged() -> None:
    told = "row 2: the response is empty .field 'response'.; on_error='keep' goes on with the other"
    with pytest.raises(InputError, match=told):
        check([GOOD, {**GOOD, "response": ""}, GOOD], detector="overlap")
    with pytest.raises(InputError) as caught:
        check("The cat sat.", " ")
    assert "other rows" not in str(caught.value)


def test_error_has_what_was_judged_before_the_bad_row() -> None:
    with pytest.raises(InputError, match="row 3: the response is empty") as caught:
        check([GOOD, GOOD, {**GOOD, "response": ""}, GOOD], detector="overlap")
    assert [each.id for each in caught.value.results] == ["1", "2"]


def test_error_says_which_setting_is_to_blame() -> None:
    with pytest.raises(InputError) as caught:
        check([{**GOOD, "answer": "It sat."}])
    assert (caught.value.code, caught.value.field) == ("two-columns", "response_field")


def test_check_each_gives_all_results_before_it_raises(judge: Judge) -> None:
    for detector in ("overlap", judge()):
        results = check_each([GOOD, GOOD, 5, GOOD], detector=detector)
        assert [next(results).id, next(results).id] == ["1", "2"]
        with pytest.raises(InputError, match="row 3: an example cannot be read"):
            next(results)


def test_no_model_is_asked_where_a_row_raises(judge: Judge, server: Loopback) -> None:
    for call in (check, awaited):
        with pytest.raises(InputError, match="row 2"):
            call([GOOD, 5], detector=judge())
    assert server.calls == 0


def test_error_of_the_rows_themselves_is_always_raised() -> None:
    def rows() -> Iterator[dict[str, str]]:
        yield GOOD
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        check(rows(), detector="overlap", on_error="keep")


def test_what_is_wrong_with_an_argument_is_always_raised() -> None:
    with pytest.raises(InputError, match="a language is given by its code"):
        check([GOOD], language="Klingon", on_error="keep")
    with pytest.raises(InputError, match="on_error must be 'raise' or 'keep', not 'drop'"):
        check([GOOD], on_error="drop")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="cannot be read from a value of type int"):
        check(5, on_error="keep")


class Evil:
    """An object that fails wherever it is looked at."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError("no such connection")


def test_everything_is_kept_that_a_row_may_raise() -> None:
    frame = pd.DataFrame([GOOD, GOOD])
    for rows in ([Evil(), GOOD], frame.groupby("source")):
        report = check(rows, detector="overlap", on_error="keep")
        assert report[0].problem is not None
    (result,) = check(Evil(), "It sat.", on_error="keep")
    assert str(result.problem) == "the texts: RuntimeError: no such connection"
    assert result.example.response.text == "It sat."


def test_check_each_gives_a_kept_row_before_the_next_is_read() -> None:
    taken: list[int] = []

    def rows() -> Iterator[object]:
        for number, row in enumerate([GOOD, 5, None, GOOD, GOOD]):
            taken.append(number)
            yield row

    results = check_each(rows(), detector="overlap", on_error="keep")
    assert [next(results).id for _ in range(3)] == ["1", "2", "3"]
    assert taken == [0, 1, 2]
    assert [each.id for each in results] == ["4", "5"]


def test_check_each_with_a_model_gives_bad_rows_without_a_good_one(judge: Judge) -> None:
    results = check_each(itertools.repeat(5), detector=judge(), on_error="keep")
    assert [next(results).id for _ in range(40)] == [str(number) for number in range(1, 41)]
