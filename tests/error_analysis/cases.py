"""Errors of detectors in few words."""

import json
from collections.abc import Callable, Iterable

from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author
from assay.core.taxonomies import BINARY, FALSEALARM5, FINAL4
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Verdict
from assay.detectors.protocol import Detector
from assay.detectors.registry import DetectorSpec, open_detector
from assay.error_analysis.error_items import ErrorItem, numbered
from assay.error_analysis.explanations import Explained, Statement
from assay.llm.client import Line, ModelClient, Request
from assay.text.sentences import response_unit
from tests.evaluation.localization import stories
from tests.evaluation.localization.stories import WRECK, unit

PLACE = unit("The response puts it in Vardia, and the source names no place.", "in Vardia")
CARGO = unit("The response has silver in the wreck, and the source has nothing of it.", "silver")
ALARM = unit("The response does not say that a guard was hurt.")
MODEL = Author("m", version="abc")

Script = Callable[[Request], Line]


def gold_of(*errors: tuple[Unit, str], example: Example = WRECK) -> Annotated:
    """The example with gold errors, each with its category."""
    label = BINARY["unfaithful" if errors else "faithful"]
    units = stories.numbered(each for each, _ in errors)
    verdicts = [
        Verdict(each.id, BINARY["unfaithful"], error=FINAL4[category] if category else None)
        for each, (_, category) in zip(units, errors, strict=True)
    ]
    whole = response_unit(example)
    said = stories.said(example, (whole, *units), (Verdict(RESPONSE, label), *verdicts), GOLD)
    return Annotated(example, (said,))


def missed(described: Unit = PLACE, category: str = "", example: Example = WRECK) -> ErrorItem:
    given = FINAL4[category] if category else None
    return numbered([ErrorItem("missed", example, described, given)])[0]


def invented(described: Unit = ALARM, said: str = "", example: Example = WRECK) -> ErrorItem:
    return numbered([ErrorItem("invented", example, described, said=said)])[0]


def unexplained(items: Iterable[ErrorItem]) -> list[Explained]:
    """Errors as they stand before anybody is asked."""
    return [Explained(item) for item in items]


def proposed(category: str, by: Author = MODEL, unit: str = "i1") -> Statement:
    """What a model, or the gold, says of an error."""
    menu = FINAL4 if category in FINAL4.names else FALSEALARM5
    return Statement(by, Verdict(unit, menu[category], note="Because."), "2025-01-01")


def opinion(label: str) -> str:
    return json.dumps({"reason": f"I find it {label}.", "label": label})


def believer(client: ModelClient, repeat: int = 1) -> Detector:
    """What asks a model how likely it finds claims."""
    return open_detector(DetectorSpec(f"p-true:repeat={repeat}", (client.model,)), [client])
