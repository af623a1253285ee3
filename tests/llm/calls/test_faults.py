"""Every way in which a server can fail ends in the right reply or the right error, and in time."""

import pytest

from assay.core.errors import ServiceError
from assay.core.verdicts import FailureReason
from assay.llm.asking import ask as ask_and_read
from assay.llm.calls.http import HttpClient
from assay.llm.calls.retry import Retrying
from assay.llm.client import CallError
from assay.llm.replies.texts import UnreadableError
from assay.llm.settings.options import Endpoint, Parameters, ProblemKind
from tests.llm.conftest import JSON_QUESTION, QUESTION, ask, client_at, finish
from tests.llm.fault_server import FaultServer
from tests.llm.faults import GOOD

STUCK = ("silent", "half headers", "trickle")
# What is lost or unusable after the server may have done the work.
LOST = {
    **dict.fromkeys(STUCK, "did not answer within 0.5 s"),
    "reset": "broke off in the middle",
    "cut": "broke off in the middle",
    "bad gzip": "broke off in the middle",
    "hung up": "closed the connection",
    "endless": "more than 16 MiB",
    "truncated": "cut off or not an object",
    "deep": "cut off or not an object",
    "a list": "cut off or not an object",
    "empty choices": "no reply",
    "no message": "no reply",
    "no choices": "no reply",
    "broke off": "broke off ('error')",
    "504": "answered 504",
}
BUSY = {
    "429": "answered 429: slow down",
    "500": "answered 500: internal error",
    "503": "answered 503: overloaded",
    "529": "answered 529",
    "behind": "answered 502: provider is down",
    "html 502": "answered 502",
}
FOR_GOOD: dict[str, tuple[FailureReason, str]] = {
    "too long": ("too_long", "maximum context length"),
    "too long 2": ("too_long", "prompt is too long"),
    "too long 3": ("too_long", "context size"),
    "policy": ("refused", "flagged"),
    "400": ("transport", "must not be empty"),
    "hot": ("transport", "expected a value <= 2"),
    "stubborn": ("transport", "does not support 0.0"),
}
SETUP = {
    "401": "does not accept the key (401: Incorrect API key provided): check the environment",
    "403": "does not accept the key (403: not for you)",
    "bad key 400": "does not accept the key (400: API key not valid",
    "402": "reports insufficient credit (402: Insufficient Balance)",
    "quota": "reports insufficient credit (429: You exceeded your quota)",
    "404": "check the model and the base URL",
    "no model 400": "does not know the model 'm'",
    "wrong path": "check the model and the base URL",
    "html": "does not look like an OpenAI-compatible address (200: a web page)",
    "html 404": "usually ends in /v1",
    "text 404": "does not look like",
    "redirect": "a redirect to http://elsewhere.test/v1)",
    "not http": "does not speak HTTP",
}


def failure_of(faults: FaultServer, *script: str) -> CallError:
    """The error of a call at a place with this script."""
    timeout = 0.5 if script[0] in STUCK else 15  # what answers may do so late on a busy machine
    with pytest.raises(CallError) as caught:
        ask(client_at(faults.address(*script), timeout=timeout))
    return caught.value


@pytest.mark.parametrize("fault", LOST)
def test_a_lost_answer_is_worth_retrying_and_may_be_charged(
    faults: FaultServer, fault: str
) -> None:
    error = failure_of(faults, fault)
    assert LOST[fault] in error.detail
    assert (error.reason, error.worth_retrying, error.maybe_charged) == ("transport", True, True)


@pytest.mark.parametrize("fault", BUSY)
def test_a_busy_server_is_worth_retrying_and_charges_nothing(
    faults: FaultServer, fault: str
) -> None:
    error = failure_of(faults, fault)
    assert BUSY[fault] in error.detail
    assert (error.reason, error.worth_retrying, error.maybe_charged) == ("transport", True, False)


@pytest.mark.parametrize("fault", FOR_GOOD)
def test_what_would_fail_again_is_not_worth_retrying(faults: FaultServer, fault: str) -> None:
    error = failure_of(faults, fault)
    reason, words = FOR_GOOD[fault]
    assert words in error.detail
    assert (error.reason, error.worth_retrying, error.maybe_charged) == (reason, False, False)


@pytest.mark.parametrize("fault", SETUP)
def test_a_wrong_setup_ends_in_one_line_that_says_what_to_do(
    faults: FaultServer, fault: str
) -> None:
    with pytest.raises(ServiceError) as caught:
        ask(client_at(faults.address(fault), key="sk-0123456789", timeout=2))
    assert SETUP[fault] in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("fault", ["html", "html 404", "text 404", "redirect", "not http"])
def test_a_server_that_has_answered_well_is_not_taken_for_a_wrong_address(
    faults: FaultServer, fault: str
) -> None:
    client = client_at(faults.address("ok", fault), timeout=2)
    ask(client)
    with pytest.raises(CallError) as caught:
        ask(client)
    assert (caught.value.reason, caught.value.worth_retrying) == ("transport", True)


@pytest.mark.parametrize("fault", [*LOST, *BUSY])
def test_the_next_attempt_brings_the_reply(faults: FaultServer, fault: str) -> None:
    address = faults.address(fault, "ok")
    patient = 15 if fault in ("endless", "deep") else 0.5
    client = Retrying(client_at(address, timeout=patient), base=0.01)
    assert ask(client).text == GOOD
    assert len(faults.bodies(address)) == 2


@pytest.mark.parametrize("fault", [*FOR_GOOD, *SETUP])
def test_what_cannot_be_mended_is_asked_once(faults: FaultServer, fault: str) -> None:
    address = faults.address(fault)
    adapted = fault == "stubborn"
    with pytest.raises((CallError, ServiceError)) as caught:
        ask(Retrying(client_at(address, timeout=2), base=0.01))
    assert len(faults.bodies(address)) == (2 if adapted else 1)
    assert "attempt" not in str(caught.value)


@pytest.mark.parametrize("fault", ["silent", "trickle", "500", "empty choices", "reset"])
def test_a_server_that_never_recovers_ends_in_a_failure(faults: FaultServer, fault: str) -> None:
    address = faults.address(fault)
    with pytest.raises(CallError, match=r"\(3 attempts\)"):
        ask(Retrying(client_at(address, timeout=0.2), attempts=3, base=0.01))
    assert len(faults.bodies(address)) == 3


def test_a_reply_of_the_wrong_form_is_repaired_once_and_then_a_failure(
    faults: FaultServer,
) -> None:
    def read(text: str) -> str:
        if "verdict" not in text:
            raise UnreadableError("no verdict", wanted="Give a verdict.", reason="parse")
        return text

    async def both() -> tuple[str, CallError]:
        mended = await ask_and_read(client_at(faults.address("wrong schema", "ok")), QUESTION, read)
        with pytest.raises(CallError) as caught:
            await ask_and_read(client_at(faults.address("wrong schema")), JSON_QUESTION, read)
        return mended.value, caught.value

    value, failure = finish(both())
    assert value == GOOD
    assert (failure.reason, failure.raw) == ("parse", '{"opinion": 1}')


def test_a_key_that_the_server_echoes_is_never_shown(faults: FaultServer) -> None:
    address, key = faults.address("echo key"), "sk-very-secret-0123"
    client = client_at(address, key=key)
    with pytest.raises(ServiceError) as caught:
        ask(client)
    assert faults.key(address) == f"Bearer {key}"
    assert "bad key: Bearer ***" in str(caught.value)
    assert key not in repr(caught.value) + repr(client) + str(client.describe())
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("fault", "wait"), [("429", 0.05), ("429 ms", 0.04), ("429 long", 86400), ("500", None)]
)
def test_the_wait_that_a_server_asks_for_is_read(
    faults: FaultServer, fault: str, wait: float | None
) -> None:
    assert failure_of(faults, fault).wait == wait


def test_a_wait_until_a_date_is_counted_from_now(faults: FaultServer) -> None:
    wait = failure_of(faults, "503 date").wait
    assert wait is not None
    assert 100 < wait <= 120


@pytest.mark.parametrize("fault", ["403", "404"])
def test_a_call_that_is_barred_after_others_got_replies_fails_alone(
    faults: FaultServer, fault: str
) -> None:
    client = client_at(faults.address("ok", fault, "ok"))

    async def three() -> list[str]:
        async with client:
            said = [(await client.ask(QUESTION)).text]
            with pytest.raises(CallError, match="rejected the call") as error:
                await client.ask(QUESTION)
            assert not error.value.worth_retrying
            return [*said, (await client.ask(QUESTION)).text]

    assert len(finish(three())) == 2


CODES = {
    "401": ("bad-key", "key_env"),
    "402": ("no-credit", ""),
    "404": ("unknown-model", "model"),
    "html": ("bad-address", "base_url"),
    "not http": ("bad-address", "base_url"),
}


@pytest.mark.parametrize("fault", CODES)
def test_a_wrong_setup_has_a_code_and_names_the_setting(faults: FaultServer, fault: str) -> None:
    with pytest.raises(ServiceError) as caught:
        ask(client_at(faults.address(fault), key="sk-0123456789", timeout=2))
    assert (caught.value.code, caught.value.field) == CODES[fault]


def test_a_server_that_requires_a_key_says_so_by_its_code(faults: FaultServer) -> None:
    with pytest.raises(ServiceError, match="requires a key") as caught:
        ask(client_at(faults.address("401")))
    assert (caught.value.code, caught.value.field) == ("no-key", "key_env")


def test_rules_of_a_provider_come_before_those_for_all_servers(faults: FaultServer) -> None:
    def client(script: str, rule: dict[str, ProblemKind]) -> HttpClient:
        endpoint = Endpoint("m", "m", faults.address(script), key="sk-0123456789", errors=rule)
        return HttpClient(endpoint, Parameters(), timeout=2)

    with pytest.raises(CallError) as by_status:
        ask(client("403", {"403": "later"}))
    assert by_status.value.worth_retrying
    with pytest.raises(CallError) as by_words:
        ask(client("429", {"slow down": "rejected"}))
    assert not by_words.value.worth_retrying
