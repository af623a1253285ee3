"""What a detector asked of models, and what that cost."""

from assay.detectors.judges.protocol import Judge
from assay.detectors.judges.several import Several
from assay.detectors.protocol import Detector
from assay.llm.client import Client, Wrapper
from assay.llm.connection import Connection
from assay.llm.costs import Meter


def meters_of(detector: Detector) -> tuple[Meter, ...]:
    """The meters of all models that a detector asks; none if it asks nobody."""
    if not isinstance(detector, Judge):
        return ()
    found: dict[int, Meter] = {}
    clients: list[Client] = [detector.client]
    while clients:
        client = clients.pop()
        if isinstance(client, Connection):
            found[id(client.meter)] = client.meter
        elif isinstance(client, Several):
            clients += client.clients
        elif isinstance(client, Wrapper):
            clients.append(client.client)
    return tuple(found.values())


def usage_line(meters: tuple[Meter, ...]) -> str:
    """What was asked, and what that cost, in words; empty where nothing was asked."""
    if not any(meter.calls or meter.failed for meter in meters):
        return ""
    tokens = sum(meter.prompt_tokens + meter.completion_tokens for meter in meters)
    spent = total_cost(meters)
    cost = "unknown" if spent is None else f"${spent:.4f}"
    failed = sum(meter.failed for meter in meters)
    note = f", {failed:,} failed" if failed else ""
    return f"{sum(meter.calls for meter in meters):,} calls{note}, {tokens:,} tokens, cost {cost}"


def total_cost(meters: tuple[Meter, ...]) -> float | None:
    """US dollars; None where there is no meter, or a price that is not known."""
    costs = [meter.cost for meter in meters]
    return sum(cost for cost in costs if cost) if costs and None not in costs else None
