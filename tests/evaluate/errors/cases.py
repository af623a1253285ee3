"""Errors of judges in few words."""

import json
from collections.abc import Callable
from dataclasses import replace

from assay.core.examples import Example
from assay.core.taxonomies import BINARY, FINAL4
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.detectors.units import response_unit
from assay.evaluate.errors.items import ErrorItem, identified
from assay.llm.client import Request
from assay.llm.scripted import Line
from tests.evaluate.localization.stories import WRECK, unit

PLACE = unit("The response puts it in Vardia, and the source names no place.", "in Vardia")
CARGO = unit("The response has silver in the wreck, and the source has nothing of it.", "silver")
ALARM = unit("The response does not say that a guard was hurt.")

Script = Callable[[Request], Line]


def gold_of(*errors: tuple[Unit, str], example: Example = WRECK) -> Example:
    """The example with gold errors, each with its category."""
    whole = Verdict(response_unit(example), BINARY["unfaithful" if errors else "faithful"])
    found = (Verdict(u, BINARY["unfaithful"], error=FINAL4[c] if c else None) for u, c in errors)
    return replace(example, gold=(whole, *found))


def missed(described: Unit = PLACE, category: str = "") -> ErrorItem:
    given = FINAL4[category] if category else None
    return identified([ErrorItem("missed", WRECK, described, given)])[0]


def invented(described: Unit = ALARM) -> ErrorItem:
    return identified([ErrorItem("invented", WRECK, described)])[0]


def opinion(label: str) -> str:
    return json.dumps({"reason": f"I find it {label}.", "label": label})
