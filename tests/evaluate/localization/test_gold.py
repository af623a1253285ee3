"""Gold inconsistencies from each form of gold verdicts, and from the released data."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.examples import Example
from assay.core.labels import Label
from assay.core.spans import Span
from assay.core.taxonomies import BINARY, FAITHBENCH, FINAL4, GRAY7, RAGTRUTH4
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.detectors.units import response_unit
from assay.evaluate.localization.gold import gold_inconsistencies
from assay.evaluate.localization.inconsistencies import Inconsistency

TEXT = "The mill, built in 1911, burned down on Monday because of a candle."
MILL = Example("mill", Source("The old mill burned down on Tuesday."), Response(TEXT))
WHOLE = response_unit(MILL)
UNFAITHFUL, FAITHFUL = BINARY["unfaithful"], BINARY["faithful"]


def mark(words: str, label: Label, note: str = "", judge: str = "") -> Verdict:
    start = TEXT.index(words)
    span = Span.cut(TEXT, start, start + len(words), "response")
    return Verdict(Unit.at("span", span), label, note=note, judge=judge)


def found(*verdicts: Verdict) -> tuple[Inconsistency, ...] | None:
    return gold_inconsistencies(replace(MILL, gold=verdicts))


def errors(*verdicts: Verdict) -> tuple[Inconsistency, ...]:
    given = found(*verdicts)
    assert given is not None
    return given


def test_span_of_ragtruth_is_an_error_in_the_words_of_its_note() -> None:
    note = "EVIDENT CONFLICT\nOriginal: on Tuesday\nGenerative: on Monday\n"
    label = RAGTRUTH4["evident-conflict"]
    (error,) = errors(Verdict(WHOLE, UNFAITHFUL), mark("on Monday", label, note))
    assert error.description == "Original: on Tuesday Generative: on Monday"
    assert [span.text for span in error.unit.spans] == ["on Monday"]
    assert (error.kind, error.category, error.is_made) == ("evident-conflict", None, False)


def test_true_addition_of_ragtruth_is_extrinsic_and_correct() -> None:
    baseless = RAGTRUTH4["evident-baseless"]
    verdicts = (
        mark(
            "built in 1911", baseless, "LOW INTRO OF NEW INFO\nTrue, as I looked up\nimplicit_true"
        ),
        mark("because of a candle", baseless, "Not in the source\ndue_to_null"),
    )
    true, open_ = errors(*verdicts)
    assert true.category == FINAL4["extrinsic-correct"]
    assert (true.description, open_.description) == ("True, as I looked up", "Not in the source")
    assert open_.category is None


@pytest.mark.parametrize("note", ["", "EVIDENT CONFLICT:", "implicit_true", "extrinsic"])
def test_span_that_nobody_described_has_a_plain_sentence_that_is_marked_as_made(note: str) -> None:
    (error,) = errors(mark("on Monday", RAGTRUTH4["evident-conflict"], note))
    assert error.description == 'The response says "on Monday", which the source does not support.'
    assert error.is_made


def test_overlapping_spans_of_one_annotator_are_two_errors() -> None:
    conflict = RAGTRUTH4["evident-conflict"]
    given = errors(
        mark("burned down on Monday", conflict, "It says one"),
        mark("on Monday", conflict, "It says two"),
    )
    assert [error.description for error in given] == ["It says one", "It says two"]


def test_what_several_annotators_mark_at_one_place_is_one_error_with_all_accounts() -> None:
    intrinsic, questionable = FAITHBENCH["unwanted.intrinsic"], FAITHBENCH["questionable"]
    (error,) = errors(
        Verdict(WHOLE, FAITHBENCH["unwanted"]),
        mark("burned down on Monday", questionable, "", "ann"),
        mark("on Monday", intrinsic, "It was Tuesday.", "bob"),
        mark("Monday because", intrinsic, "Not on Monday!", "cy"),
    )
    assert error.description == "It was Tuesday."
    assert [unit.text for unit in error.also] == [
        "Not on Monday!",
        'The response says "burned down on Monday", which the source does not support.',
    ]
    assert (error.kind, error.is_made) == ("unwanted.intrinsic", False)
    assert len(error.accounts) == 3


def test_two_marks_of_one_annotator_do_not_join_the_same_error() -> None:
    bad = FAITHBENCH["unwanted"]
    first, second = errors(
        mark("burned down on Monday because of a candle", bad, "The whole clause.", "ann"),
        mark("on Monday", bad, "The wrong day.", "bob"),
        mark("because of a candle", bad, "An invented cause.", "bob"),
    )
    assert first.also[0].text == "The wrong day."
    assert second.description == "An invented cause."


def test_label_that_counts_as_faithful_is_no_error() -> None:
    assert (
        found(
            Verdict(WHOLE, FAITHBENCH["benign"]), mark("1911", FAITHBENCH["benign"], "Fine.", "ann")
        )
        == ()
    )


def test_extrinsic_span_of_faithbench_is_wrong_and_others_have_no_category() -> None:
    extrinsic, intrinsic = errors(
        mark("built in 1911", FAITHBENCH["unwanted.extrinsic"], "Not there at all.", "ann"),
        mark("on Monday", FAITHBENCH["unwanted.intrinsic"], "It was Tuesday.", "ann"),
    )
    assert (extrinsic.category, intrinsic.category) == (FINAL4["extrinsic-wrong"], None)


def test_note_on_the_whole_response_is_an_error_without_a_place() -> None:
    label = FAITHBENCH["questionable"]
    verdict = Verdict(WHOLE, label, note="A second summary is given.", judge="ann")
    (error,) = errors(Verdict(WHOLE, label), verdict)
    assert (error.description, error.unit.spans) == ("A second summary is given.", ())


def test_explanation_of_defacto_is_one_error_at_the_words_that_the_correction_changes() -> None:
    corrected = "The mill burned down on Tuesday."
    note = f"error: intrinsic\nexplanation: The day is wrong,\n and so on.\ncorrected: {corrected}"
    (error,) = errors(Verdict(WHOLE, UNFAITHFUL, note=note))
    assert error.description == "The day is wrong, and so on."
    assert error.kind == "intrinsic"
    assert [span.text for span in error.unit.spans] == [
        "built in 1911",
        "Monday because of a candle",
    ]


def test_explanation_without_a_correction_has_no_place() -> None:
    (error,) = errors(Verdict(WHOLE, UNFAITHFUL, note="explanation: The day is wrong."))
    assert error.unit.spans == ()


def test_described_inconsistencies_are_taken_as_they_are() -> None:
    unit = Unit("inconsistency", "It was Tuesday.")
    verdict = Verdict(unit, UNFAITHFUL, error=FINAL4["intrinsic-alteration"])
    (error,) = errors(Verdict(WHOLE, UNFAITHFUL), verdict)
    assert (error.unit, error.category) == (unit, FINAL4["intrinsic-alteration"])


def test_described_errors_stand_beside_those_that_are_marked_or_explained() -> None:
    described = Verdict(Unit("inconsistency", "It was Tuesday."), UNFAITHFUL)
    marked = mark("1911", RAGTRUTH4["evident-baseless"], "No year is named.")
    explained = Verdict(WHOLE, UNFAITHFUL, note="explanation: No year is named.")
    for other in (marked, explained):
        given = errors(described, other)
        assert [each.description for each in given] == ["No year is named.", "It was Tuesday."]


@pytest.mark.parametrize(
    ("verdicts", "gold"),
    [
        ((), None),
        ((Verdict(WHOLE, FAITHFUL),), ()),
        ((Verdict(WHOLE, UNFAITHFUL),), None),
        ((Verdict(WHOLE, UNFAITHFUL, note="error: intrinsic"),), None),
        ((Verdict(WHOLE, GRAY7["ambiguous"]),), None),
        ((Verdict(WHOLE, score=0.2),), None),
        ((Verdict(WHOLE, FAITHFUL, note="explanation: There is no error."),), ()),
        ((Verdict(Unit("sentence", "It burned."), GRAY7["explicitly-supported"]),), ()),
        ((Verdict(Unit("sentence", "It burned."), GRAY7["fabricated"]),), None),
    ],
)
def test_no_error_is_known_only_where_people_found_the_response_faithful(
    verdicts: tuple[Verdict, ...], gold: object
) -> None:
    assert found(*verdicts) == gold


# Examples, errors, examples with errors, errors that are only marked, and without a place.
RELEASED = {
    "ragtruth": (1_577, 1_081, 669, 8, 0),
    "faithbench": (750, 962, 511, 17, 0),
    "faithbench-paper": (750, 973, 501, 28, 2),
    "defacto": (1_486, 1_042, 1_042, 0, 19),
}


@pytest.mark.shared_data
@pytest.mark.parametrize("corpus", RELEASED)
def test_released_gold_is_counted_and_every_span_is_verified(
    shared_data: Path, corpus: str
) -> None:
    from assay.datasets.corpus import load_corpus

    counts: Counter[str] = Counter()
    for example in load_corpus(corpus, shared_data):
        given = gold_inconsistencies(example)
        assert given is not None
        counts.update(examples=1, errors=len(given), wrong=bool(given))
        for error in given:
            counts.update(made=error.is_made, unplaced=not error.unit.spans)
            for unit in error.accounts:
                assert unit.text.strip()
                assert all(span.verify(example.response.text) == span for span in unit.spans)
            assert all(span.verify(example.source.text) == span for span in error.evidence)
    names = ("examples", "errors", "wrong", "made", "unplaced")
    assert tuple(counts[name] for name in names) == RELEASED[corpus]
