"""The units of an example that a detector has to judge."""

from assay.core.examples import Example
from assay.core.units import Unit, unit_id
from assay.text.sentences import split_sentences


def sentence_units(example: Example) -> tuple[Unit, ...]:
    """The sentences that the example names; without any units, those of its response."""
    if example.units:
        return tuple(unit for unit in example.units if unit.kind == "sentence")
    return find_sentences(example.response.text, example.language)


def find_sentences(text: str, language: str = "en") -> tuple[Unit, ...]:
    """The sentences of a text as units; one that has none is a single sentence."""
    spans = split_sentences(text, language=language)
    units = (
        Unit.at("sentence", span, unit_id("sentence", number))
        for number, span in enumerate(spans, start=1)
    )
    whole = Unit(unit_id("sentence", 1), "sentence", text, Unit.response(text).spans)
    return tuple(units) or (whole,)


def response_unit(example: Example) -> Unit:
    """The whole response as one unit."""
    return Unit.response(example.response.text)
