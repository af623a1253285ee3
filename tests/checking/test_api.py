"""`check` from Python."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import Columns, acheck, check, check_each
from assay.core import Example, InputError, UnknownNameError, Verdict
from assay.detectors import Detector, load_detector
from assay.llm.client import CallError, Reply, Request, Usage, Wrapper
from assay.llm.limits import Concurrent
from assay.llm.scripted import Line, Scripted

ROW = {"source": "The cat sat.", "response": "The cat sat. It flew."}
TEXT = st.text(min_size=1).filter(lambda text: text.strip() and "\x00" not in text)


class Slow(Wrapper):
    """A client that takes its time."""

    def __init__(self, answer: Callable[[Request], Awaitable[Reply]]) -> None:
        super().__init__(Scripted([]))
        self._answer = answer

    async def ask(self, request: Request) -> Reply:
        return await self._answer(request)


def labels(report: assay.checking.Report) -> list[str]:
    return [str(each.label) for each in report.sentences if isinstance(each, Verdict)]


def test_two_texts_give_a_report_on_one_response() -> None:
    question = "What did it do?"
    report = check("The cat sat.", "The cat sat. It flew.", question, detector="overlap")
    assert labels(report) == ["explicitly-supported", "fabricated"]
    assert report[0].example.question == "What did it do?"


@pytest.mark.parametrize(
    "source", [["The cat", "sat."], {"who": "the cat", "what": "sat"}], ids=["list", "object"]
)
def test_source_may_be_structured(source: object) -> None:
    assert labels(check(source, "It sat.")) == ["explicitly-supported"]


@pytest.mark.parametrize(
    "rows",
    [ROW, [ROW], pd.DataFrame([ROW]), pd.Series(ROW), iter([ROW])],
    ids=lambda x: type(x).__name__,
)
def test_first_argument_alone_may_be_rows_of_any_kind(rows: object) -> None:
    report = check(rows, detector="overlap")
    assert len(report) == 1
    assert labels(report) == ["explicitly-supported", "fabricated"]


def test_columns_name_the_users_own_fields() -> None:
    row = {"article": "The cat sat.", "text": "It sat."}
    report = check(row, columns=Columns(source="article", response="text"))
    assert report[0].example.source.text == "The cat sat."


def test_no_rows_give_an_empty_report() -> None:
    assert len(check([])) == 0


def test_text_without_a_response_raises() -> None:
    with pytest.raises(InputError, match="the response is missing: check"):
        check("The cat sat.")


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


def test_detector_may_be_a_name_or_an_object(scripted: Callable[..., Detector]) -> None:
    judge = scripted(lambda unit: Verdict(unit, score=0.5), name="mine")
    assert check(ROW, detector=judge).detector == "mine"
    assert check(ROW, detector="overlap").detector == "overlap"
    with pytest.raises(UnknownNameError, match="Did you mean 'overlap'"):
        check(ROW, detector="overlp")


def test_language_reaches_the_detector(scripted: Callable[..., Detector]) -> None:
    report = check("Es ist so.", "Es ist z. B. so.", language="de")
    assert report[0].example.language == "de"
    assert len(report.sentences) == 1


def test_acheck_works_inside_a_running_loop_without_blocking_it() -> None:
    async def both() -> tuple[assay.checking.Report, int]:
        ticks = 0
        task = asyncio.create_task(acheck(ROW))
        while not task.done():
            ticks += 1
            await asyncio.sleep(0)
        return task.result(), ticks

    report, ticks = asyncio.run(both())
    assert labels(report) == labels(check(ROW))
    assert ticks > 1


def test_cancelled_acheck_calls_off_what_is_left() -> None:
    asked = []

    async def slowly(request: Request) -> Reply:
        asked.append(request)
        await asyncio.sleep(0.02)
        return Reply('{"reason": "", "label": "faithful"}', Usage(1, 1))

    client = Concurrent(Slow(slowly), 1)
    judge = load_detector("judge-simple", client)

    async def cancelled() -> None:
        task = asyncio.create_task(acheck([ROW] * 100, detector=judge))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    time.sleep(0.2)
    so_far = len(asked)
    time.sleep(0.2)
    assert len(asked) == so_far < 100


def test_many_achecks_run_side_by_side() -> None:
    async def many() -> list[assay.checking.Report]:
        return await asyncio.gather(*(acheck(ROW) for _ in range(8)))

    assert {report.to_json() for report in asyncio.run(many())} == {check(ROW).to_json()}


def test_check_each_is_lazy() -> None:
    taken: list[int] = []

    def rows() -> Iterator[dict[str, str]]:
        for number in range(1_000):
            taken.append(number)
            yield ROW

    results = check_each(rows())
    assert taken == []
    assert next(results).id == "1"
    assert taken == [0]


def test_check_each_gives_what_check_gives(make_example: Callable[..., Example]) -> None:
    examples = [make_example(id="a"), make_example(response="It flew.", id="b")]
    one_by_one = [each.to_dict() for each in check_each(examples)]
    assert one_by_one == check(examples).to_dict()["examples"]


@settings(max_examples=200)
@given(TEXT, TEXT)
def test_every_sentence_and_its_evidence_quote_their_texts(source: str, response: str) -> None:
    (example,) = check(source, response).to_dict()["examples"]
    assert example["sentences"]
    for sentence in example["sentences"]:
        assert response[sentence["start"] : sentence["end"]] == sentence["text"]
        for span in sentence["evidence"]:
            assert source[span["start"] : span["end"]] == span["text"]


@settings(max_examples=200)
@given(TEXT)
def test_text_is_faithful_to_itself_or_states_nothing(text: str) -> None:
    report = check(text, text, detector="overlap")
    found = {each.label.coarse for each in report[0].judgement.verdicts if each.label}
    assert found <= {"faithful", "no-fact"}


def test_model_is_for_detectors_that_ask_one(scripted: Callable[..., Detector]) -> None:
    with pytest.raises(InputError, match="asks no model; leave out --model"):
        check(ROW, detector="overlap", model="m")
    loaded = scripted(lambda unit: Verdict(unit, score=0.5), name="mine")
    with pytest.raises(InputError, match="'mine' is loaded already; leave out the model"):
        check(ROW, detector=loaded, model="m")


def test_loaded_judge_is_checked_with() -> None:
    reply = '{"reason": "as it says", "label": "faithful"}'
    judge = load_detector("judge-simple", Scripted(lambda request: reply, "m"))
    report = check(ROW, detector=judge)
    (outcome,) = report.units
    assert isinstance(outcome, Verdict)
    assert (str(outcome.label), report.unit_kind) == ("faithful", "response")
    assert next(check_each([ROW], detector=judge)).units == report.units
    assert asyncio.run(acheck(ROW, detector=judge)).units == report.units


def test_spent_budget_leaves_failures_for_the_rest() -> None:
    lines: list[Line] = ['{"reason": "as it says", "label": "faithful"}'] * 2
    spent = CallError("budget", "it is used up")
    client = Scripted(lambda request: lines.pop() if lines else spent)
    rows = [{**ROW, "id": str(n)} for n in range(5)]
    report = check(rows, detector=load_detector("judge-simple", client))
    assert [failure.reason for failure in report.failures] == ["budget"] * 3
    assert len(report) == 5
