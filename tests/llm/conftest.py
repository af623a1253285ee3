"""A server full of faults, and clients to ask it; no call in a test may take for ever."""

import asyncio
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

import pytest

from assay.llm.calls.http import HttpClient
from assay.llm.client import Message, ModelClient, Reply, Request
from assay.llm.settings.options import Endpoint, Parameters
from tests.llm.fault_server import FaultServer

T = TypeVar("T")

HARD_LIMIT = 20.0  # seconds; only a call that hangs takes so long
SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}, "required": ["verdict"]}
QUESTION = Request((Message("user", "Is it so?"),))
JSON_QUESTION = Request((Message("user", "Is it so? Reply with JSON."),), schema=SCHEMA)


def finish(work: Coroutine[Any, Any, T]) -> T:
    """The result of the work, which must not hang."""

    async def limited() -> T:
        async with asyncio.timeout(HARD_LIMIT):
            return await work

    return asyncio.run(limited())


async def ask_inside(client: ModelClient, request: Request = QUESTION) -> Reply:
    """The reply, over a connection that is opened and closed."""
    async with client:
        return await client.ask(request)


def ask(client: ModelClient, request: Request = QUESTION) -> Reply:
    """The same without a running loop."""
    return finish(ask_inside(client, request))


def client_at(address: str, *, key: str = "", timeout: float = 5.0, **how: Any) -> HttpClient:
    """A client for a model at an address of the fault server."""
    endpoint = Endpoint("here/m", "m", address, key=key, key_env="HERE_API_KEY")
    return HttpClient(endpoint, Parameters(**how), timeout=timeout)


@pytest.fixture(scope="session")
def faults() -> Iterator[FaultServer]:
    """A server that can go wrong in every way."""
    server = FaultServer()
    yield server
    server.close()
