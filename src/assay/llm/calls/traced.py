"""A span for each call of a model, by OpenTelemetry's conventions for generative AI.

A call is one question with all its attempts: these are events in it. What is taken from a cache is
marked, and counts no tokens.
"""

import json
from typing import Final
from urllib.parse import urlsplit

from assay.core.system.traces import Attributes, CallRecord, Value, find_tracer, records_texts
from assay.llm.client import Finish, ModelClient, Reply, Request, Wrapper
from assay.llm.settings.options import Endpoint, Parameters

# Our names of providers where OpenTelemetry has others.
_PROVIDERS: Final = {
    "azure": "azure.ai.openai",
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
    "xai": "x_ai",
    "": "openai",  # any server that speaks its protocol
}
_PORTS: Final = {"http": 80, "https": 443}
_FINISHES: Final[dict[Finish, str]] = {"filter": "content_filter"}


class Traced(Wrapper):
    """Records each call, if somebody receives spans."""

    def __init__(self, client: ModelClient, endpoint: Endpoint, parameters: Parameters) -> None:
        super().__init__(client)
        self._name = f"chat {endpoint.model}"
        self._asked = _call(endpoint, parameters)

    async def ask(self, request: Request) -> Reply:
        """Asks within a span."""
        tracer = find_tracer()
        if tracer is None:
            return await self.client.ask(request)
        with CallRecord(tracer, self._name, {**self._asked, **_request(request)}) as record:
            reply = await self.client.ask(request)
            record.set(_reply(reply))
            return reply


def _call(endpoint: Endpoint, parameters: Parameters) -> Attributes:
    address = urlsplit(endpoint.base_url)
    found: dict[str, Value | None] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _PROVIDERS.get(endpoint.provider, endpoint.provider),
        "gen_ai.request.model": endpoint.model,
        "gen_ai.request.temperature": parameters.temperature,
        "gen_ai.request.max_tokens": parameters.max_tokens,
        "gen_ai.request.seed": parameters.seed,
        "server.address": address.hostname,
        "server.port": address.port or _PORTS.get(address.scheme),
    }
    return {name: value for name, value in found.items() if value is not None}


def _request(request: Request) -> Attributes:
    found: dict[str, Value] = {"gen_ai.output.type": "json"} if request.schema else {}
    if records_texts():
        said = [_message(each.role, each.content) for each in request.messages]
        found["gen_ai.input.messages"] = json.dumps(said)
    return found


def _reply(reply: Reply) -> Attributes:
    finish = _FINISHES.get(reply.finish, reply.finish)
    found: dict[str, Value] = {"gen_ai.response.finish_reasons": [finish]}
    if reply.cached:
        found["assay.cache.hit"] = True
    elif not reply.usage.estimated:
        found["gen_ai.usage.input_tokens"] = reply.usage.prompt
        found["gen_ai.usage.output_tokens"] = reply.usage.completion
    if records_texts():
        found["gen_ai.output.messages"] = json.dumps([_message("assistant", reply.text)])
    return found


def _message(role: str, text: str) -> dict[str, object]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}
