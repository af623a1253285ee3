"""Responses as arrays: who wrote what, and what was said of it."""

import pytest

from assay import Annotated, InputError, Judgement, Span, Unit, Verdict
from assay.core.judgements import GOLD, Author
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.evaluation.levels import Counting, find_levels
from assay.evaluation.responses import ResponseTable, gather, gold_judgement
from tests.board.making import TEXT, F, U, annotated, judgement, response
from tests.evaluation.opinions import annotate, says


def test_sentences_are_folded_by_the_worst() -> None:
    example = response("a", "s")
    units = tuple(
        Unit.at("sentence", Span.cut(TEXT, *place, "response"), f"s{number}")
        for number, place in enumerate(((0, 20), (20, len(TEXT))), start=1)
    )
    labels = ("explicitly-supported", "contradicting")
    said = tuple(Verdict(unit.id, GRAY7[name]) for unit, name in zip(units, labels, strict=True))
    table = ResponseTable()
    table.add(example, {"d": Judgement(example.id, Author("d"), units, said)})
    assert table.responses().judged["d"].menu == (GRAY7["contradicting"],)


def test_a_sentence_without_a_verdict_leaves_a_failure() -> None:
    example = response("a", "s")
    unit = Unit.at("sentence", Span.cut(TEXT, 0, 20, "response"), "s1")
    said = (Verdict(unit.id, GRAY7["explicitly-supported"]),)
    table = ResponseTable()
    table.add(example, {"d": Judgement(example.id, Author("d"), (unit,), said)})
    assert table.responses(["d"]).judged["d"].menu == ("missing",)


def test_people_are_pooled_as_elsewhere_and_their_notes_are_kept() -> None:
    unit = Unit.response(TEXT)
    row = annotate(
        response("a", "s"),
        says(unit, FAITHBENCH["benign"], by="ann", note="Close  enough."),
        says(unit, FAITHBENCH["unwanted"], by="bo", note="Four days."),
    )
    found = gold_judgement(row)
    assert found is not None
    assert found.author == GOLD
    (verdict,) = found.verdicts
    assert verdict.label == "unwanted"
    assert verdict.note == "ann: Close enough.\nbo: Four days."
    assert gold_judgement(Annotated(response("a", "s"))) is None


def test_counts_by_llm_and_task() -> None:
    rows = [
        annotated(response("a", "s", task="qa"), {"d": U}),
        annotated(response("a", "s", task="summary"), {"d": F}),
        annotated(response("b", "s", task="qa"), {"d": F}),
    ]
    responses = gather(rows, ["d"])
    (level,) = find_levels(["binary"])
    classes = responses.classes("d", level, Counting())
    assert responses.counts(classes)[:, :2].tolist() == [[1, 1], [0, 1]]
    assert responses.counts(classes, "qa")[:, :2].tolist() == [[1, 0], [0, 1]]


def test_a_judge_that_comes_late_says_nothing_of_what_was_before() -> None:
    table = ResponseTable()
    for number in range(3):
        example = response("a", f"s{number}")
        table.add(example, {"late": judgement(example, "late", F)} if number == 1 else {})
    assert table.responses().judged["late"].codes.tolist() == [-1, 0, -1]


def test_who_gives_only_failures_is_no_judge_unless_named() -> None:
    from tests.board.making import INVALID

    table = ResponseTable()
    example = response("a", "s")
    table.add(example, {"filter": judgement(example, "filter", INVALID)})
    assert table.responses().judged == {}
    assert list(table.responses(["filter"]).judged) == ["filter"]


def test_sources_without_an_id_are_known_by_their_text() -> None:
    from dataclasses import replace

    table = ResponseTable()
    for model in "ab":
        example = response(model, "s")
        table.add(replace(example, source=replace(example.source, id="")), {})
    assert len(table.responses().sources) == 1


def test_nothing_to_rank() -> None:
    with pytest.raises(InputError, match="there is no response"):
        ResponseTable().responses()


def test_many_second_responses_are_counted_and_five_named() -> None:
    table = ResponseTable()
    for _ in range(9):
        table.add(response("a", "s"), {})
    with pytest.raises(InputError, match=r"(?:'a/s/' \(a\),? ?){5}and 3 more"):
        table.responses()
