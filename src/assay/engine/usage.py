"""Calls, tokens, costs and seconds of a run over all its sessions."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from assay.core.stages import StageUses, add_stages, read_stages
from assay.detectors.protocol import Detector, uses_of
from assay.llm.client import Reply
from assay.llm.connection import Connection
from assay.llm.costs.budget import NOTHING, Amount, Budget
from assay.llm.costs.prices import Meter, Price

_TRILLION = 10**12  # budgets count money in trillionths of a dollar
_COUNTS = tuple(each.name for each in fields(Meter))


class RunUsage:
    """Counts on from where earlier sessions ended."""

    def __init__(self) -> None:
        self._paid = Meter()
        self._free = Meter()  # cached and failed calls of earlier sessions
        self._connections: list[Connection] = []
        self._detectors: tuple[Detector, ...] = ()
        self._stages: StageUses = ()  # of earlier sessions
        self._seconds = 0.0
        self._began = time.monotonic()
        self._uncounted = NOTHING  # spent by earlier sessions on calls that were not answered
        self._others = NOTHING  # committed of the same budget, by other work

    def go_on(self, earlier: Mapping[str, Any]) -> None:
        """Adds what earlier sessions used; of a shared budget, that much is spent."""
        self._paid = Meter(**{name: earlier.get(name, getattr(Meter(), name)) for name in _COUNTS})
        self._free = Meter(cached=self._paid.cached, failed=self._paid.failed)
        self._seconds = earlier.get("seconds", 0.0)
        self._stages = read_stages(earlier.get("stages", ()))
        self._began = time.monotonic()
        before = _most(self._answered, earlier.get("spent", (0, 0, 0)))
        self._uncounted = before - self._answered
        for budget in self._budgets():
            self._others = budget.committed
            budget.spent += before

    def watch(self, connection: Connection) -> None:
        """Counts also what this connection answers from a cache or not at all."""
        self._connections.append(connection)

    def watch_stages(self, *detectors: Detector) -> None:
        """Measures also the work of the parts of these detectors, which are all of one kind."""
        self._detectors = detectors

    @property
    def stages(self) -> StageUses:
        """The work of each part of the detector over all sessions; nothing where it has none."""
        found = self._stages
        for detector in self._detectors:
            found = add_stages(found, uses_of(detector))
        return found

    def pay(self, reply: Reply, price: Price | None) -> None:
        """Counts a reply that was paid for."""
        self._paid.add(reply, price)

    def record(self) -> dict[str, Any]:
        """Everything so far as plain JSON values."""
        meters = [connection.meter for connection in self._connections]
        counts: dict[str, Any] = {name: getattr(self._paid, name) for name in _COUNTS}
        counts["cached"] = self._free.cached + sum(meter.cached for meter in meters)
        counts["failed"] = self._free.failed + sum(meter.failed for meter in meters)
        counts["seconds"] = round(self._seconds + time.monotonic() - self._began, 3)
        spent = self.spent
        counts["spent"] = [spent.money, spent.tokens, spent.calls]
        if stages := self.stages:
            counts["stages"] = [each.to_dict() for each in stages]
        return counts

    @property
    def spent(self) -> Amount:
        """The most that all sessions have spent: calls that were cut off may have been charged.

        A session without a budget knows only what was answered.
        """
        for budget in self._budgets():
            return budget.committed - self._others
        return self._answered + self._uncounted

    def describe(self) -> str:
        """The calls of this session and their cost, in words; empty where no model was asked."""
        meters = [connection.meter for connection in self._connections]
        calls, failed = (sum(getattr(each, n) for each in meters) for n in ("calls", "failed"))
        if not calls and not failed:
            return ""
        tokens = sum(meter.prompt_tokens + meter.completion_tokens for meter in meters)
        cost = self.session_cost
        money = "unknown" if cost is None else f"${cost:.4f}"
        note = f", {failed:,} failed" if failed else ""
        return f"{calls:,} calls{note}, {tokens:,} tokens, cost {money}"

    @property
    def session_cost(self) -> float | None:
        """US dollars of this session; None where a price is not known."""
        costs = [connection.meter.cost for connection in self._connections]
        return None if None in costs else sum(cost for cost in costs if cost)

    @property
    def adaptations(self) -> tuple[str, ...]:
        """Settings that the servers reject, and what was sent instead."""
        told = (each for connection in self._connections for each in connection.adaptations)
        return tuple(dict.fromkeys(told))

    @property
    def _answered(self) -> Amount:
        """The cost of the replies of all sessions."""
        paid = self._paid
        money = round((paid.cost or 0.0) * _TRILLION)
        return Amount(money, paid.prompt_tokens + paid.completion_tokens, paid.calls)

    def _budgets(self) -> list[Budget]:
        """The one budget that all connections share, if there is one."""
        return [each.budget for each in self._connections[:1] if each.budget]


def may_be_charged(record: Mapping[str, Any]) -> bool:
    """True if a run may have cost something, or has used up some of a budget."""
    return bool(record.get("calls")) or any(record.get("spent", ()))


def _most(answered: Amount, kept: Sequence[int]) -> Amount:
    """The spending of earlier sessions; earlier versions without a budget kept no such record."""
    counted = (answered.money, answered.tokens, answered.calls)
    return Amount(*map(max, kept, counted))
