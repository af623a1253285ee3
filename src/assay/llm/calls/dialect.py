"""The form of a request, and what is changed for servers that reject a part of it.

Which settings a server accepts is learnt from its errors rather than listed per provider, and kept
once a request without them has been answered.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.llm.calls.answers import ServerProblem
from assay.llm.client import Request
from assay.llm.settings.options import Parameters

Step = Literal[
    "max_tokens",
    "temperature",
    "seed",
    "logprobs",
    "reasoning_effort",
    "json_schema",
    "json_object",
]

SENTENCES: dict[Step, str] = {
    "max_tokens": "the server requires max_completion_tokens instead of max_tokens",
    "temperature": "the server does not accept a temperature and uses its own",
    "seed": "the server does not accept a seed, so replies may differ from call to call",
    "logprobs": "the server does not return token probabilities",
    "reasoning_effort": "the server does not accept a reasoning effort, so the model's own applies",
    "json_schema": "the server does not enforce a JSON schema",
    "json_object": "the server does not enforce JSON replies",
}

_NAMED = re.compile(
    r"\b(?:(?P<max_tokens>max_tokens)|(?P<temperature>temperature)|(?P<seed>seed)"
    r"|(?P<logprobs>logprobs)|(?P<reasoning_effort>reasoning[_. ]effort)"
    r"|(?P<response_format>response[_ .]?format|response[_ ]?schema"
    r"|json[_ ]?schema|json[_ ]?object|json mode|structured[_ ]?outputs?|guided_\w+|grammar))\b"
)
# What servers say about a setting that they do not know, unlike one whose value is out of range.
_UNSUPPORTED = re.compile(
    r"unsupported|not (?:be )?(?:support|allowed|permitted|available|enabled|implemented"
    r"|recogni[sz]ed|accepted|compatible)|n't support|unavailable|unrecogni[sz]ed|incompatible"
    r"|(?:unknown|unexpected) (?:name|parameter|argument|field|key|property|option|variant)"
    r"|extra_forbidden|only the default|may only be|cannot be (?:used|specified|set)"
    r"|no longer|deprecated"
)
_REJECTED = frozenset({400, 404, 422, 500, 501})
_CLEAR = frozenset({"refused", "unpaid", "too_long", "key"})


@dataclass(frozen=True, slots=True)
class Dialect:
    """The usual form of a request, without the settings that the server rejected."""

    steps: tuple[Step, ...] = ()

    def body(self, model: str, parameters: Parameters, request: Request) -> dict[str, Any]:
        """The request in the form that this server accepts."""
        body: dict[str, Any] = {"model": model, "messages": request.messages}
        renamed = "max_tokens" in self.steps
        body["max_completion_tokens" if renamed else "max_tokens"] = parameters.max_tokens
        if parameters.temperature is not None and "temperature" not in self.steps:
            body["temperature"] = parameters.temperature
        if parameters.seed is not None and "seed" not in self.steps:
            body["seed"] = parameters.seed + request.sample
        if (parameters.logprobs or request.probabilities) and "logprobs" not in self.steps:
            body["logprobs"] = True
            if request.alternatives:
                body["top_logprobs"] = request.alternatives
        if parameters.reasoning_effort and "reasoning_effort" not in self.steps:
            body["reasoning_effort"] = parameters.reasoning_effort
        if request.schema is not None and "json_object" not in self.steps:
            body["response_format"] = self._format(request.schema)
        if request.template is not None:
            body["chat_template_kwargs"] = dict(request.template)
        return body

    def _format(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        if "json_schema" in self.steps:
            return {"type": "json_object"}
        wanted = {"name": "reply", "strict": True, "schema": dict(schema)}
        return {"type": "json_schema", "json_schema": wanted}

    def step(self, problem: ServerProblem, body: Mapping[str, Any]) -> Step | None:
        """The change to make next time; None if the server names nothing that was sent."""
        if problem.status not in _REJECTED or problem.kind in _CLEAR:
            return None
        unsupported = _UNSUPPORTED.search(problem.text) is not None
        match _named(problem, body):
            case "response_format":
                # A 400 may be about the schema itself; the next step leaves it out altogether.
                if unsupported or problem.status in (400, 422):
                    return "json_object" if "json_schema" in self.steps else "json_schema"
            case (
                "max_tokens" | "temperature" | "seed" | "logprobs" | "reasoning_effort"
            ) as name if unsupported:
                return name
        return None

    def learnt(self, *steps: Step) -> "Dialect":
        """The dialect with these steps, each once."""
        return Dialect(tuple(dict.fromkeys((*self.steps, *steps))))

    @property
    def sentences(self) -> tuple[str, ...]:
        """The differences from the usual form, in short sentences."""
        return tuple(SENTENCES[step] for step in self.steps)


def _named(problem: ServerProblem, body: Mapping[str, Any]) -> str | None:
    """The setting that the server points to, else the first that its message mentions."""
    for text in (problem.param, problem.text):
        for found in _NAMED.finditer(text):
            if found.lastgroup in body:
                return found.lastgroup
    return None
