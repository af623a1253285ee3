"""The units of an example that a detector has to judge."""

from assay.core.examples import Example
from assay.core.spans import Span
from assay.core.units import Unit, UnitKind
from assay.text.sentences import split_sentences


def sentence_units(example: Example) -> tuple[Unit, ...]:
    """The sentences that the example names; without any, those of its response."""
    if example.units:
        return tuple(unit for unit in example.units if unit.kind == "sentence")
    text = example.response.text
    spans = split_sentences(text, language=example.language)
    return tuple(Unit.at("sentence", span) for span in spans) or (
        response_unit(example, "sentence"),
    )


def response_unit(example: Example, kind: UnitKind = "response") -> Unit:
    """The whole response as one unit."""
    text = example.response.text
    return Unit.at(kind, Span.cut(text, 0, len(text), "response"))
