"""The units of an example that a detector has to judge."""

from collections.abc import Callable
from dataclasses import replace

from assay.core.examples import Example
from assay.core.units import Unit
from assay.text.sentences import response_unit, sentence_units

Make = Callable[..., Example]


def test_sentences_are_found_where_none_are_named(make_example: Make) -> None:
    units = sentence_units(make_example(response=" It sat.\nIt ate."))
    assert [(unit.id, unit.text, unit.start, unit.end) for unit in units] == [
        ("s1", "It sat.", 1, 8),
        ("s2", "It ate.", 9, 16),
    ]


def test_named_sentences_are_taken_as_they_are(make_example: Make) -> None:
    named = Unit("s7", "sentence", "as the annotators cut it")
    example = replace(make_example(), units=(Unit("c1", "claim", "x"), named))
    assert sentence_units(example) == (named,)


def test_response_without_a_word_is_one_sentence(make_example: Make) -> None:
    (unit,) = sentence_units(make_example(response=" ?! "))
    assert (unit.id, unit.kind, unit.text) == ("s1", "sentence", " ?! ")


def test_whole_response_is_one_unit(make_example: Make) -> None:
    unit = response_unit(make_example(response=" It sat. "))
    assert (unit.id, unit.text, unit.start, unit.end) == ("response", " It sat. ", 0, 9)
