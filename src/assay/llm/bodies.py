"""Reading the body of an answer: the text, why it ends, the tokens, and what they cost."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.llm.client import CallError
from assay.llm.requests import Finish, Reply, Request, Token, Usage
from assay.llm.tokens import estimate_prompt, estimate_tokens

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
class Answer:
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
