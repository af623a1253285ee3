"""Gold inconsistencies from each form of gold verdicts, and from the released data."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.labels import Label
from assay.core.taxonomies import BINARY, FAITHBENCH, FINAL4, GRAY7, RAGTRUTH4
from assay.core.texts import Response, Source, Span
from assay.core.units import RESPONSE, Unit, unit_id
from assay.core.verdicts import Attributes, Verdict
from assay.evaluation.localization.gold import (
    gold_inconsistencies,
    known_examples,
    said_by_people,
)
from assay.evaluation.localization.inconsistencies import Inconsistency, made_unit
from assay.evaluation.localization.matchers import OfflineMatcher
from assay.evaluation.policy import GoldPolicy
from assay.metrics import Hits, add_hits, matching_hits
from assay.text.sentences import response_unit
from tests.evaluation.localization.stories import WRECK, gold
from tests.evaluation.localization.stories import unit as described

TEXT = "The mill, built in 1911, burned down on Monday because of a candle."
MILL = Example("mill", Source("The old mill burned down on Tuesday."), Response(TEXT))
WHOLE = response_unit(MILL)
UNFAITHFUL, FAITHFUL = BINARY["unfaithful"], BINARY["faithful"]

Said = tuple[str, Unit, Verdict]  # who, of what, and what


def mark(words: str, label: Label, explanation: str = "", author: str = "", **more: bool) -> Said:
    start = TEXT.index(words)
    span = Span.cut(TEXT, start, start + len(words), "response")
    attributes = Attributes(explanation=explanation, **more)  # type: ignore[arg-type]
    return author, Unit.at("span", span, ""), Verdict("", label, attributes=attributes)


def whole(label: Label, author: str = "", **attributes: str) -> Said:
    told = Attributes(**attributes)  # type: ignore[arg-type]
    return author, WHOLE, Verdict(RESPONSE, label, attributes=told)


def annotated(*given: Said) -> Annotated:
    """The example with one judgement of each author; units get ids in their order."""
    found: dict[str, list[tuple[Unit, Verdict]]] = {}
    for number, (author, unit, verdict) in enumerate(given, 1):
        id = unit.id or unit_id(unit.kind, number)
        found.setdefault(author, []).append((replace(unit, id=id), replace(verdict, unit=id)))
    return Annotated(MILL, tuple(_judgement(author, pairs) for author, pairs in found.items()))


def _judgement(author: str, pairs: Iterable[tuple[Unit, Verdict]]) -> Judgement:
    units, verdicts = zip(*pairs, strict=True)
    return Judgement(MILL.id, Author(author, "person") if author else GOLD, units, verdicts)


def found(*given: Said) -> tuple[Inconsistency, ...] | None:
    return gold_inconsistencies(annotated(*given))


def errors(*given: Said) -> tuple[Inconsistency, ...]:
    result = found(*given)
    assert result is not None
    return result


def test_span_of_ragtruth_is_an_error_in_the_words_of_its_annotator() -> None:
    words = "Original: on Tuesday\nGenerative: on Monday\n"
    label = RAGTRUTH4["evident-conflict"]
    (error,) = errors(whole(UNFAITHFUL), mark("on Monday", label, words))
    assert error.description == "Original: on Tuesday Generative: on Monday"
    assert [span.text for span in error.unit.spans] == ["on Monday"]
    assert (error.kind, error.category, error.is_made) == ("evident-conflict", None, False)


def test_true_addition_of_ragtruth_is_extrinsic_and_correct() -> None:
    baseless = RAGTRUTH4["evident-baseless"]
    true, open_ = errors(
        mark("built in 1911", baseless, "True, as I looked up", implicit_true=True),
        mark("because of a candle", baseless, "Not in the source", due_to_null=True),
    )
    assert true.category == FINAL4["extrinsic-correct"]
    assert (true.description, open_.description) == ("True, as I looked up", "Not in the source")
    assert open_.category is None


def test_span_that_nobody_described_has_a_plain_sentence_that_is_marked_as_made() -> None:
    (error,) = errors(mark("on Monday", RAGTRUTH4["evident-conflict"], implicit_true=True))
    assert error.description == 'The response says "on Monday", which the source does not support.'
    assert error.is_made


def test_note_for_people_is_not_read() -> None:
    author, span, verdict = mark("on Monday", RAGTRUTH4["evident-conflict"])
    (error,) = errors((author, span, replace(verdict, note="explanation: It was Tuesday.")))
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
        whole(FAITHBENCH["unwanted"]),
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


def test_benign_error_counts_as_a_true_addition_unless_another_reading_is_chosen() -> None:
    benign = FAITHBENCH["benign"]
    given = annotated(whole(benign), mark("1911", benign, "Fine.", "ann"))
    (error,) = gold_inconsistencies(given) or ()
    assert (error.kind, error.category) == ("benign", FINAL4["extrinsic-correct"])
    assert gold_inconsistencies(given, GoldPolicy(reading="faithbench")) == ()
    # FaithJudge leaves the gray labels out: then nobody says anything of this response.
    assert gold_inconsistencies(given, GoldPolicy(reading="faithjudge")) is None


def test_category_is_that_of_the_worst_account() -> None:
    (error,) = errors(
        mark("on Monday", FAITHBENCH["benign"], "Close enough.", "ann"),
        mark("on Monday", FAITHBENCH["unwanted.intrinsic"], "It was Tuesday.", "bob"),
    )
    assert (error.kind, error.category) == ("unwanted.intrinsic", None)


def test_extrinsic_span_of_faithbench_is_wrong_and_others_have_no_category() -> None:
    extrinsic, intrinsic = errors(
        mark("built in 1911", FAITHBENCH["unwanted.extrinsic"], "Not there at all.", "ann"),
        mark("on Monday", FAITHBENCH["unwanted.intrinsic"], "It was Tuesday.", "ann"),
    )
    assert (extrinsic.category, intrinsic.category) == (FINAL4["extrinsic-wrong"], None)


def test_annotators_explanation_of_the_whole_response_is_an_error_without_a_place() -> None:
    label = FAITHBENCH["questionable"]
    (error,) = errors(whole(label), whole(label, "ann", explanation="A second summary is given."))
    assert (error.description, error.unit.spans) == ("A second summary is given.", ())


def test_explanation_of_defacto_is_one_error_at_the_words_that_the_correction_changes() -> None:
    (error,) = errors(
        whole(
            UNFAITHFUL,
            category="intrinsic",
            explanation="The day is wrong,\n and so on.",
            correction="The mill burned down on Tuesday.",
        )
    )
    assert error.description == "The day is wrong, and so on."
    assert error.kind == "intrinsic"
    assert [span.text for span in error.unit.spans] == [
        "built in 1911",
        "Monday because of a candle",
    ]


def test_explanation_of_several_changes_is_taken_apart_where_its_sentences_tell_them_apart() -> (
    None
):
    told = {"category": "intrinsic", "correction": "The mill burned down on Tuesday."}
    day, cause = errors(
        whole(UNFAITHFUL, explanation="No year, 1911, is named. A candle is made up.", **told)
    )
    assert (day.description, cause.description) == (
        "No year, 1911, is named.",
        "A candle is made up.",
    )
    assert [span.text for span in cause.changes] == ["Monday because of a candle"]
    assert not day.covers_several
    (one,) = errors(whole(UNFAITHFUL, explanation="1911 and the candle are made up.", **told))
    assert [span.text for span in one.changes] == ["built in 1911", "Monday because of a candle"]
    assert one.covers_several


def decided(decision: str, words: str = "It was Tuesday.", label: Label = UNFAITHFUL) -> Said:
    unit = Unit("", "inconsistency", words)
    return "ann", unit, Verdict("", label, attributes=Attributes(decision=decision))


EXPLAINED = whole(UNFAITHFUL, explanation="The day is wrong and so is the year.")


def test_decision_of_a_person_replaces_the_explanation_of_the_corpus() -> None:
    day, year = decided("split"), decided("split", "No year is named.")
    assert [each.description for each in errors(EXPLAINED, day, year)] == [
        "It was Tuesday.",
        "No year is named.",
    ]
    assert [each.description for each in errors(EXPLAINED, decided("replaced"))] == [
        "It was Tuesday."
    ]
    marked = mark("1911", RAGTRUTH4["evident-baseless"], "No year is named.")
    assert len(errors(marked, decided("replaced"))) == 1


def test_decision_may_stand_on_the_verdict_about_the_response() -> None:
    told = {"explanation": "The day is wrong and so is the year.", "decision": "split"}
    parts = [decided("", "It was Tuesday."), decided("", "No year is named.")]
    assert len(errors(whole(UNFAITHFUL, **told), *parts)) == 2
    assert found(whole(FAITHFUL, explanation="It is fine.", decision="replaced")) == ()


def test_discarded_error_does_not_count() -> None:
    kept, dropped = decided("split"), decided("discarded", "The response is too short.")
    assert [each.description for each in errors(EXPLAINED, kept, dropped)] == ["It was Tuesday."]
    assert found(EXPLAINED, dropped) is None  # the response is still called unfaithful
    assert found(whole(FAITHFUL), decided("discarded", label=FAITHFUL)) == ()


def test_response_that_was_discarded_as_a_whole_is_left_out() -> None:
    rewritten = (
        "ann",
        WHOLE,
        Verdict(RESPONSE, UNFAITHFUL, attributes=Attributes(decision="discarded")),
    )
    assert found(EXPLAINED, rewritten) is None


@pytest.mark.parametrize("decision", ["accepted", "open", ""])
def test_other_decisions_add_errors_beside_the_explanation(decision: str) -> None:
    assert len(errors(EXPLAINED, decided(decision))) == 2


def test_explanation_without_a_correction_has_no_place() -> None:
    (error,) = errors(whole(UNFAITHFUL, explanation="The day is wrong."))
    assert error.unit.spans == ()


def test_described_inconsistencies_are_taken_as_they_are() -> None:
    unit = Unit("i1", "inconsistency", "It was Tuesday.")
    verdict = Verdict("i1", UNFAITHFUL, error=FINAL4["intrinsic-alteration"])
    (error,) = errors(whole(UNFAITHFUL), ("", unit, verdict))
    assert (error.unit, error.category) == (unit, FINAL4["intrinsic-alteration"])


def test_described_errors_stand_beside_those_that_are_marked_or_explained() -> None:
    described = "", Unit("i1", "inconsistency", "It was Tuesday."), Verdict("i1", UNFAITHFUL)
    marked = mark("1911", RAGTRUTH4["evident-baseless"], "No year is named.")
    explained = whole(UNFAITHFUL, explanation="No year is named.")
    for other in (marked, explained):
        given = errors(described, other)
        assert [each.description for each in given] == ["No year is named.", "It was Tuesday."]


def test_what_was_revised_since_does_not_count() -> None:
    before = annotated(mark("1911", RAGTRUTH4["evident-baseless"], "No year is named."))
    (old,) = before.judgements
    new = Judgement(
        MILL.id, GOLD, (WHOLE,), (Verdict(RESPONSE, FAITHFUL),), round=2, supersedes=old.key
    )
    assert gold_inconsistencies(before.with_judgements(new)) == ()


SENTENCE = Unit("s1", "sentence", "It burned.")


@pytest.mark.parametrize(
    ("given", "gold"),
    [
        ((), None),
        ((whole(FAITHFUL),), ()),
        ((whole(UNFAITHFUL),), None),
        ((whole(UNFAITHFUL, category="intrinsic"),), None),
        ((whole(GRAY7["ambiguous"]),), None),
        ((("", WHOLE, Verdict(RESPONSE, score=0.2)),), None),
        ((whole(FAITHFUL, explanation="There is no error."),), ()),
        ((("", SENTENCE, Verdict("s1", GRAY7["explicitly-supported"])),), ()),
        ((("", SENTENCE, Verdict("s1", GRAY7["fabricated"])),), None),
    ],
)
def test_no_error_is_known_only_where_people_found_the_response_faithful(
    given: tuple[Said, ...], gold: object
) -> None:
    assert found(*given) == gold


def test_examples_of_which_nothing_is_known_are_left_out_and_a_corpus_without_any_is_refused() -> (
    None
):
    unknown, faithful = annotated(whole(UNFAITHFUL)), annotated(whole(FAITHFUL))
    known = gold(WRECK, described("It adds that this was in Vardia.", "Vardia"))
    assert known_examples("d", [unknown, known, faithful]) == [known, faithful]
    with pytest.raises(InputError, match="nobody wrote down"):
        known_examples("d", [unknown, faithful])


def reported(each: Annotated) -> Hits:
    """What is measured of a localizer that reports exactly what people marked, each error once."""
    gold = gold_inconsistencies(each) or ()
    said = [Inconsistency(error.unit, is_made=error.is_made) for error in gold]
    matches = asyncio.run(OfflineMatcher().match(gold, said, each.example))
    return matching_hits(matches, len(gold))


def unmatched_marks(each: Annotated) -> int:
    """How many spans that people marked are matched with no gold error."""
    gold = gold_inconsistencies(each) or ()
    spans = (said.unit for said in said_by_people(each) if said.unit.kind == "span")
    marks = [Inconsistency(made_unit(unit), is_made=True) for unit in spans]
    return asyncio.run(OfflineMatcher().match(gold, marks, each.example)).count(None)


def test_reporting_what_people_marked_is_right_whatever_they_call_it() -> None:
    given = annotated(
        whole(FAITHBENCH["unwanted"]),
        mark("built in 1911", FAITHBENCH["benign"], "True.", "ann"),
        mark("on Monday", FAITHBENCH["questionable"], "Perhaps.", "ann"),
        mark("because of a candle", FAITHBENCH["unwanted.extrinsic"], "Invented.", "bob"),
    )
    assert reported(given) == Hits(found=3, predicted=3, gold=3)
    assert unmatched_marks(given) == 0


@pytest.mark.shared_data
@pytest.mark.parametrize("corpus", ["faithbench", "ragtruth"])
def test_reporting_what_people_marked_has_precision_1_on_released_data(
    shared_data: Path, corpus: str
) -> None:
    from assay.datasets.corpus import load_corpus

    released = list(load_corpus(corpus, shared_data))
    assert add_hits(map(reported, released)).precision == 1.0
    assert sum(map(unmatched_marks, released)) == 0


# The released data: examples, errors, examples with errors, errors that are only marked, and
# errors without a place.
RELEASED = {
    "ragtruth": (1_577, 1_081, 669, 8, 0),
    "faithbench": (750, 1_303, 575, 73, 0),
    "faithbench-paper": (750, 1_346, 575, 95, 2),
    "defacto": (1_486, 1_098, 1_042, 0, 19),
}


@pytest.mark.shared_data
@pytest.mark.parametrize("corpus", RELEASED)
def test_released_gold_is_counted_and_every_span_is_verified(
    shared_data: Path, corpus: str
) -> None:
    from assay.datasets.corpus import load_corpus

    counts: Counter[str] = Counter()
    for each in load_corpus(corpus, shared_data):
        given = gold_inconsistencies(each)
        assert given is not None
        counts.update(examples=1, errors=len(given), wrong=bool(given))
        for error in given:
            counts.update(made=error.is_made, unplaced=not error.unit.spans)
            for unit in error.accounts:
                assert unit.text.strip()
                assert all(span.verify(each.example.response.text) == span for span in unit.spans)
            assert all(span.verify(each.example.source.text) == span for span in error.evidence)
    names = ("examples", "errors", "wrong", "made", "unplaced")
    assert tuple(counts[name] for name in names) == RELEASED[corpus]


@pytest.mark.shared_data
def test_released_errors_of_other_readings_and_explanations_of_several_changes(
    shared_data: Path,
) -> None:
    from assay.datasets.corpus import load_corpus

    usual = GoldPolicy(reading="faithbench")
    faithbench = list(load_corpus("faithbench", shared_data))
    assert sum(len(gold_inconsistencies(each, usual) or ()) for each in faithbench) == 962
    benign = [
        error
        for each in faithbench
        for error in gold_inconsistencies(each) or ()
        if error.category == FINAL4["extrinsic-correct"]
    ]
    assert len(benign) == 327
    defacto = [gold_inconsistencies(each) or () for each in load_corpus("defacto", shared_data)]
    # Of 473 explanations of several changes, 54 are taken apart; some parts have several as well.
    assert sum(len(gold) > 1 for gold in defacto) == 54
    assert sum(error.covers_several for gold in defacto for error in gold) == 440
