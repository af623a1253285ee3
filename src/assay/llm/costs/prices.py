"""Prices of tokens, and a meter that counts what calls have cost.

Prices are data that a user can replace, and are looked up as `provider/model`. A dated version
without a price of its own has the price of its model: `gpt-4o-2024-11-20` and `gpt-4o-latest` cost
what `gpt-4o` costs. Any other ending is another model: `gpt-4o-mini` never costs what `gpt-4o`
costs. Behind an address without prices of its own, such as a proxy, a model costs what it costs at
the service that lists it, the dearest if there are several, so that a budget holds. A model without
a known price has none, rather than a guess.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from tomllib import loads

from assay.core.errors import InputError
from assay.llm.client import CallError, ModelClient, Reply, Request, Usage, Wrapper
from assay.llm.settings.options import Endpoint
from assay.llm.settings.toml_tables import read_fields, read_table, read_toml

_VERSION = re.compile(r"(-\d{4}-\d{2}-\d{2}|[-@]\d{8}|-latest)$")
_LARGEST = 2**20  # bytes of a user's file, which may list thousands of models
_KINDS = {
    "input": float,
    "output": float,
    "long_after": int,
    "long_input": float,
    "long_output": float,
}


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens; prompts of more than `long_after` tokens may cost more."""

    input: float
    output: float
    long_after: int | None = None
    long_input: float = 0.0
    long_output: float = 0.0

    def cost(self, prompt: int, completion: int) -> float:
        """The cost of a call with these numbers of tokens, in US dollars."""
        input_rate, output_rate = self._rates(prompt)
        return (prompt * input_rate + completion * output_rate) / 1e6

    def of(self, usage: Usage) -> float:
        """The cost of a call, in US dollars."""
        return self.cost(usage.prompt, usage.completion)

    def is_at_least(self, other: "Price") -> bool:
        """True if no call costs less than at the other price."""
        steps = (each.long_after for each in (self, other))
        lengths = (0, *(each + 1 for each in steps if each is not None))
        rates = ((*zip(self._rates(each), other._rates(each), strict=True),) for each in lengths)
        return all(mine >= theirs for pair in rates for mine, theirs in pair)

    def _rates(self, prompt: int) -> tuple[float, float]:
        """US dollars per million tokens of a prompt of that length, and of its reply."""
        if self.long_after is not None and prompt > self.long_after:
            return self.long_input, self.long_output
        return self.input, self.output


PriceTable = Mapping[str, Price]
FREE = Price(0.0, 0.0)


@cache
def known_prices() -> PriceTable:
    """The prices in the package; their file says when and where they were collected."""
    text = files("assay.llm.costs").joinpath("prices.toml").read_text(encoding="utf-8")
    return make_prices(loads(text), "prices.toml")


def read_prices(path: str | Path) -> PriceTable:
    """The prices in a user's file."""
    table = read_toml(Path(path).expanduser(), field="prices", most=_LARGEST)
    return make_prices(table, str(path))


def make_prices(table: object, where: str) -> PriceTable:
    """The prices in a table of tables, each with at least `input` and `output`."""
    entries = read_table(table, where).items()
    return {name: _price(each, f"{where} ['{name}']") for name, each in entries}


@dataclass(frozen=True, slots=True)
class FoundPrice:
    """A price, and the name that it is listed under."""

    name: str
    price: Price

    def __str__(self) -> str:
        rates = f"${self.price.input:g} in, ${self.price.output:g} out per million tokens"
        return f"{self.name}: {rates}"


def find_price(endpoint: Endpoint, theirs: PriceTable) -> FoundPrice | None:
    """The price of a model at its own service, None if unknown.

    The user's prices come first, and may also be listed without a provider; an exact name comes
    before the name without its date.
    """
    full = f"{endpoint.provider}/{endpoint.model}"
    return _look_up(theirs, endpoint.name, full, endpoint.model) or _look_up(known_prices(), full)


def find_price_by_name(endpoint: Endpoint, theirs: PriceTable) -> FoundPrice | None:
    """The price of the model of that name at another service, None if none lists it.

    A service that has prices of its own is never given those of another.
    """
    prices = {**known_prices(), **theirs}
    own = f"{endpoint.provider}/"
    if endpoint.provider and any(name.startswith(own) for name in prices):
        return None
    parts = endpoint.model.split("/")
    for tail in ("/".join(parts[start:]) for start in range(len(parts))):
        if found := _look_up(prices, tail):
            return found
    for wanted in (_plain(parts[-1]), _plain(_VERSION.sub("", parts[-1]))):
        same = [FoundPrice(*each) for each in prices.items() if _plain(each[0]) == wanted]
        if same:
            return max(same, key=lambda each: (each.price.output, each.price.input))
    return None


def _look_up(prices: PriceTable, *names: str) -> FoundPrice | None:
    for name in names:
        for listed in (name, _VERSION.sub("", name)):
            if listed in prices:
                return FoundPrice(listed, prices[listed])
    return None


def _plain(name: str) -> str:
    """The name of a model without its provider, as gateways may write it: 4.5 for 4-5."""
    return name.rpartition("/")[2].casefold().replace(".", "-")


def _price(table: object, where: str) -> Price:
    fields = read_fields(table, _KINDS, where)
    missing = [name for name in ("input", "output") if name not in fields]
    if missing:
        raise InputError(f"{where}: '{missing[0]}' is missing (US dollars per million tokens)")
    price = Price(**fields)
    if not all(0 <= value < 1e6 for value in (price.input, price.output)):
        raise InputError(f"{where}: a price must be 0 or more US dollars per million tokens")
    if price.long_after is not None and (
        price.long_input < price.input or price.long_output < price.output
    ):
        raise InputError(
            f"{where}: long_input and long_output must not be lower than input and output"
        )
    return price


@dataclass(slots=True)
class Meter:
    """Running totals: `calls` were paid for, `cached` were not, `failed` got no reply.

    `estimated` counts the calls whose tokens the server did not report. `cost` is in US dollars,
    and None once a call without a known price was paid for. Several clients may share a meter.
    """

    calls: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: int = 0
    cost: float | None = 0.0

    def add(self, reply: Reply, price: Price | None) -> None:
        """Counts a reply."""
        if reply.cached:
            self.cached += 1
            return
        self.calls += 1
        self.prompt_tokens += reply.usage.prompt
        self.completion_tokens += reply.usage.completion
        self.estimated += reply.usage.estimated
        if price is None or self.cost is None:
            self.cost = None
        else:
            self.cost += price.of(reply.usage)


class Metered(Wrapper):
    """Counts the replies of the client inside in a meter."""

    def __init__(self, client: ModelClient, meter: Meter, price: Price | None) -> None:
        super().__init__(client)
        self.meter = meter
        self._price = price

    async def ask(self, request: Request) -> Reply:
        """Asks and counts."""
        try:
            reply = await self.client.ask(request)
        except CallError:
            self.meter.failed += 1
            raise
        self.meter.add(reply, self._price)
        return reply
