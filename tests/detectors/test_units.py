"""The units of an example that a detector has to judge."""

from collections.abc import Callable
from dataclasses import replace

from assay.core import Example, Unit
from assay.detectors.units import response_unit, sentence_units

Make = Callable[..., Example]


def test_sentences_are_found_where_none_are_named(make_example: Make) -> None:
    units = sentence_units(make_example(response=" It sat.\nIt ate."))
    assert [(unit.text, unit.start, unit.end) for unit in units] == [
        ("It sat.", 1, 8),
        ("It ate.", 9, 16),
    ]


def test_named_sentences_are_taken_as_they_are(make_example: Make) -> None:
    named = Unit("sentence", "as the annotators cut it")
    example = replace(make_example(), units=(Unit("claim", "x"), named))
    assert sentence_units(example) == (named,)


def test_response_without_a_word_is_one_sentence(make_example: Make) -> None:
    (unit,) = sentence_units(make_example(response=" ?! "))
    assert (unit.kind, unit.text) == ("sentence", " ?! ")


def test_whole_response_is_one_unit(make_example: Make) -> None:
    unit = response_unit(make_example(response=" It sat. "))
    assert (unit.kind, unit.text, unit.start, unit.end) == ("response", " It sat. ", 0, 9)
