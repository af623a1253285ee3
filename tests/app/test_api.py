"""`check` and its kin from Python."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import (
    Annotated,
    Columns,
    DetectorSpec,
    Example,
    InputError,
    Report,
    Response,
    Source,
    UnknownNameError,
    acheck,
    check,
    check_each,
)
from assay.app import api
from tests.cli.loopback import Loopback

ROW = {"source": "The cat sat.", "response": "The cat sat. It flew."}
TEXT = st.text(min_size=1).filter(lambda text: text.strip() and "\x00" not in text)
EXAMPLE = Example("a", Source("The cat sat."), Response("The cat sat. It flew."))

Judge = Callable[..., DetectorSpec]


def labels(report: Report) -> list[str]:
    return [str(each.label) for each in report.sentences]


def test_two_texts_give_a_report_on_one_response() -> None:
    question = "What did it do?"
    report = check("The cat sat.", "The cat sat. It flew.", question, detector="overlap")
    assert labels(report) == ["explicitly-supported", "fabricated"]
    assert report[0].example.question == "What did it do?"


def test_labels_are_compared_by_name() -> None:
    report = check("Ada was born in 1815.", "Ada was born in 1852.")
    (sentence,) = report.sentences
    assert sentence.label == "contradicting"
    assert sentence.label in {"contradicting", "fabricated"}
    assert sentence.label != "fabricated"
    assert report.label == "contradicting"
    assert report.score == sentence.score


@pytest.mark.parametrize(
    "source", [["The cat", "sat."], {"who": "the cat", "what": "sat"}], ids=["list", "object"]
)
def test_source_may_be_structured(source: object) -> None:
    assert labels(check(source, "It sat.", detector="overlap")) == ["explicitly-supported"]


@pytest.mark.parametrize(
    "rows",
    [
        ROW,
        [ROW],
        pd.DataFrame([ROW]),
        pd.Series(ROW),
        iter([ROW]),
        [EXAMPLE],
        [Annotated(EXAMPLE)],
    ],
    ids=["dict", "list", "frame", "series", "iterator", "example", "annotated"],
)
def test_first_argument_alone_may_be_rows_of_any_kind(rows: object) -> None:
    report = check(rows, detector="overlap")
    assert len(report) == 1
    assert labels(report) == ["explicitly-supported", "fabricated"]


def test_data_set_of_another_library_is_read_row_by_row() -> None:
    datasets = pytest.importorskip("datasets")
    report = check(datasets.Dataset.from_list([ROW, ROW]), detector="overlap")
    assert [each.id for each in report] == ["1", "2"]


def test_columns_name_the_users_own_fields() -> None:
    row = {"article": "The cat sat.", "text": "It sat."}
    report = check(row, columns=Columns(source="article", response="text"))
    assert report[0].example.source.text == "The cat sat."


def test_no_rows_give_an_empty_report(judge: Judge) -> None:
    assert len(check([])) == 0
    empty = check([], detector=judge())
    assert (len(empty), empty.label, empty.score) == (0, None, None)


def test_two_examples_with_the_same_id_are_both_judged(judge: Judge, server: Loopback) -> None:
    rows = [{**ROW, "id": "a"}, {"id": "a", "source": "x", "response": "It ran."}]
    for detector in ("overlap", judge()):
        report = check(rows, detector=detector)
        assert [each.id for each in report] == ["a", "a"]
        assert [each.judgement.example for each in report] == ["a", "a"]
        assert report[1].example.response.text == "It ran."
    assert server.calls == 2


def test_text_without_a_response_raises() -> None:
    with pytest.raises(InputError, match="the response is missing: check") as caught:
        check("The cat sat.")
    assert caught.value.field == "response"


@pytest.mark.parametrize(
    ("source", "response", "message"),
    [
        ("", "It sat.", "the source is empty"),
        ("The cat sat.", " ", "the response is empty"),
        ("\x00", "It sat.", "the source contains a NUL byte"),
        ("The cat sat.", "\ud800", "the response contains bytes that are not UTF-8"),
        (b"The cat sat.", "It sat.", "a source must be text"),
    ],
)
def test_text_that_cannot_be_checked_raises(source: object, response: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check(source, response)


@pytest.mark.parametrize("question", [5, ["Why?"], "\ud800", "\x00"])
def test_question_that_is_no_text_raises(question: Any) -> None:
    with pytest.raises(InputError, match=r"the question (must be text|contains)"):
        check("The cat sat.", "It sat.", question)


class Message:
    """What a chat model of LangChain answers."""

    content = "The cat sat."
    type = "ai"


def test_answer_may_be_the_message_of_a_model() -> None:
    assert check("The cat sat.", Message())[0].response.text == "The cat sat."


def test_documents_with_scores_are_a_source() -> None:
    document = SimpleNamespace(page_content="The cat sat.", metadata={})
    (result,) = check([{"source_documents": [(document, 0.8)], "result": "It sat."}])
    assert result.example.source.text == "The cat sat."
    with pytest.raises(InputError, match="the source holds a value of type object"):
        check([object(), "The cat sat."], "It sat.")


def test_rows_that_cannot_be_checked_raise() -> None:
    with pytest.raises(InputError, match="no response"):
        check([ROW, {"source": "x"}])


def test_detector_may_be_a_name_or_a_spec() -> None:
    assert check(ROW, detector="overlap").detector == "overlap"
    assert check(ROW, detector=DetectorSpec("overlap")).detector == "overlap"
    with pytest.raises(UnknownNameError, match="Did you mean 'overlap'"):
        check(ROW, detector="overlp")


def test_model_is_for_detectors_that_ask_one() -> None:
    with pytest.raises(InputError, match="asks no model; leave out model") as caught:
        check(ROW, detector="overlap", model="m")
    assert caught.value.field == "model"
    with pytest.raises(InputError, match="the detector's spec names its models"):
        check(ROW, detector=DetectorSpec("judge-simple", ("m",)), model="n")


def test_language_reaches_the_detector() -> None:
    report = check("Es ist so.", "Es ist z. B. so.", language="de")
    assert report[0].example.language == "de"
    assert len(report.sentences) == 1


@pytest.mark.parametrize(
    ("row", "argument", "stated"),
    [
        ({}, None, False),
        ({}, "en", True),
        ({"language": "English"}, None, True),
        ({"language": "eng"}, "de", True),
    ],
)
def test_english_that_is_stated_is_not_looked_at(
    row: dict[str, str], argument: str | None, stated: bool
) -> None:
    rows = [{"source": "Der Hafen ist geschlossen.", "response": "Er ist heute zu.", **row}]
    (result,) = check(rows, language=argument)
    assert result.example.language == "en"
    assert [each.failure is None for each in result.sentences] == [stated]
    if not row:
        (pair,) = check(rows[0]["source"], rows[0]["response"], language=argument)
        assert [each.failure is None for each in pair.sentences] == [stated]


def test_models_are_named_by_argument(server: Loopback) -> None:
    report = check(ROW, detector="judge-simple", model="m")
    assert (report.detector, report.manifest.model) == ("judge-simple m", "m")
    assert report.label == "faithful"
    assert server.calls == 1
    voted = check(ROW, detector="judge-simple", model=["m", "n"])
    assert voted.detector == "vote of 1 x judge-simple m, 1 x judge-simple n"
    (one,) = check_each([ROW], detector="judge-simple", model="m")
    assert one.units == report.units


def test_texts_asked_of_a_model_leave_nothing_behind(
    judge: Judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_STATE", f"{tmp_path}/nowhere")
    report = check("The cat sat.", "It sat.", detector=judge())
    assert report.label == "faithful"
    assert not (tmp_path / "nowhere").exists()


def test_failures_do_not_stop_a_loop_over_results(judge: Judge, server: Loopback) -> None:
    server.answer = lambda body: "I cannot say."
    report = check([ROW, ROW], detector=judge())
    for result in report:
        for finding in result.units:
            assert (finding.label, finding.score, finding.coarse) == (None, None, None)
            assert finding.label != "faithful"
            assert finding.failure is not None
    assert (report.label, report.score, len(report.failures)) == (None, None, 2)
    assert "no verdict" in str(report)
    frame = report.to_pandas()
    assert list(frame["failure"]) == ["parse", "parse"]


def test_report_is_a_data_frame_with_a_row_for_each_unit() -> None:
    frame = check(ROW, detector="overlap").to_pandas()
    assert list(frame["label"]) == ["explicitly-supported", "fabricated"]
    assert list(frame["unit"]) == ["s1", "s2"]
    assert list(frame["coarse"]) == ["faithful", "unfaithful"]
    assert len(check([]).to_pandas()) == 0


def test_report_is_json_and_pages(tmp_path: Path) -> None:
    report = check(ROW, detector="overlap")
    document = report.to_dict()
    assert document["manifest"]["author"]["name"] == "overlap"
    assert assay.open_judgements(_written(tmp_path, report)).by_example().keys() == {"1"}
    assert "It flew." in report.to_html()
    assert "It flew." in report._repr_html_()


def _written(folder: Path, report: Report) -> str:
    path = folder / "report.json"
    path.write_text(report.to_json(), encoding="utf-8")
    return str(path)


def test_acheck_works_inside_a_running_loop_without_blocking_it() -> None:
    async def both() -> tuple[Report, int]:
        ticks = 0
        task = asyncio.create_task(acheck(ROW))
        while not task.done():
            ticks += 1
            await asyncio.sleep(0)
        return task.result(), ticks

    report, ticks = asyncio.run(both())
    assert labels(report) == labels(check(ROW))
    assert ticks > 1


def test_check_works_inside_a_running_loop(judge: Judge) -> None:
    async def inside() -> tuple[Report, Report]:
        return check(ROW), check([ROW], detector=judge())

    offline, asked = asyncio.run(inside())
    assert labels(offline) == labels(check(ROW))
    assert asked.label == "faithful"


def test_many_achecks_run_side_by_side(judge: Judge, server: Loopback) -> None:
    async def many(detector: str | DetectorSpec) -> list[Report]:
        return await asyncio.gather(*(acheck([ROW], detector=detector) for _ in range(6)))

    for detector in ("overlap", judge()):
        reports = asyncio.run(many(detector))
        assert len(reports) == 6
        assert len({str(report) for report in reports}) == 1


@pytest.mark.parametrize("rows", [(ROW["source"], ROW["response"]), ([ROW] * 40,)])
def test_cancelled_acheck_cancels_calls_under_way(
    rows: tuple[object, ...], judge: Judge, server: Loopback
) -> None:
    server.delay = 30

    async def cancelled() -> None:
        work = asyncio.create_task(acheck(*rows, detector=judge()))  # type: ignore[arg-type]
        while not server.under_way:
            await asyncio.sleep(0.01)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        while server.under_way:  # the server notices a moment later that nobody waits
            await asyncio.sleep(0.01)

    asyncio.run(cancelled())
    asked = server.calls
    server.delay = 0
    assert check(*rows, detector=judge()).label == "faithful"  # type: ignore[arg-type]
    assert server.calls > asked


def test_loop_goes_on_after_an_acheck_was_cancelled(judge: Judge, server: Loopback) -> None:
    server.delay = 30

    async def main() -> str:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(acheck([ROW], detector=judge()), 0.3)
        await asyncio.sleep(0.05)
        return "went on"

    assert asyncio.run(main()) == "went on"


def test_check_each_is_lazy() -> None:
    taken: list[int] = []

    def rows() -> Iterator[dict[str, str]]:
        for number in range(1_000):
            taken.append(number)
            yield ROW

    results = check_each(rows())
    assert taken == []
    assert next(results).id == "1"
    assert len(taken) < 10
    results.close()  # type: ignore[attr-defined]
    assert len(taken) < 100


def test_check_each_asks_a_model_about_some_rows_at_a_time(
    judge: Judge, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "AT_ONCE", 4)
    taken: list[int] = []

    def rows() -> Iterator[dict[str, str]]:
        for number in range(10):
            taken.append(number)
            yield {**ROW, "id": f"ex{number}", "response": f"Cat {number} sat."}

    results = check_each(rows(), detector=judge())
    assert next(results).id == "ex0"
    assert (len(taken), server.calls) == (4, 4)
    assert [each.id for each in results] == [f"ex{number}" for number in range(1, 10)]
    assert (len(taken), server.calls) == (10, 10)


def test_check_each_gives_what_check_gives(make_example: Callable[..., Example]) -> None:
    examples = [make_example(id="a"), make_example(response="It flew.", id="b")]
    said = [(each.example, each.units) for each in check_each(examples)]
    assert said == [(each.example, each.units) for each in check(examples)]


@settings(max_examples=100)
@given(TEXT, TEXT)
def test_every_sentence_and_its_evidence_quote_their_texts(source: str, response: str) -> None:
    sentences = check(source, response).sentences
    assert sentences
    for each in sentences:
        assert response[each.unit.start : each.unit.end] == each.text
        for span in each.evidence:
            assert source[span.start : span.end] == span.text


@settings(max_examples=100)
@given(TEXT)
def test_text_is_faithful_to_itself_or_states_nothing(text: str) -> None:
    report = check(text, text, detector="overlap")
    assert {each.coarse for each in report.units} <= {"faithful", "no-fact"}
