"""The spans of checks: where they stand in a program's trace, and what they tell."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay
from tests.cli.loopback import Loopback
from tests.tracing import Spans, attributes, events, is_below

SOURCE, RESPONSE = (
    "Ada was born in 1815 in London.",
    "Ada was born in 1852. She was born in London.",
)
RESULT = "gen_ai.evaluation.result"
ROWS = [{"id": f"row-{n}", "source": f"{n}. {SOURCE}", "response": RESPONSE} for n in range(3)]


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Spans:
    return Spans(monkeypatch)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Loopback]:
    """A model's server that everything asks here."""
    server = Loopback()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    yield server
    server.close()


def test_check_stands_below_the_span_of_its_caller(spans: Spans) -> None:
    with spans.tracer.start_as_current_span("request"):
        assay.check(SOURCE, RESPONSE, detector="overlap")
    assert is_below(spans.one("check overlap"), spans.one("request"))
    assert is_below(spans.one("evaluate overlap"), spans.one("check overlap"))


def test_awaited_checks_at_once_stand_each_below_their_own_caller(spans: Spans) -> None:
    async def caller(name: str) -> None:
        with spans.tracer.start_as_current_span(name):
            await assay.acheck(SOURCE, RESPONSE, detector="overlap")

    async def both() -> None:
        await asyncio.gather(caller("first"), caller("second"))

    asyncio.run(both())
    checks = spans.named("check overlap")
    for name in ("first", "second"):
        assert sum(is_below(each, spans.one(name)) for each in checks) == 1


def test_result_of_the_response_comes_before_those_of_its_sentences(spans: Spans) -> None:
    report = assay.check(SOURCE, RESPONSE, detector="overlap")
    found = events(spans.one("evaluate overlap"), RESULT)
    assert [each["assay.unit.id"] for each in found] == ["response", "s1", "s2"]
    assert {each["gen_ai.evaluation.name"] for each in found} == {"faithfulness"}
    for each, finding in zip(found[1:], report.sentences, strict=True):
        assert each["gen_ai.evaluation.score.value"] == finding.score
        assert each["gen_ai.evaluation.score.label"] == finding.coarse
        assert each["assay.label"] == str(finding.label)


def test_span_of_a_response_has_its_result_and_its_id(spans: Spans) -> None:
    results = list(assay.check_each(ROWS, detector="overlap"))
    found = [attributes(each) for each in spans.named("evaluate overlap")]
    assert [each["assay.example.id"] for each in found] == ["row-0", "row-1", "row-2"]
    assert found[0]["gen_ai.evaluation.score.label"] == results[0].coarse
    assert attributes(spans.one("check overlap"))["assay.examples"] == 3


def test_texts_are_recorded_only_where_asked_for(
    spans: Spans, monkeypatch: pytest.MonkeyPatch
) -> None:
    assay.check(SOURCE, RESPONSE, detector="overlap")
    assert "Ada" not in spans.everything
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    report = assay.check(SOURCE, RESPONSE, detector="overlap")
    found = events(spans.named("evaluate overlap")[1], RESULT)
    assert found[1]["assay.unit.text"] == "Ada was born in 1852."
    assert found[1]["gen_ai.evaluation.explanation"] == report.sentences[0].note


def test_caller_who_has_enough_is_no_error(spans: Spans) -> None:
    for _ in assay.check_each(ROWS, detector="overlap"):
        break
    found = attributes(spans.one("check overlap"))
    assert "error.type" not in found
    assert found["assay.cancelled"] is True


def test_calls_of_a_journaled_check_stand_below_it(spans: Spans, model: Loopback) -> None:
    with spans.tracer.start_as_current_span("request"):
        assay.check(ROWS, detector="judge-simple", model="m")
    whole = spans.one("check judge-simple")
    assert is_below(whole, spans.one("request"))
    calls = spans.named("chat m")
    assert len(calls) == model.calls > 0
    assert all(is_below(each, whole) for each in calls)
    assert len(spans.named("evaluate judge-simple")) == 3


def test_unit_without_a_verdict_says_why(spans: Spans, model: Loopback) -> None:
    model.answer = lambda body: "I would rather not."
    assay.check(SOURCE, RESPONSE, detector="judge-simple", model="m")
    found = events(spans.one("evaluate judge-simple"), RESULT)
    assert found[0]["error.type"] == "parse"
    assert "gen_ai.evaluation.score.label" not in found[0]


def test_check_that_cannot_go_on_is_an_error(spans: Spans, model: Loopback) -> None:
    model.status = 401
    with pytest.raises(assay.ServiceError):
        assay.check(ROWS, detector="judge-simple", model="m")
    assert attributes(spans.one("check judge-simple"))["error.type"] == "bad-key"
    assert "a-key" not in spans.everything


def test_texts_of_calls_are_recorded_as_messages(
    spans: Spans, model: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    assay.check(SOURCE, RESPONSE, detector="judge-simple", model="m")
    assert "Ada" not in spans.everything
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_ONLY")
    assay.check(SOURCE, RESPONSE, detector="judge-simple", model="m")
    call = attributes(spans.named("chat m")[-1])
    (said,) = json.loads(str(call["gen_ai.output.messages"]))
    assert said["role"] == "assistant"
    assert said["parts"][0]["type"] == "text"
    assert "Ada was born" in str(call["gen_ai.input.messages"])
