"""What tokens cost, and the meter."""

import asyncio
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.llm.client import CallError, Line, Message, Reply, Request, Scripted, Usage
from assay.llm.costs.prices import (
    Meter,
    Metered,
    Price,
    PriceTable,
    find_price,
    find_price_by_name,
    known_prices,
    make_prices,
    read_prices,
)
from assay.llm.settings.options import Endpoint
from assay.llm.settings.providers import known_providers

NONE: PriceTable = {}


def at(name: str) -> Endpoint:
    """The endpoint of `provider/model`."""
    provider, _, model = name.partition("/")
    return Endpoint(name, model, "https://x.example", provider)


def test_cost_counts_both_directions() -> None:
    # 1,000 at 2.5 a million and 200 at 10 a million: 0.0025 + 0.002
    assert Price(2.5, 10).of(Usage(1000, 200)) == pytest.approx(0.0045)


def test_long_prompts_cost_more_from_the_first_token() -> None:
    price = Price(1, 2, long_after=1000, long_input=3, long_output=4)
    assert price.cost(1000, 100) == pytest.approx(0.0012)
    # 1,001 at 3 and 100 at 4 a million
    assert price.cost(1001, 100) == pytest.approx(0.003403)


def test_every_price_belongs_to_a_known_provider_that_is_not_free() -> None:
    for name in known_prices():
        assert not known_providers()[name.partition("/")[0]].free


def test_replies_never_cost_less_than_prompts() -> None:
    for price in known_prices().values():
        assert 0 < price.input <= price.output


def price_of(endpoint: Endpoint, theirs: PriceTable) -> Price | None:
    """The price that is found at the model's own service."""
    found = find_price(endpoint, theirs)
    return found.price if found else None


def named(model: str, provider: str = "", theirs: PriceTable = NONE) -> str:
    """The name whose price a model has behind an address of no known service."""
    endpoint = Endpoint(model, model, "https://gateway.example/v1", provider)
    found = find_price_by_name(endpoint, theirs)
    return found.name if found else ""


@pytest.mark.parametrize("ending", ["", "-2024-11-20", "-20241120", "@20241120", "-latest"])
def test_version_has_the_price_of_its_model(ending: str) -> None:
    assert price_of(at(f"openai/gpt-4o{ending}"), {}) == Price(2.5, 10)


def test_version_with_its_own_price_keeps_it() -> None:
    assert price_of(at("openai/gpt-4o-2024-05-13"), {}) == Price(5, 15)


def test_other_ending_is_another_model() -> None:
    assert price_of(at("openai/gpt-4o-mini"), {}) == Price(0.15, 0.6)
    assert price_of(at("openai/gpt-4o-mini-2024-07-18"), {}) == Price(0.15, 0.6)
    for name in ("gpt-4o-tiny", "gpt-4", "gpt-4o-2024", "gpt-4o-audio-preview"):
        assert price_of(at(f"openai/{name}"), {}) is None


def test_price_of_one_provider_is_not_that_of_another() -> None:
    assert price_of(at("azure/gpt-4o"), {}) is None
    assert price_of(at("openrouter/openai/gpt-4o"), {}) is None
    assert price_of(Endpoint("gpt-4o", "gpt-4o", "https://gateway.example"), {}) is None


@pytest.mark.parametrize(
    "model",
    ["gpt-4o", "openai/gpt-4o", "gpt-4o-2024-11-20", "proxy/openai/gpt-4o", "GPT-4o"],
)
def test_behind_any_address_a_model_goes_by_its_name(model: str) -> None:
    assert named(model) == "openai/gpt-4o"
    assert named(model, "azure") == "openai/gpt-4o"


def test_gateways_write_versions_with_a_point() -> None:
    assert named("anthropic/claude-haiku-4.5", "openrouter") == "anthropic/claude-haiku-4-5"


def test_another_model_has_no_price_by_name() -> None:
    assert [named(model) for model in ("gpt-4o-tiny", "gpt-4", "llama", "gpt-4o:free")] == [""] * 4


def test_service_with_prices_of_its_own_gets_none_of_another() -> None:
    assert named("gpt-4o", "groq") == ""


def test_dearest_of_several_is_taken_so_that_a_budget_holds() -> None:
    theirs = {"cheap/m": Price(1, 2), "dear/m": Price(1, 9), "other/mm": Price(90, 90)}
    assert named("m", "", theirs) == "dear/m"


def test_user_price_goes_before_ours() -> None:
    theirs = {"openai/gpt-4o": Price(1, 1)}
    assert price_of(at("openai/gpt-4o-2024-11-20"), theirs) == Price(1, 1)
    assert price_of(at("openai/gpt-4o-mini"), theirs) == Price(0.15, 0.6)


def test_user_price_may_go_by_the_model_alone() -> None:
    theirs = {"llama": Price(0, 0)}
    assert price_of(Endpoint("llama", "llama", "https://x.example"), theirs) == Price(0, 0)


def test_price_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('["mine/llama"]\ninput = 1\noutput = 2.5\n')
    assert read_prices(path) == {"mine/llama": Price(1, 2.5)}


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"a": {"input": 1}}, "'output' is missing"),
        ({"a": {"input": -1, "output": 1}}, "0 or more"),
        ({"a": {"input": float("nan"), "output": 1}}, "0 or more"),
        ({"a": {"input": "1", "output": 1}}, "input must be a number"),
        ({"a": {"input": True, "output": 1}}, "input must be a number"),
        ({"a": {"input": 1, "output": 1, "cached": 1}}, "unknown setting 'cached'"),
        ({"a": 3}, "must be a table"),
        ({"a": {"input": 2, "output": 1, "long_after": 5}}, "must not be lower than"),
    ],
)
def test_bad_price_is_refused(table: object, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        make_prices(table, "mine.toml")


def test_broken_price_file_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text("input = ")
    with pytest.raises(InputError, match=r"prices\.toml is not valid TOML"):
        read_prices(path)
    with pytest.raises(InputError, match=r"cannot read .*none\.toml: No such file") as caught:
        read_prices(tmp_path / "none.toml")
    assert caught.value.field == "prices"


QUESTION = Request((Message("user", "Is it so?"),))


def ask_all(meter: Meter, price: Price | None, *lines: Line) -> None:
    """Asks once for each line; failed calls are passed over."""
    client = Metered(Scripted(lines), meter, price)

    async def ask() -> None:
        for _ in lines:
            try:
                await client.ask(QUESTION)
            except CallError:
                continue

    asyncio.run(ask())


def test_calls_tokens_and_money_are_counted() -> None:
    meter = Meter()
    ask_all(meter, Price(2, 10), Reply("a", Usage(100, 20)), Reply("b", Usage(50, 10, True)))
    # 150 at 2 a million and 30 at 10 a million: 0.0003 + 0.0003
    assert meter.cost == pytest.approx(0.0006)
    assert (meter.calls, meter.prompt_tokens, meter.completion_tokens) == (2, 150, 30)
    assert meter.estimated == 1


def test_cached_replies_cost_nothing() -> None:
    meter = Meter()
    ask_all(meter, Price(2, 10), Reply("a", Usage(100, 20), cached=True))
    assert meter == Meter(cached=1)


def test_failed_calls_are_counted_apart() -> None:
    meter = Meter()
    ask_all(meter, Price(2, 10), CallError("transport", "gone"), Reply("a", Usage(1, 1)))
    assert (meter.calls, meter.failed) == (1, 1)


def test_money_is_unknown_once_a_price_is() -> None:
    meter = Meter()
    ask_all(meter, None, Reply("a", Usage(1, 1), cached=True))
    assert meter.cost == 0
    ask_all(meter, None, Reply("a", Usage(1, 1)))
    ask_all(meter, Price(2, 10), Reply("a", Usage(1, 1)))
    assert meter.cost is None
    assert meter.calls == 2


def test_price_is_at_least_another_if_no_call_costs_less() -> None:
    usual = Price(1, 2, long_after=100, long_input=3, long_output=4)
    assert usual.is_at_least(usual)
    assert usual.is_at_least(Price(1, 2))
    assert not Price(1, 2).is_at_least(usual)  # a long prompt would cost less
    assert Price(3, 4).is_at_least(usual)
    assert not Price(1, 1.9).is_at_least(Price(1, 2))
    assert Price(1, 2, 50, 3, 4).is_at_least(usual)
    assert not Price(1, 2, 150, 3, 4).is_at_least(usual)
