"""What a server turns down is left out, remembered, and told; nothing else is."""

import asyncio
from typing import Any

import pytest

from assay.llm.calls.answers import ServerProblem
from assay.llm.calls.dialect import SENTENCES, Dialect, Step
from assay.llm.client import CallError, Message, Request
from assay.llm.settings.options import Parameters
from tests.llm.conftest import JSON_QUESTION, QUESTION, ask, ask_inside, client_at, finish
from tests.llm.fault_server import FaultServer
from tests.llm.faults import GOOD

EVERYTHING: dict[str, Any] = {"seed": 1, "logprobs": True, "reasoning_effort": "high"}
WILLFUL: dict[str, tuple[Step, ...]] = {
    "no max_tokens": ("max_tokens",),
    "no temperature": ("temperature",),
    "no seed": ("seed",),
    "no logprobs": ("logprobs",),
    "no effort": ("reasoning_effort",),
    "no schema": ("json_schema",),
    "no format": ("json_schema", "json_object"),
    "no format 501": ("json_schema", "json_object"),
    "nothing extra": (
        "max_tokens",
        "temperature",
        "seed",
        "logprobs",
        "reasoning_effort",
        "json_schema",
        "json_object",
    ),
}


@pytest.mark.parametrize("fault", WILLFUL)
def test_what_the_server_does_not_take_is_left_out_once_and_for_all(
    faults: FaultServer, fault: str
) -> None:
    address = faults.address(fault)
    client = client_at(address, **EVERYTHING)
    assert ask(client, JSON_QUESTION).text == GOOD
    assert ask(client, JSON_QUESTION).text == GOOD
    steps = WILLFUL[fault]
    assert len(faults.bodies(address)) == len(steps) + 2
    assert sorted(client.adaptations) == sorted(SENTENCES[step] for step in steps)


def test_a_server_without_schemas_is_asked_for_json(faults: FaultServer) -> None:
    address = faults.address("no schema")
    ask(client_at(address), JSON_QUESTION)
    assert faults.bodies(address)[-1]["response_format"] == {"type": "json_object"}


def test_other_tokens_are_asked_for_with_probabilities_only() -> None:
    request = Request((Message("user", "A or B?"),), alternatives=5)
    parameters = Parameters(logprobs=True)
    assert Dialect().body("m", parameters, request)["top_logprobs"] == 5
    assert "top_logprobs" not in Dialect(("logprobs",)).body("m", parameters, request)
    assert "top_logprobs" not in Dialect().body("m", Parameters(), request)


def test_request_that_needs_probabilities_asks_for_them_unless_the_server_has_none() -> None:
    request = Request((Message("user", "Yes or no?"),), alternatives=5, probabilities=True)
    body = Dialect().body("m", Parameters(), request)
    assert (body["logprobs"], body["top_logprobs"]) == (True, 5)
    assert "logprobs" not in Dialect(("logprobs",)).body("m", Parameters(), request)


def test_arguments_of_the_chat_template_are_sent_under_the_name_that_servers_have() -> None:
    template = {"documents": [{"doc_id": "0", "text": "It burned."}], "think": False}
    request = Request((Message("assistant", "It did."),), template=template)
    assert Dialect().body("m", Parameters(), request)["chat_template_kwargs"] == template


def test_a_limit_on_tokens_keeps_its_value_under_its_new_name(faults: FaultServer) -> None:
    address = faults.address("no max_tokens")
    ask(client_at(address, max_tokens=9))
    last = faults.bodies(address)[-1]
    assert (last.get("max_tokens"), last["max_completion_tokens"]) == (None, 9)


def test_many_calls_that_learn_at_once_all_get_their_reply(faults: FaultServer) -> None:
    client = client_at(faults.address("nothing extra"), **EVERYTHING)

    async def many() -> int:
        calls = (ask_inside(client, JSON_QUESTION) for _ in range(30))
        return len(await asyncio.gather(*calls))

    assert finish(many()) == 30
    assert len(client.adaptations) == 7


def test_a_change_that_did_not_help_is_forgotten(faults: FaultServer) -> None:
    address = faults.address("stubborn")
    client = client_at(address)
    with pytest.raises(CallError, match="does not support"):
        ask(client)
    assert client.adaptations == ()
    assert [set(body) for body in faults.bodies(address)] == [
        {"model", "messages", "max_tokens", "temperature"},
        {"model", "messages", "max_tokens"},
    ]


def test_a_willing_server_gets_everything(faults: FaultServer) -> None:
    client = client_at(faults.address("ok"), **EVERYTHING)
    ask(client, JSON_QUESTION)
    ask(client, QUESTION)
    assert client.adaptations == ()


SENT = {
    "max_tokens": 9,
    "temperature": 0.0,
    "seed": 1,
    "logprobs": True,
    "reasoning_effort": "low",
    "response_format": {},
}


@pytest.mark.parametrize(
    ("status", "message", "step"),
    [
        (400, "`temperature` is deprecated for this model.", "temperature"),
        (400, "temperature may only be set to 1 when thinking is enabled", "temperature"),
        (400, 'Unknown name "seed": Cannot find field.', "seed"),
        (500, "this server does not support parameters: {'seed': 1}", "seed"),
        (400, "We don't support logprobs. Please remove 'logprobs'.", "logprobs"),
        (400, "Unrecognized request argument supplied: reasoning_effort", "reasoning_effort"),
        (400, "'reasoning_effort' does not support 'none' with this model.", "reasoning_effort"),
        (422, "response_format.type `json_schema` is unavailable now", "json_schema"),
        (400, "JSON schema error at #: unrecognized type bogus", "json_schema"),
        (400, "failed to parse grammar", "json_schema"),
        (500, "json_schema is not implemented", "json_schema"),
    ],
)
def test_known_wordings_name_what_to_leave_out(status: int, message: str, step: Step) -> None:
    assert Dialect().step(ServerProblem(status, message), SENT) == step


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "Invalid 'temperature': expected a value <= 2, but got 3 instead."),
        (400, "max_tokens is too large: 100000. At most 16384 completion tokens."),
        (400, "max_tokens is not supported: the maximum context length is 2048 tokens"),
        (400, "top_p is not supported"),
        (500, "error while compiling the json_schema"),
        (429, "seed is not supported"),
        (401, "temperature is not supported"),
        (400, "insufficient credits: logprobs are not available"),
    ],
)
def test_other_complaints_change_nothing(status: int, message: str) -> None:
    assert Dialect().step(ServerProblem(status, message), SENT) is None


def test_what_was_not_sent_is_not_left_out() -> None:
    problem = ServerProblem(400, "seed is not supported")
    assert Dialect().step(problem, {"temperature": 0.0}) is None


def test_the_setting_that_the_server_points_at_counts_before_its_words() -> None:
    problem = ServerProblem(400, "not supported; temperature and seed are", param="logprobs")
    assert Dialect().step(problem, SENT) == "logprobs"
