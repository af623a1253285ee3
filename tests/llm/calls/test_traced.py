"""The span of a call: what was asked of which model, its attempts, its tokens, its error."""

import asyncio
from pathlib import Path

import pytest
from opentelemetry.trace import SpanKind

from assay.llm.calls.retry import Retrying
from assay.llm.calls.traced import Traced
from assay.llm.client import CallError, Line, Message, Request, Scripted
from assay.llm.connection import Connection, connect
from assay.llm.settings.options import Endpoint, Options, Parameters
from tests.llm.conftest import QUESTION, ask, finish
from tests.llm.fault_server import FaultServer
from tests.tracing import Spans, attributes, events

LOST = CallError("transport", "lost", worth_retrying=True)
ENDPOINT = Endpoint("mistral/small", "small", "https://example.org/v1", provider="mistral")


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Spans:
    return Spans(monkeypatch)


def connected(server: FaultServer, *script: str, **options: object) -> Connection:
    given = Options(base_url=server.address(*script), **options)  # type: ignore[arg-type]
    return connect("m", given, environ={"OPENAI_API_KEY": "sk-1", "XDG_CONFIG_HOME": "nowhere"})


def test_call_says_what_was_asked_of_which_model(spans: Spans, faults: FaultServer) -> None:
    reply = ask(connected(faults, "named", max_tokens=50, temperature=0.5))
    span = spans.one("chat m")
    found = attributes(span)
    assert span.kind is SpanKind.CLIENT
    assert found["gen_ai.operation.name"] == "chat"
    assert found["gen_ai.provider.name"] == "openai"
    assert found["gen_ai.request.model"] == "m"
    assert (found["gen_ai.request.temperature"], found["gen_ai.request.max_tokens"]) == (0.5, 50)
    assert (found["server.address"], found["server.port"]) == ("127.0.0.1", faults.port)
    assert found["gen_ai.usage.input_tokens"] == reply.usage.prompt
    assert found["gen_ai.usage.output_tokens"] == reply.usage.completion
    assert found["gen_ai.response.finish_reasons"] == ("stop",)
    assert found["gen_ai.response.model"] == "m-2026-11-01"
    assert found["gen_ai.response.id"] == "reply-1"
    assert "sk-1" not in spans.everything


def test_attempts_are_events_of_one_call(spans: Spans) -> None:
    client = Retrying(Scripted([LOST, LOST, "yes"]), base=0.001)
    ask(Traced(client, ENDPOINT, Parameters()))
    found = events(spans.one("chat small"), "assay.retry")
    assert [each["assay.retry.attempt"] for each in found] == [1, 2]
    assert {each["error.type"] for each in found} == {"transport"}


def test_call_without_a_reply_has_its_reason(spans: Spans) -> None:
    client = Retrying(Scripted([LOST] * 2), attempts=2, base=0.001)
    with pytest.raises(CallError):
        ask(Traced(client, ENDPOINT, Parameters()))
    assert attributes(spans.one("chat small"))["error.type"] == "transport"


def test_reply_from_the_cache_is_marked_and_counts_no_tokens(
    spans: Spans, faults: FaultServer, tmp_path: Path
) -> None:
    client = connected(faults, "named", cache=str(tmp_path / "replies.db"))
    ask(client)
    ask(client)
    first, second = map(attributes, spans.named("chat m"))
    assert "assay.cache.hit" not in first
    assert second["assay.cache.hit"] is True
    assert "gen_ai.usage.input_tokens" not in second


def test_calls_at_once_do_not_share_their_events(spans: Spans) -> None:
    async def both() -> None:
        scripts: tuple[list[Line], ...] = ([LOST, "yes"], ["yes"])
        clients = [Retrying(Scripted(script), base=0.01) for script in scripts]
        traced = [Traced(client, ENDPOINT, Parameters()) for client in clients]
        await asyncio.gather(*(client.ask(QUESTION) for client in traced))

    finish(both())
    retried = [len(events(each, "assay.retry")) for each in spans.named("chat small")]
    assert sorted(retried) == [0, 1]


def test_provider_has_the_name_that_opentelemetry_gives_it(spans: Spans) -> None:
    ask(Traced(Scripted(["yes"]), ENDPOINT, Parameters(temperature=None)))
    found = attributes(spans.one("chat small"))
    assert found["gen_ai.provider.name"] == "mistral_ai"
    assert found["server.port"] == 443
    assert "gen_ai.request.temperature" not in found


def test_format_of_the_reply_is_named(spans: Spans) -> None:
    request = Request((Message("user", "So?"),), schema={"type": "object"})
    ask(Traced(Scripted(["{}"]), ENDPOINT, Parameters()), request)
    assert attributes(spans.one("chat small"))["gen_ai.output.type"] == "json"
