"""A cheap detector first, an expensive one where it is unsure."""

from collections.abc import Callable

import pytest

from assay.core import Example, Failure, InputError, Outcome, Unit, Verdict
from assay.core.taxonomies import BINARY, GRAY7
from assay.detectors import Detector, cascade

Make = Callable[..., Example]
Script = Callable[..., Detector]


def cheap(unit: Unit) -> Outcome:
    """Sure of what is sure, unsure of the rest."""
    if unit.text == "It failed.":
        return Failure(unit, "parse")
    label = "out-dependent" if unit.text == "It is gray." else "fabricated"
    confidence = {"It is sure.": 0.9, "It is edge.": 0.8, "It is weak.": 0.79}.get(unit.text)
    return Verdict(unit, GRAY7[label], confidence=confidence, note="cheap")


def expensive(unit: Unit) -> Outcome:
    return Verdict(unit, GRAY7["explicitly-supported"], note="expensive")


RESPONSE = "It is sure. It is weak. It is plain. It is gray. It is edge. It failed."


def test_second_is_asked_only_where_the_first_is_unsure(
    make_example: Make, scripted: Script
) -> None:
    asked: list[str] = []
    both = cascade(scripted(cheap), scripted(expensive, log=asked))
    (judgement,) = both.detect([make_example(response=RESPONSE)])
    assert asked == ["It is weak.", "It is gray.", "It failed."]
    assert [each.unit.text for each in judgement.outcomes] == [
        *("It is sure.", "It is weak.", "It is plain.", "It is gray.", "It is edge.", "It failed.")
    ]
    assert [each.note for each in judgement.verdicts] == [
        *("cheap", "expensive", "cheap", "expensive", "cheap", "expensive")
    ]


def test_second_is_not_asked_at_all_where_everything_is_sure(
    make_example: Make, scripted: Script
) -> None:
    asked: list[str] = []
    both = cascade(scripted(cheap), scripted(expensive, log=asked), below=0.5)
    (judgement,) = both.detect([make_example(response="It is sure. It is weak.")])
    assert asked == []
    assert len(judgement.verdicts) == 2


def test_second_opinion_that_fails_leaves_the_first_with_a_note(
    make_example: Make, scripted: Script
) -> None:
    broken = scripted(lambda unit: Failure(unit, "transport"))
    (judgement,) = cascade(scripted(cheap), broken).detect([make_example(response="It is weak.")])
    (verdict,) = judgement.verdicts
    assert str(verdict.label) == "fabricated"
    assert verdict.note == "cheap The second opinion failed (transport)."


def test_unit_that_both_fail_on_has_the_second_failure(
    make_example: Make, scripted: Script
) -> None:
    broken = scripted(lambda unit: Failure(unit, "budget"))
    (judgement,) = cascade(scripted(cheap), broken).detect([make_example(response="It failed.")])
    assert [each.reason for each in judgement.failures] == ["budget"]


def test_examples_keep_their_order(make_example: Make, scripted: Script) -> None:
    texts = ["It is weak.", "It is sure.", "It is gray.", "It is plain."] * 20
    examples = [make_example(response=text, id=str(n)) for n, text in enumerate(texts)]
    results = list(cascade(scripted(cheap), scripted(expensive)).detect(examples))
    assert [each.example.id for each in results] == [str(n) for n in range(80)]
    notes = [each.verdicts[0].note for each in results]
    assert notes == ["expensive", "cheap", "expensive", "cheap"] * 20


def test_examples_are_taken_in_batches_of_32(make_example: Make, scripted: Script) -> None:
    stream = (make_example(id=str(number)) for number in range(1_000))
    results = cascade(scripted(cheap), scripted(expensive)).detect(stream)
    assert next(results).example.id == "0"
    assert next(stream).id == "32"


def test_name_tells_both(scripted: Script) -> None:
    assert cascade(scripted(cheap, name="a"), scripted(cheap, name="b")).name == "a then b"


def test_detectors_of_different_taxonomies_are_rejected(scripted: Script) -> None:
    with pytest.raises(InputError, match="a and b cannot be combined: their taxonomy differs"):
        cascade(scripted(cheap, name="a"), scripted(cheap, name="b", taxonomy=BINARY))
