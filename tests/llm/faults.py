"""All the ways in which a model's server can answer."""

import asyncio
import json
import socket
import struct
import time
from collections.abc import Awaitable, Callable
from email.utils import formatdate
from typing import Any

from aiohttp import web

Body = dict[str, Any]
Fault = Callable[[web.Request, Body], Awaitable[web.StreamResponse]]

HTML = "<!DOCTYPE html><html><body>Welcome</body></html>"
GOOD = '{"verdict": "faithful"}'


def reply(text: object = GOOD, finish: str = "stop", **message: object) -> Body:
    """The body of a usual answer."""
    spoken = {"role": "assistant", "content": text, **message}
    usage = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}
    return {"choices": [{"index": 0, "message": spoken, "finish_reason": finish}], "usage": usage}


def error(message: str, **more: object) -> Body:
    """The body of a usual error."""
    return {"error": {"message": message, **more}}


def sends(body: object, status: int = 200, **headers: str) -> Fault:
    """Always the same JSON."""

    async def answer(_: web.Request, __: Body) -> web.Response:
        return web.json_response(body, status=status, headers=headers)

    return answer


def sends_text(
    text: str, status: int = 200, kind: str = "text/html", headers: dict[str, str] | None = None
) -> Fault:
    """Always the same text, whatever it is said to be."""

    async def answer(_: web.Request, __: Body) -> web.Response:
        return web.Response(text=text, status=status, content_type=kind, headers=headers)

    return answer


def unless(wrong: Callable[[Body], object], complaint: object, status: int = 400) -> Fault:
    """Complains about some requests and answers the others."""

    async def answer(_: web.Request, body: Body) -> web.Response:
        if wrong(body):
            return web.json_response(complaint, status=status)
        return web.json_response(reply())

    return answer


def format_of(body: Body) -> str:
    """The type of the response format that was asked for."""
    return str(body.get("response_format", {}).get("type", ""))


async def late(_: web.Request, __: Body) -> web.Response:
    """A good reply after a while."""
    await asyncio.sleep(0.3)
    return web.json_response(reply())


async def silent(_: web.Request, __: Body) -> web.Response:
    """Takes the request and says nothing."""
    await asyncio.sleep(3600)
    raise AssertionError("nobody waits so long")


async def half_headers(request: web.Request, _: Body) -> web.Response:
    """Stops in the middle of the headers."""
    assert request.transport is not None
    request.transport.write(b"HTTP/1.1 200 OK\r\nContent-Ty")
    return await silent(request, _)


async def begun(request: web.Request, length: int | None = None) -> web.StreamResponse:
    """An answer of which the first bytes are sent."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.content_length = length
    await response.prepare(request)
    await response.write(b'{"choices": [')
    return response


async def reset(request: web.Request, _: Body) -> web.StreamResponse:
    """Resets the connection in the middle of the body."""
    response = await begun(request, 1000)
    await asyncio.sleep(0.02)
    transport = request.transport
    assert transport is not None
    linger = struct.pack("ii", 1, 0)
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    transport.abort()
    return response


async def cut(request: web.Request, _: Body) -> web.StreamResponse:
    """Promises more than it sends, and closes in good order."""
    response = await begun(request, 1000)
    assert request.transport is not None
    request.transport.close()
    return response


async def hung_up(request: web.Request, _: Body) -> web.StreamResponse:
    """Closes the connection without a word."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def endless(request: web.Request, _: Body) -> web.StreamResponse:
    """Sends as fast as it can, without an end."""
    response = await begun(request)
    while True:
        await response.write(b" " * 2**18)


async def trickle(request: web.Request, _: Body) -> web.StreamResponse:
    """Sends a byte now and then, without an end."""
    response = await begun(request)
    while True:
        await response.write(b" ")
        await asyncio.sleep(0.02)


async def not_http(request: web.Request, _: Body) -> web.Response:
    """Speaks another protocol."""
    assert request.transport is not None
    request.transport.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")
    return await silent(request, _)


async def echo_key(request: web.Request, _: Body) -> web.Response:
    """Says in its error what key it got."""
    key = request.headers.get("Authorization", "")
    return web.json_response(error(f"bad key: {key}"), status=401)


async def wait_for_date(_: web.Request, __: Body) -> web.Response:
    """Names the time at which to come back."""
    later = formatdate(time.time() + 120, usegmt=True)
    return web.json_response(error("busy"), status=503, headers={"Retry-After": later})


async def seed_says(_: web.Request, body: Body) -> web.Response:
    """Replies with the seed it was given."""
    return web.json_response(reply(str(body.get("seed"))))


CUT_JSON = json.dumps(reply())[:40]
UNSUPPORTED_TOKENS = error(
    "Unsupported parameter: 'max_tokens' is not supported with this model. "
    "Use 'max_completion_tokens' instead.",
    param="max_tokens",
    code="unsupported_parameter",
)
UNSUPPORTED_HEAT = error(
    "Unsupported value: 'temperature' does not support 0.0 with this model. "
    "Only the default (1) value is supported.",
    param="temperature",
    code="unsupported_value",
)
EXTRA_SEED = {
    "detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs"}]
}

FAULTS: dict[str, Fault] = {
    # good replies of all forms
    "ok": sends(reply()),
    "named": sends({**reply(), "id": "reply-1", "model": "m-2026-11-01"}),
    "late": late,
    "seed": seed_says,
    "parts": sends(
        reply(
            [
                {"type": "thinking", "thinking": []},
                {"type": "text", "text": "a"},
                {"type": "text", "text": "b"},
            ]
        )
    ),
    "nothing": sends(reply(None, reasoning_content="I wonder.")),
    "refusal": sends(reply(None, refusal="I cannot help with that.")),
    "length": sends(reply("The first", "length")),
    "filter": sends(reply("", "content_filter")),
    "no usage": sends({**reply("four words of text"), "usage": None}),
    "thoughts": sends(
        {**reply(), "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 95}}
    ),
    "half a character": sends(reply("a\ud800b")),
    "wrong schema": sends(reply('{"opinion": 1}')),
    # broken answers
    "silent": silent,
    "half headers": half_headers,
    "reset": reset,
    "cut": cut,
    "hung up": hung_up,
    "endless": endless,
    "trickle": trickle,
    "not http": not_http,
    "truncated": sends_text(CUT_JSON, kind="application/json"),
    "empty choices": sends({"choices": [], "usage": {}}),
    "no message": sends({"choices": [{"text": "hi"}]}),
    "no choices": sends({"status": "ok"}),
    "a list": sends([1, 2]),
    "deep": sends_text("[" * 100_000, kind="application/json"),
    "bad gzip": sends_text(
        "this was never compressed", kind="application/json", headers={"Content-Encoding": "gzip"}
    ),
    "broke off": sends(reply("The fi", "error")),
    "html": sends_text(HTML),
    "html 404": sends_text(HTML, 404),
    "html 502": sends_text(HTML, 502),
    "text 404": sends_text("404 page not found", 404, "text/plain"),
    "redirect": sends_text(
        "", 307, headers={"Location": "http://elsewhere.test/v1/chat/completions?token=secret"}
    ),
    "wrong path": sends(error("Unexpected endpoint or method. (POST /chat/completions)")),
    # errors
    "429": sends(error("slow down"), 429, **{"Retry-After": "0.05"}),
    "429 ms": sends(error("slow down"), 429, **{"retry-after-ms": "40", "Retry-After": "9"}),
    "429 long": sends(error("come back tomorrow"), 429, **{"Retry-After": "86400"}),
    "503 date": wait_for_date,
    "500": sends(error("internal error"), 500),
    "503": sends(error("overloaded"), 503),
    "504": sends(error("upstream too slow"), 504),
    "529": sends(error("overloaded"), 529),
    "behind": sends(error("provider is down", code=502)),
    "401": sends(error("Incorrect API key provided", code="invalid_api_key"), 401),
    "403": sends(error("not for you"), 403),
    "echo key": echo_key,
    "bad key 400": sends([error("API key not valid. Please pass a valid one.", code=400)], 400),
    "402": sends(error("Insufficient Balance"), 402),
    "quota": sends(error("You exceeded your quota", code="insufficient_quota"), 429),
    "404": sends(error("The model `m` does not exist.", code="model_not_found"), 404),
    "no model 400": sends(error("m is not a valid model ID", code=400), 400),
    "too long": sends(
        error("This model's maximum context length is 128 tokens.", code="context_length_exceeded"),
        400,
    ),
    "too long 2": sends(error("prompt is too long: 200534 tokens > 200000 maximum"), 400),
    "too long 3": sends(error("the request exceeds the available context size", code=400), 400),
    "policy": sends(error("flagged", code="content_filter"), 400),
    "400": sends(error("messages: must not be empty"), 400),
    "hot": sends(error("Invalid 'temperature': expected a value <= 2, but got 3 instead."), 400),
    "stubborn": sends(UNSUPPORTED_HEAT, 400),
    # servers with a will of their own
    "no max_tokens": unless(lambda body: "max_tokens" in body, UNSUPPORTED_TOKENS),
    "no temperature": unless(lambda body: "temperature" in body, UNSUPPORTED_HEAT),
    "no seed": unless(lambda body: "seed" in body, EXTRA_SEED, 422),
    "no logprobs": unless(
        lambda body: "logprobs" in body, [error("Logprobs is not enabled for this model", code=400)]
    ),
    "no effort": unless(
        lambda body: "reasoning_effort" in body,
        error("Unsupported parameter: 'reasoning_effort' is not supported with this model."),
    ),
    "no schema": unless(
        lambda body: format_of(body) == "json_schema",
        error("This response_format type is unavailable now"),
    ),
    "no format": unless(
        format_of,
        error("response_format is not supported by this model", param="response_format"),
        404,
    ),
    "no format 501": unless(format_of, error("structured outputs are not implemented"), 501),
    "nothing extra": unless(
        lambda body: set(body) - {"model", "messages", "max_completion_tokens"},
        error(
            "max_tokens, temperature, seed, logprobs, reasoning_effort and response_format are not "
            "allowed"
        ),
    ),
}
