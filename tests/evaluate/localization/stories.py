"""Small responses with errors, and inconsistencies in few words."""

from collections.abc import Sequence
from dataclasses import replace

from assay.core.examples import Example, Judgement
from assay.core.spans import Span
from assay.core.taxonomies import BINARY, FINAL4
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.units import response_unit
from assay.evaluate.localization.inconsistencies import Inconsistency

WRECK = Example(
    "wreck",
    Source("Guards have driven away divers who searched a wreck. One guard was hurt.", id="s"),
    Response(
        "Guards in Vardia have driven divers away from a silver wreck off the southern coast."
    ),
)


def unit(description: str, *words: str, response: str = WRECK.response.text) -> Unit:
    """An inconsistency about these words of a response."""
    spans = []
    for each in words:
        start = response.index(each)
        spans.append(Span.cut(response, start, start + len(each), "response"))
    return Unit("inconsistency", description, tuple(spans))


def error(description: str, *words: str, category: str = "", kind: str = "") -> Inconsistency:
    """A gold or predicted error."""
    label = FINAL4[category] if category else None
    return Inconsistency(unit(description, *words), label, kind)


def gold(example: Example, *units: Unit, category: str = "intrinsic-alteration") -> Example:
    """The example with these gold errors, in our own form."""
    whole = Verdict(response_unit(example), BINARY["unfaithful" if units else "faithful"])
    errors = (Verdict(each, BINARY["unfaithful"], error=FINAL4[category]) for each in units)
    return replace(example, gold=(whole, *errors))


def judged(
    example: Example, found: Sequence[Unit], *failures: Failure, category: str = "extrinsic-wrong"
) -> Judgement:
    """What a localizer said."""
    label = BINARY["unfaithful" if found else "faithful"]
    outcomes: list[Outcome] = [Verdict(response_unit(example), label)]
    outcomes += [Verdict(each, BINARY["unfaithful"], error=FINAL4[category]) for each in found]
    return Judgement(example, (*outcomes, *failures), len(example.source.text))


def failed(example: Example, reason: str = "parse") -> Judgement:
    """A response that a localizer could not judge."""
    failure = Failure(response_unit(example), reason)  # type: ignore[arg-type]
    return Judgement(example, (failure,), 0)
