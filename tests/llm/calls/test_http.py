"""The client over HTTP: what it sends, what it reads, its connections, and hosts out of reach."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest
from aiohttp import web

from assay.core.errors import InputError, ServiceError
from assay.core.system import bridge
from assay.llm.client import CallError, Message, Reply, Request, Usage
from tests.llm.conftest import (
    QUESTION,
    SCHEMA,
    ask,
    ask_inside,
    client_at,
    finish,
)
from tests.llm.fault_server import FaultServer
from tests.llm.faults import GOOD


def reply_of(faults: FaultServer, fault: str) -> Reply:
    """What is read of one answer."""
    return ask(client_at(faults.address(fault)))


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port on which nobody listens, kept so that nobody else takes it."""
    with closing(socket.socket()) as kept:
        kept.bind(("127.0.0.1", 0))
        yield kept.getsockname()[1]


@pytest.fixture
def full_port() -> Iterator[int]:
    """A port that lets nobody in any more: its queue is full and nobody takes from it."""
    with closing(socket.socket()) as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(server.getsockname())
        yield server.getsockname()[1]
        for each in waiting:
            each.close()


# What is sent


def test_a_request_holds_the_model_the_messages_and_the_settings(faults: FaultServer) -> None:
    address = faults.address("ok")
    client = client_at(address, key="sk-0123456789", max_tokens=7, seed=40, logprobs=True)
    messages = (Message("system", "Judge."), Message("user", "Is it só?"))
    ask(client, Request(messages, schema=SCHEMA, sample=2))
    wanted = {"name": "reply", "strict": True, "schema": SCHEMA}
    assert faults.bodies(address) == [
        {
            "model": "m",
            "messages": [
                {"role": "system", "content": "Judge."},
                {"role": "user", "content": "Is it só?"},
            ],
            "max_tokens": 7,
            "temperature": 0.0,
            "seed": 42,
            "logprobs": True,
            "response_format": {"type": "json_schema", "json_schema": wanted},
        }
    ]
    assert faults.key(address) == "Bearer sk-0123456789"


def test_server_is_named_before_the_first_call_and_once(
    faults: FaultServer, caplog: pytest.LogCaptureFixture
) -> None:
    address = faults.address("ok")
    client = client_at(address, key="sk-0123456789")
    with caplog.at_level("INFO", "assay"):
        ask(client)
        ask(client)
    assert caplog.messages == [f"texts go to {address} (model m)"]


def test_what_is_left_open_is_not_sent(faults: FaultServer) -> None:
    address = faults.address("ok")
    ask(client_at(address, temperature=None))
    assert set(faults.bodies(address)[0]) == {"model", "messages", "max_tokens"}
    assert faults.key(address) == ""


def test_it_describes_all_that_changes_its_answers_but_the_key(faults: FaultServer) -> None:
    client = client_at("http://127.0.0.1:1/v1", key="sk-0123456789", seed=3)
    assert client.model == "here/m"
    assert client.describe() == {
        "model": "m",
        "base_url": "http://127.0.0.1:1/v1",
        "temperature": 0.0,
        "max_tokens": 4096,
        "seed": 3,
        "logprobs": False,
    }
    thinking = client_at("http://127.0.0.1:1/v1", reasoning_effort="low").describe()
    assert thinking["reasoning_effort"] == "low"  # another question to a cache and a journal


def test_effort_is_sent_as_servers_take_it(faults: FaultServer) -> None:
    address = faults.address("ok")
    ask(client_at(address, reasoning_effort="minimal"))
    assert faults.bodies(address)[0]["reasoning_effort"] == "minimal"


def test_an_address_with_a_slash_at_its_end_or_a_query_is_the_same(faults: FaultServer) -> None:
    address = faults.address("ok")
    ask(client_at(address + "/"))
    ask(client_at(address + "?api-version=1"))
    assert len(faults.bodies(address)) == 2


@pytest.mark.parametrize("address", ["", "localhost:8080/v1", "ftp://host/v1", "http://", "/v1"])
def test_an_address_that_cannot_be_one_is_refused(address: str) -> None:
    with pytest.raises(InputError, match="must begin with http:// or https://"):
        client_at(address)


def test_a_password_in_the_address_is_refused_and_not_shown() -> None:
    with pytest.raises(InputError, match="must not contain a user name or password") as caught:
        client_at("https://me:hunter22@host/v1")
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-01234\n", "sk 01234", "schlüssel"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(InputError, match="HERE_API_KEY contains") as caught:
        client_at("http://127.0.0.1:1/v1", key=key)
    assert key not in str(caught.value)


def test_a_timeout_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="more than 0"):
        client_at("http://127.0.0.1:1/v1", timeout=0)


# What is read


def test_a_usual_reply(faults: FaultServer) -> None:
    assert reply_of(faults, "ok") == Reply(GOOD, Usage(12, 5), "stop")


def test_a_reply_in_parts_is_joined_without_its_thoughts(faults: FaultServer) -> None:
    assert reply_of(faults, "parts").text == "ab"


def test_a_reply_of_thoughts_alone_is_empty(faults: FaultServer) -> None:
    assert reply_of(faults, "nothing").text == ""


def test_a_refusal_is_kept_apart_from_the_text(faults: FaultServer) -> None:
    reply = reply_of(faults, "refusal")
    assert (reply.text, reply.refusal) == ("", "I cannot help with that.")


@pytest.mark.parametrize("finish_reason", ["length", "filter"])
def test_why_a_reply_ends_is_read(faults: FaultServer, finish_reason: str) -> None:
    assert reply_of(faults, finish_reason).finish == finish_reason


def test_tokens_that_the_server_did_not_count_are_estimated(faults: FaultServer) -> None:
    usage = reply_of(faults, "no usage").usage
    assert usage.estimated
    assert (usage.prompt > 0, usage.completion) == (True, 4)  # 18 characters, 4 to a token


def test_thoughts_that_are_only_in_the_total_are_counted(faults: FaultServer) -> None:
    assert reply_of(faults, "thoughts").usage == Usage(10, 85)  # 95 in all, less 10 asked


def test_half_a_character_is_replaced_so_that_the_text_can_be_stored(faults: FaultServer) -> None:
    assert reply_of(faults, "half a character").text == "a\ufffdb"


# Connections


def test_entries_may_be_nested_and_the_connection_is_kept(faults: FaultServer) -> None:
    address = faults.address("500", "ok")
    client = client_at(address)

    async def nested() -> list[str]:
        async with client:
            with pytest.raises(CallError):
                await ask_inside(client)
            return [(await ask_inside(client)).text, (await client.ask(QUESTION)).text]

    assert finish(nested()) == [GOOD, GOOD]
    assert faults.connections(address) == 1


def test_many_tasks_use_one_client_at_once(faults: FaultServer) -> None:
    client = client_at(faults.address("late"))

    async def many() -> list[Reply]:
        return await asyncio.gather(*(ask_inside(client) for _ in range(50)))

    assert len(finish(many())) == 50


def test_asked_outside_of_a_connection_it_makes_one(faults: FaultServer) -> None:
    assert finish(client_at(faults.address("ok")).ask(QUESTION)).text == GOOD


def test_a_client_serves_one_loop_after_the_other(faults: FaultServer) -> None:
    client = client_at(faults.address("ok"))
    assert ask(client) == ask(client)


def test_a_client_that_is_open_in_another_loop_says_so(faults: FaultServer) -> None:
    client = client_at(faults.address("ok"))

    async def elsewhere() -> None:
        async with client:
            with pytest.raises(InputError, match="another event loop"):
                await asyncio.to_thread(ask, client)
            with pytest.raises(InputError, match="another event loop"):
                await asyncio.to_thread(finish, client.ask(QUESTION))

    finish(elsewhere())


def test_a_cancelled_call_ends_at_once_and_leaves_the_client_whole(faults: FaultServer) -> None:
    client = client_at(faults.address("silent", "ok"))

    async def cancelled() -> Reply:
        async with client:
            call = asyncio.create_task(client.ask(QUESTION))
            await asyncio.sleep(0.1)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            return await client.ask(QUESTION)

    assert finish(cancelled()).text == GOOD


# Out of reach


def test_a_host_where_nobody_listens_ends_the_command_at_once(closed_port: int) -> None:
    with pytest.raises(ServiceError, match=r"cannot reach 127.0.0.1:\d+: .+; check the base URL"):
        ask(client_at(f"http://127.0.0.1:{closed_port}/v1"))


def test_a_host_that_does_not_exist_ends_the_command_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("http_proxy", raising=False)
    monkeypatch.delenv("HTTP_PROXY", raising=False)
    with pytest.raises(ServiceError, match="no host of that name"):
        ask(client_at("http://no-such-host.invalid/v1"))


def test_a_host_that_lets_nobody_in_ends_the_command_after_the_timeout(full_port: int) -> None:
    with pytest.raises(ServiceError, match="no connection in time"):
        ask(client_at(f"http://127.0.0.1:{full_port}/v1", timeout=0.3))


def test_https_where_http_is_spoken_says_so(faults: FaultServer) -> None:
    address = faults.address("ok").replace("http://", "https://")
    with pytest.raises(ServiceError, match=r"no secure connection .* http or https"):
        ask(client_at(address))


def test_a_server_that_goes_away_is_worth_waiting_for() -> None:
    async def gone() -> CallError:
        runner = web.AppRunner(web.Application(), shutdown_timeout=0.1)
        runner.app.router.add_post("/v1/chat/completions", _good)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        client = client_at(f"http://127.0.0.1:{runner.addresses[0][1]}/v1")
        await client.ask(QUESTION)
        await runner.cleanup()
        with pytest.raises(CallError) as caught:
            await client.ask(QUESTION)
        return caught.value

    failure = finish(gone())
    assert (failure.worth_retrying, failure.maybe_charged) == (True, False)
    assert "cannot reach" in failure.detail


async def _good(_: web.Request) -> web.Response:
    return web.json_response({"choices": [{"message": {"content": GOOD}}]})


# Proxies


def test_the_proxy_of_the_environment_is_used_but_not_to_this_machine(
    faults: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    async def forward(request: web.BaseRequest) -> web.Response:
        seen.append(request.headers["Host"])
        return web.json_response({"choices": [{"message": {"content": "by proxy"}}]})

    async def both() -> list[str]:
        runner = web.ServerRunner(web.Server(forward), shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        monkeypatch.setenv("http_proxy", f"127.0.0.1:{runner.addresses[0][1]}")
        far = await client_at("http://models.invalid/v1").ask(QUESTION)
        near = await client_at(faults.address("ok")).ask(QUESTION)
        await runner.cleanup()
        return [far.text, near.text]

    assert finish(both()) == ["by proxy", GOOD]
    assert seen == ["models.invalid"]


def test_a_proxy_of_another_kind_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "socks5://me:hunter22@127.0.0.1:1")
    with pytest.raises(InputError, match="names a socks5 proxy") as caught:
        client_at("http://models.invalid/v1")
    assert "hunter22" not in str(caught.value)


def test_a_proxy_that_is_away_is_named(monkeypatch: pytest.MonkeyPatch, closed_port: int) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{closed_port}")
    with pytest.raises(ServiceError, match="the proxy set in the environment does not answer"):
        ask(client_at("http://models.invalid/v1"))


def test_a_call_over_the_bridge_works_inside_a_running_loop(faults: FaultServer) -> None:
    async def web_application() -> str:
        return bridge.run(ask_inside(client_at(faults.address("late")))).text

    assert asyncio.run(web_application()) == GOOD
