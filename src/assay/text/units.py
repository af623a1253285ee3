"""The units of an example that a detector has to judge."""

from assay.core.examples import Example
from assay.core.spans import Span
from assay.core.units import Unit, unit_id
from assay.text.markup import visible
from assay.text.sentences import split_sentences


def sentence_units(example: Example) -> tuple[Unit, ...]:
    """The sentences that the example names; without any units, those of its response."""
    if example.units:
        return tuple(unit for unit in example.units if unit.kind == "sentence")
    return find_sentences(example.response.text, example.language)


def find_sentences(text: str, language: str = "en") -> tuple[Unit, ...]:
    """The sentences that a reader sees in a text, as units of it; without any it is one sentence.

    >>> [unit.text for unit in find_sentences("| City | Since |\\n|--|--|\\n| Lund | 990 |")]
    ['Lund | 990']
    """
    view = visible(text)
    places = (
        view.to_original(span.start, span.end)
        for span in split_sentences(view.text, language=language)
    )
    units = (
        Unit.at("sentence", Span.cut(text, *place, "response"), unit_id("sentence", number))
        for number, place in enumerate(places, start=1)
    )
    whole = Unit(unit_id("sentence", 1), "sentence", text, Unit.response(text).spans)
    return tuple(units) or (whole,)


def response_unit(example: Example) -> Unit:
    """The whole response as one unit."""
    return Unit.response(example.response.text)
