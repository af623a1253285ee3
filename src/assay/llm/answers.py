"""Reading the body of an answer: the text, why it ends, the tokens, and what they cost."""

import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from assay.llm.client import CallError, Finish, Reply, Request, Token, Usage
from assay.llm.estimates import estimate_prompt, estimate_tokens

KEPT = 2000  # characters of an answer that cannot be used

_FINISHES: dict[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "filter",
    "safety": "filter",
}
_BROKEN = frozenset({"error", "insufficient_system_resource"})


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came over the wire."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON; None where it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    @property
    def text(self) -> str:
        """The beginning of the body, to be shown."""
        return self.body[: KEPT * 4].decode("utf-8", "replace")[:KEPT]

    @property
    def meant_as_json(self) -> bool:
        """Whether it would be JSON if it had not been cut off."""
        return self.body.lstrip()[:1] == b"{" or "json" in self.headers.get("Content-Type", "")

    @property
    def is_page(self) -> bool:
        """Whether it is a web page, as wrong addresses and overloaded gateways send."""
        begin = self.body[:1000].lower()
        return "html" in self.headers.get("Content-Type", "") or b"<html" in begin


def read_reply(data: Mapping[str, Any], request: Request) -> Reply:
    """The reply in the JSON of an answer; one without a reply raises `CallError`."""
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise unusable("the answer holds no reply", json.dumps(data)[:KEPT])
    finish = str(choice.get("finish_reason")).lower()
    if finish in _BROKEN:
        raise unusable(f"the server broke off ('{finish}')", json.dumps(data)[:KEPT])
    text, refusal = _texts(message)
    if not text and not refusal and (message.get("tool_calls") or message.get("function_call")):
        raw = json.dumps(message)[:KEPT]
        raise CallError("parse", "the model calls a tool instead of answering", raw=raw)
    return Reply(
        text,
        _usage(data.get("usage"), request, text),
        _FINISHES.get(finish, "other"),
        refusal,
        _tokens(choice.get("logprobs")),
    )


def unusable(what: str, raw: str) -> CallError:
    """An answer came and holds nothing; the work may have been done, and the next may be whole."""
    return CallError("transport", what, raw=raw, worth_retrying=True, maybe_charged=True)


def _texts(message: Mapping[str, Any]) -> tuple[str, str]:
    """The text and the refusal of a message, whose content is a text or a list of parts."""
    content, refusal = message.get("content"), message.get("refusal")
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict)]
        content = "".join(_of_type(parts, "text"))
        refusal = refusal or "".join(_of_type(parts, "refusal"))
    return _whole(content), _whole(refusal)


def _of_type(parts: list[dict[str, Any]], name: str) -> list[str]:
    """The texts of the parts of one type; thoughts are another type."""
    return [str(part.get(name, "")) for part in parts if part.get("type") == name]


def _whole(text: object) -> str:
    """The text, fit to be stored: half a surrogate pair is replaced."""
    if not isinstance(text, str):
        return ""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _usage(usage: Any, request: Request, text: str) -> Usage:
    if isinstance(usage, dict):
        prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if isinstance(prompt, int) and isinstance(completion, int) and min(prompt, completion) >= 0:
            # Some servers count thoughts only in the total; they are paid for all the same.
            total = usage.get("total_tokens")
            thought = total - prompt if isinstance(total, int) else 0
            return Usage(prompt, max(completion, thought))
    return Usage(estimate_prompt(request), estimate_tokens(text), estimated=True)


def _tokens(logprobs: Any) -> tuple[Token, ...]:
    """The tokens with their probabilities; none where they are not of the usual form."""
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(content, list):
        return ()
    try:
        return tuple(Token(_whole(each["token"]), float(each["logprob"])) for each in content)
    except (TypeError, KeyError, ValueError, OverflowError):
        return ()


Kind = Literal["refused", "unpaid", "too_long", "key", "unknown", "later", "rejected"]

SHOWN = 300  # characters of a server's message that a user gets to see

_SIGNS: tuple[tuple[Kind, frozenset[int], re.Pattern[str]], ...] = (
    (
        "refused",
        frozenset({400, 403, 422, 451}),
        re.compile(
            r"content_?filter|content_?policy|content management policy|responsibleai|moderation"
            r"|was flagged|blocked by .{0,30}safety|data_inspection_failed|violat\w+ .{0,60}polic"
        ),
    ),
    (
        "unpaid",
        frozenset({400, 402, 403, 429}),
        re.compile(
            r"insufficient[_ ](?:quota|balance|credits?|funds)|billing_|credit balance is too low"
        ),
    ),
    (
        "too_long",
        frozenset({400, 413, 422, 500}),
        re.compile(
            r"context_length|context[_ ]?size|context length|context window|context limit"
            r"|(?:prompt|input|request|messages?) (?:is|are) too (?:long|large)"
            r"|string_above_max_length|reduce the length|exceeds? the max\w* number of tokens"
            r"|exceeds? .{0,40}token limit|too many (?:input )?tokens"
        ),
    ),
    (
        "key",
        frozenset({400}),
        re.compile(
            r"(?:invalid|incorrect|missing|expired)[_ ]api[_ ]?key|api_key_invalid"
            r"|api key (?:is )?(?:not valid|invalid|missing|expired)"
        ),
    ),
    (
        "unknown",
        frozenset({200, 400, 403, 422, 503}),
        re.compile(
            r"model[_ ]not[_ ](?:found|exist|available)|invalid[_ ]model|not a valid model"
            r"|unknown model|model\b.{0,100}(?:does not|doesn't) exist|unexpected endpoint"
        ),
    ),
)
_OF_STATUS: dict[int, Kind] = {
    200: "later",  # an error under a good status comes from a server behind the server
    401: "key",
    402: "unpaid",
    403: "key",
    404: "unknown",
    405: "unknown",
    408: "later",
    409: "later",
    410: "unknown",
    413: "too_long",
    425: "later",
    429: "later",
    501: "rejected",
}


@dataclass(frozen=True, slots=True)
class ServerProblem:
    """An answer that is no reply; `foreign` where it is not even JSON."""

    status: int
    message: str = ""
    code: str = ""
    param: str = ""
    foreign: bool = False

    @property
    def text(self) -> str:
        """All that the server says of it, in lower case."""
        return f"{self.code} {self.message}".lower()

    @property
    def said(self) -> str:
        """The status and the server's own words, cut to what fits a line."""
        words = " ".join(self.message.split())
        cut = words if len(words) <= SHOWN else words[:SHOWN].rstrip() + "…"
        return f"{self.status}: {cut}" if cut else f"{self.status}"

    @property
    def kind(self) -> Kind:
        """Whose problem it is."""
        for kind, statuses, sign in _SIGNS:
            if self.status in statuses and sign.search(self.text):
                return kind
        return _OF_STATUS.get(self.status) or ("later" if self.status >= 500 else "rejected")


def read_problem(answer: HttpAnswer, data: Any) -> ServerProblem:
    """What an answer and the JSON in it say is wrong; servers have many ways to say it."""
    if isinstance(data, list) and data:
        data = data[0]
    if not isinstance(data, dict):
        words = "" if answer.is_page else answer.text
        return ServerProblem(answer.status, words, foreign=not answer.meant_as_json)
    error = data.get("error", data)
    if isinstance(error, str):
        return ServerProblem(answer.status, error)
    if not isinstance(error, dict):
        error = data
    codes = (error.get(name) for name in ("code", "type", "status"))
    return ServerProblem(
        _status(answer.status, error.get("code")),
        _message(error),
        " ".join(str(code) for code in codes if code is not None).lower(),
        str(error.get("param") or "").lower(),
    )


def _status(status: int, code: object) -> int:
    """The status; where an error comes under a good one, that which the error names."""
    return code if status == 200 and isinstance(code, int) and 400 <= code < 600 else status


def _message(error: dict[str, Any]) -> str:
    message = error.get("message") or error.get("detail") or ""
    if isinstance(message, list):
        message = "; ".join(_detail(each) for each in message)
    further = error.get("metadata")
    behind = further.get("raw") if isinstance(further, dict) else None
    return f"{message} ({behind})" if isinstance(behind, str) else str(message)


def _detail(each: object) -> str:
    """One complaint of a validating server, with the place but without what was sent."""
    if not isinstance(each, dict):
        return str(each)
    place = each.get("loc") or ()
    where = ".".join(str(part) for part in place) if isinstance(place, list) else str(place)
    return f"{where}: {each.get('type', '')} {each.get('msg', '')}"


def wanted_wait(headers: Mapping[str, str]) -> float | None:
    """How many seconds the server wants to be left alone."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("Retry-After")
    seconds = _number(value)
    if seconds is not None or value is None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None
