"""What a detector missed and invented, at each level."""

import asyncio
from dataclasses import replace

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Judgement, Judgements
from assay.core.taxonomies import BINARY, FAITHBENCH, GRAY7
from assay.core.texts import Response
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Failure, Verdict
from assay.error_analysis.error_items import (
    Gathered,
    Level,
    choose_items,
    gather_errors,
    gather_labelled,
    level_of,
    numbered,
)
from assay.evaluation.localization.matchers import OfflineMatcher
from assay.text.sentences import response_unit, sentence_units
from tests.error_analysis.cases import ALARM, CARGO, PLACE, gold_of, invented, missed
from tests.evaluation.localization.stories import WRECK, failed, judged, predictions, said


def described(annotated: Annotated, judgement: Judgement, reading: str = "") -> Gathered:
    """The errors of a localizer that said this."""
    given = predictions(judgement, detector="localize-cot", unit_kind="response")
    work = gather_errors("d", [annotated], given, OfflineMatcher(), reading=reading)
    return asyncio.run(work)


def test_described_errors_are_missed_or_invented() -> None:
    annotated = gold_of((PLACE, "extrinsic-correct"), (CARGO, ""))
    found = described(annotated, judged(annotated, [CARGO, ALARM]))
    assert [(item.side, item.unit.text) for item in found.items] == [
        ("missed", PLACE.text),
        ("invented", ALARM.text),
    ]
    assert found.items[0].given == "extrinsic-correct"
    assert (found.level, found.units) == ("error", 1)
    # Each has what the other side described beside it.
    assert [item.beside for item in found.items] == [
        (CARGO.text, ALARM.text),
        (PLACE.text, CARGO.text),
    ]


def test_reading_says_which_marks_are_errors() -> None:
    marks = [Unit.at("span", each.spans[0], f"p{n}") for n, each in enumerate((PLACE, CARGO), 1)]
    labels = (FAITHBENCH["benign"], FAITHBENCH["unwanted"])
    verdicts = [Verdict(mark.id, label) for mark, label in zip(marks, labels, strict=True)]
    annotated = Annotated(WRECK, (said(WRECK, marks, verdicts, GOLD),))
    found = described(annotated, judged(annotated, []))
    assert [item.side for item in found.items] == ["missed", "missed"]
    milder = described(annotated, judged(annotated, []), "faithbench")
    assert [item.unit.spans for item in milder.items] == [CARGO.spans]


def test_examples_that_the_detector_left_open_are_counted_and_not_explained() -> None:
    annotated = gold_of((PLACE, ""))
    found = described(annotated, failed(annotated))
    assert (found.items, found.failures) == ((), {"parse": 1})


def test_parts_that_the_detector_left_open_are_counted() -> None:
    annotated = gold_of((PLACE, ""))
    lost = Unit("c1", "claim", "A wreck."), Failure("c1", "parse")
    found = described(annotated, judged(annotated, [PLACE], lost))
    assert (found.items, found.unchecked) == ((), 1)


TWO = replace(
    WRECK,
    response=Response("Guards in Vardia have driven divers away. One guard was hurt."),
)
FIRST, SECOND = sentence_units(TWO)


def of_sentences(*faithful: bool | None) -> Judgements:
    """What a detector of sentences said of the example with two of them."""
    outcomes = (
        Failure(each.id, "parse")
        if good is None
        else Verdict(
            each.id, GRAY7["explicitly-supported" if good else "fabricated"], note="Because."
        )
        for each, good in zip((FIRST, SECOND), faithful, strict=True)
    )
    return predictions(said(TWO, (FIRST, SECOND), outcomes))


def labelled(*faithful: bool, whole: bool | None = None) -> Annotated:
    """The example with gold labels of its sentences, or of all of it."""
    units = (FIRST, SECOND) if whole is None else (response_unit(TWO),)
    labels = faithful if whole is None else (whole,)
    verdicts = (
        Verdict(each.id, BINARY["faithful" if good else "unfaithful"])
        for each, good in zip(units, labels, strict=True)
    )
    return Annotated(TWO, (said(TWO, units, verdicts, GOLD),))


def test_unfaithful_sentence_called_faithful_is_missed_and_the_reverse_invented() -> None:
    (described,) = gold_of((PLACE, "extrinsic-wrong"), example=TWO).judgements
    (labels,) = labelled(False, True).judgements
    both = replace(
        labels,
        units=(*described.units, *labels.units),
        outcomes=(*described.outcomes, *labels.outcomes),
    )
    found = gather_labelled([Annotated(TWO, (both,))], of_sentences(True, False), "sentence")
    one, other = found.items
    assert (one.side, one.unit.text, one.unit.spans) == ("missed", PLACE.text, FIRST.spans)
    assert one.given == "extrinsic-wrong"
    assert (other.side, other.said, other.unit.spans) == ("invented", "Because.", SECOND.spans)
    assert (one.unit.id, other.unit.id, found.units) == ("i1", "i2", 2)


def test_sentences_without_a_verdict_are_failures() -> None:
    found = gather_labelled([labelled(False, True)], of_sentences(None, True), "sentence")
    assert (found.items, found.failures) == ((), {"parse": 1})


def test_response_that_nobody_explained_says_so() -> None:
    verdict = Verdict(RESPONSE, BINARY["faithful"])
    given = predictions(said(TWO, [response_unit(TWO)], [verdict]), unit_kind="response")
    (item,) = gather_labelled([labelled(whole=False)], given, "response").items
    assert (item.side, item.unit.spans) == ("missed", ())
    assert "nobody wrote down" in item.unit.text


def test_sentences_count_as_responses_where_nobody_labelled_unfaithful_ones() -> None:
    found = gather_labelled([labelled(whole=False)], of_sentences(True, True), "sentence")
    assert (found.level, [item.side for item in found.items]) == ("response", ["missed"])


def test_sentences_that_are_all_faithful_are_looked_at_as_sentences() -> None:
    found = gather_labelled([labelled(True, True)], of_sentences(True, False), "sentence")
    assert (found.level, [item.side for item in found.items]) == ("sentence", ["invented"])


def test_corpus_without_gold_labels_is_refused() -> None:
    with pytest.raises(InputError, match="d has no gold labels of sentences"):
        asyncio.run(
            gather_errors("d", [Annotated(TWO)], of_sentences(True, True), OfflineMatcher())
        )


@pytest.mark.parametrize(
    ("detector", "kind", "found", "level"),
    [
        ("", "response", True, "error"),
        ("", "response", False, "response"),
        ("localize-cot:b", "response", False, "error"),
        ("judge-simple", "response", False, "response"),
        ("overlap", "sentence", False, "sentence"),
        ("judge-claims", "claim", False, "response"),
        ("somebody-elses", "sentence", False, "sentence"),
    ],
)
def test_level_is_found_by_what_a_detector_can_do_and_by_what_it_said(
    detector: str, kind: str, found: bool, level: Level
) -> None:
    judgement = judged(WRECK, [PLACE] if found else [])
    assert level_of(predictions(judgement, detector=detector, unit_kind=kind)) == level


def test_errors_of_an_example_are_numbered() -> None:
    other = missed(example=replace(WRECK, id="other"))
    items = numbered([missed(), other, invented()])
    assert [item.key for item in items] == [("wreck", "i1"), ("other", "i1"), ("wreck", "i2")]


def test_sample_takes_so_many_of_each_side_and_the_same_by_seed() -> None:
    units = [Unit("i1", "inconsistency", f"Error {n}.") for n in range(20)]
    items = numbered([*map(missed, units), *map(invented, units)])
    chosen = choose_items(items, 5, 1)
    assert [item.side for item in chosen] == ["missed"] * 5 + ["invented"] * 5
    assert chosen == choose_items(items, 5, 1) != choose_items(items, 5, 2)
    assert choose_items(items, None, 0) == items
