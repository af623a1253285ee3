"""Reading what a server answers: the reply, or what the server says is wrong.

Servers report problems in many ways. What an error means is decided here, by its status and the
words of its code and message, after the rules that its provider may have (`Provider.errors`).
"""

import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Any, TypeGuard

import msgspec

from assay.llm.client import CallError, Finish, Reply, Request, Token, Usage
from assay.llm.costs.estimates import estimate_prompt, estimate_tokens
from assay.llm.settings.options import ProblemKind

KEPT = 2000  # characters that are kept of an answer that cannot be used
SHOWN = 300  # characters of a server's message that a user gets to see
MOST_TOKENS = 2**24  # of a prompt or a reply: more than any model can hold

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
_decode = msgspec.json.Decoder().decode
_BROKEN = frozenset({"error", "insufficient_system_resource"})


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer as it came over the network."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON, which is UTF-8; None if it is not JSON."""
        try:
            return _decode(self.body)
        except (ValueError, RecursionError):
            pass
        try:  # what JSON does not allow and some servers send: NaN, and halves of characters
            return json.loads(self.body.decode("utf-8-sig", "surrogatepass"))
        except (ValueError, RecursionError):
            return None

    @property
    def text(self) -> str:
        """The beginning of the body, for messages."""
        return self.body[: KEPT * 4].decode("utf-8", "replace")[:KEPT]

    @property
    def meant_as_json(self) -> bool:
        """True if it is JSON, or would be if it had not been cut off."""
        return self.body.lstrip()[:1] == b"{" or "json" in self.headers.get("Content-Type", "")

    @property
    def is_page(self) -> bool:
        """True if it is a web page, as wrong addresses and overloaded gateways send."""
        begin = self.body[:1000].lower()
        return "html" in self.headers.get("Content-Type", "") or b"<html" in begin


def read_reply(data: Mapping[str, Any], request: Request) -> Reply:
    """The reply in the JSON of an answer; raises `CallError` if there is none."""
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise unusable("the answer contains no reply", json.dumps(data)[:KEPT])
    finish = str(choice.get("finish_reason")).lower()
    if finish in _BROKEN:
        raise unusable(f"the server broke off ('{finish}')", json.dumps(data)[:KEPT])
    text, refusal = _texts(message)
    if not text and not refusal and (message.get("tool_calls") or message.get("function_call")):
        raw = json.dumps(message)[:KEPT]
        raise CallError("parse", "the model called a tool instead of answering", raw=raw)
    return Reply(
        text,
        _usage(data.get("usage"), request, text),
        _FINISHES.get(finish, "other"),
        refusal,
        _tokens(choice.get("logprobs")),
        thoughts=_thoughts(message),
    )


def unusable(what: str, raw: str) -> CallError:
    """An answer without content: the work may have been done, and a retry may succeed."""
    return CallError("transport", what, raw=raw, worth_retrying=True, maybe_charged=True)


def _texts(message: Mapping[str, Any]) -> tuple[str, str]:
    """The text and the refusal of a message, whose content is text or a list of parts."""
    content, refusal = message.get("content"), message.get("refusal")
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict)]
        content = "".join(_of_type(parts, "text"))
        refusal = refusal or "".join(_of_type(parts, "refusal"))
    return _whole(content), _whole(refusal)


def _thoughts(message: Mapping[str, Any]) -> str:
    """The model's thoughts, under the names that servers have for them."""
    given = (message.get(name) for name in ("reasoning_content", "reasoning"))
    return next((text for text in map(_whole, given) if text), "")


def _of_type(parts: list[dict[str, Any]], name: str) -> list[str]:
    """The texts of the parts of one type; the model's thoughts are another type."""
    return [str(part.get(name, "")) for part in parts if part.get("type") == name]


def _whole(text: object) -> str:
    """The text in a form that can be stored: half a surrogate pair is replaced."""
    if not isinstance(text, str):
        return ""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _usage(usage: Any, request: Request, text: str) -> Usage:
    """The tokens that the server reports, or our own count where these cannot be right."""
    reported = usage if isinstance(usage, dict) else {}
    prompt, completion = reported.get("prompt_tokens"), reported.get("completion_tokens")
    if not _is_count(prompt, least=1) or not _is_count(completion, least=1 if text else 0):
        return Usage(estimate_prompt(request), estimate_tokens(text), estimated=True)
    # Some servers count thoughts only in the total; they are charged nevertheless.
    total = reported.get("total_tokens")
    return Usage(prompt, max(completion, total - prompt if _is_count(total, least=0) else 0))


def _is_count(value: object, *, least: int) -> TypeGuard[int]:
    """True if a value can be a number of tokens; JSON allows any number, and 10^400 too."""
    return type(value) is int and least <= value <= MOST_TOKENS


def _tokens(logprobs: Any) -> tuple[Token, ...]:
    """The tokens with their probabilities; none if they are not in the usual form."""
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(content, list):
        return ()
    try:
        return tuple(
            Token(*_piece(each), tuple(map(_piece, each.get("top_logprobs") or ())))
            for each in content
        )
    except (TypeError, KeyError, ValueError, OverflowError):
        return ()


def _piece(entry: Mapping[str, Any]) -> tuple[str, float]:
    return _whole(entry["token"]), float(entry["logprob"])


_SIGNS: tuple[tuple[ProblemKind, frozenset[int], re.Pattern[str]], ...] = (
    (
        "refused",
        frozenset({400, 403, 422, 451}),
        re.compile(
            r"content_?filter|content_?policy|content management policy|responsibleai|moderation"
            r"|was flagged|blocked by .{0,30}safety|data_inspection_failed"
            r"|violat\w{1,6} .{0,60}polic"
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
_OF_STATUS: dict[int, ProblemKind] = {
    200: "later",  # an error with a good status comes from a server behind the server
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
    """An answer without a reply; `foreign` if it is not even JSON."""

    status: int
    message: str = ""
    code: str = ""
    param: str = ""
    foreign: bool = False
    rules: Mapping[str, ProblemKind] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Everything that the server says about it, in lower case."""
        return f"{self.code} {self.message}".lower()

    @property
    def said(self) -> str:
        """The status and the server's own words, shortened to fit a line."""
        words = " ".join(self.message.split())
        cut = words if len(words) <= SHOWN else words[:SHOWN].rstrip() + "…"
        return f"{self.status}: {cut}" if cut else f"{self.status}"

    @property
    def kind(self) -> ProblemKind:
        """The kind of problem; the provider's own rules come before those for all servers."""
        for words, kind in self.rules.items():
            if words == str(self.status) if words.isdecimal() else words in self.text:
                return kind
        for kind, statuses, sign in _SIGNS:
            if self.status in statuses and sign.search(self.text):
                return kind
        return _OF_STATUS.get(self.status) or ("later" if self.status >= 500 else "rejected")


def read_problem(
    answer: HttpAnswer, data: Any, rules: Mapping[str, ProblemKind] = MappingProxyType({})
) -> ServerProblem:
    """The problem that an answer and the JSON in it tell of."""
    if isinstance(data, list) and data:
        data = data[0]
    if not isinstance(data, dict):
        words = "" if answer.is_page else answer.text
        return ServerProblem(answer.status, words, foreign=not answer.meant_as_json, rules=rules)
    error = data.get("error", data)
    if isinstance(error, str):
        return ServerProblem(answer.status, error, rules=rules)
    if not isinstance(error, dict):
        error = data
    codes = (error.get(name) for name in ("code", "type", "status"))
    return ServerProblem(
        _status(answer.status, error.get("code")),
        _message(error),
        " ".join(str(code) for code in codes if code is not None).lower(),
        str(error.get("param") or "").lower(),
        rules=rules,
    )


def _status(status: int, code: object) -> int:
    """The status; if an error comes with a good one, the status that the error names."""
    return code if status == 200 and isinstance(code, int) and 400 <= code < 600 else status


def _message(error: dict[str, Any]) -> str:
    message = error.get("message") or error.get("detail") or ""
    if isinstance(message, list):
        message = "; ".join(_detail(each) for each in message)
    further = error.get("metadata")
    behind = further.get("raw") if isinstance(further, dict) else None
    return f"{message} ({behind})" if isinstance(behind, str) else str(message)


def _detail(each: object) -> str:
    """One complaint of a validating server, with its place but without what was sent."""
    if not isinstance(each, dict):
        return str(each)
    place = each.get("loc") or ()
    where = ".".join(str(part) for part in place) if isinstance(place, list) else str(place)
    return f"{where}: {each.get('type', '')} {each.get('msg', '')}"


def wanted_wait(headers: Mapping[str, str]) -> float | None:
    """The seconds for which the server asks to be left alone."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("Retry-After")
    seconds = _number(value)
    if seconds is not None or value is None:
        return seconds
    until = _moment(value)
    # Our clock may differ from the server's, which says what time it is.
    now = _moment(headers.get("Date", ""))
    return None if until is None else max(0.0, until - (time.time() if now is None else now))


def _moment(date: str) -> float | None:
    """The date of a header in seconds; None if it is not one."""
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError, OSError):
        return None


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None
