"""From what people say to one gold label for each unit."""

from dataclasses import replace

import pytest

from assay import Annotated, Example, InputError, Response, Source, Span, Unit, taxonomy
from assay.core.pooling import POOLS, Pool, Voices
from assay.core.verdicts import Attributes
from assay.evaluation.gold import find_gold, gold_labels
from assay.text.sentences import find_sentences
from tests.evaluation.opinions import Opinion, annotate, says

FAITHBENCH = taxonomy("faithbench")
BINARY = taxonomy("binary")
RAGTRUTH = taxonomy("ragtruth4")
GRAY7 = taxonomy("gray7")
TEXT = "Cats bark loudly. Dogs bark too."
FIRST, SECOND = find_sentences(TEXT)
WHOLE = Unit.response(TEXT)
FROM_MARKS = Attributes(from_marks=True)


def span(start: int, end: int, number: int = 1) -> Unit:
    return Unit.at("span", Span.cut(TEXT, start, end, "response"), f"p{number}")


def example(*opinions: Opinion, units: tuple[Unit, ...] = ()) -> Annotated:
    return annotate(Example("e", Source("Dogs bark."), Response(TEXT), units=units), *opinions)


def names(annotated: Annotated, kind: str, pool: str) -> list[str]:
    return [label.name for _, label in gold_labels(annotated, kind, pool)]  # type: ignore[arg-type]


def test_spans_are_pooled_over_annotators() -> None:
    case = example(
        says(span(0, 4), FAITHBENCH["benign"], by="a"),
        says(span(0, 4), FAITHBENCH["benign"], by="b"),
        says(span(5, 9), FAITHBENCH["unwanted"], by="c"),
    )
    assert names(case, "response", "any") == ["unwanted"]
    assert names(case, "response", "majority") == ["benign"]
    assert names(case, "response", "all") == ["benign"]


def test_one_annotator_counts_with_the_worst_of_their_spans() -> None:
    case = example(
        says(span(0, 4), FAITHBENCH["benign"], by="a"),
        says(span(5, 9, 2), FAITHBENCH["questionable"], by="a"),
        says(span(5, 9), FAITHBENCH["benign"], by="b"),
    )
    assert names(case, "response", "all") == ["benign"]
    assert names(case, "response", "any") == ["questionable"]


def test_the_label_that_a_corpus_settled_on_comes_before_single_annotators() -> None:
    case = example(says(WHOLE, BINARY["faithful"]), says(WHOLE, BINARY["unfaithful"], by="a"))
    assert names(case, "response", "corpus") == ["faithful"]
    assert names(case, "response", "any") == ["unfaithful"]


def test_beside_a_single_annotator_the_label_of_the_corpus_has_a_vote() -> None:
    case = example(says(WHOLE, BINARY["unfaithful"]), says(WHOLE, BINARY["faithful"], by="a"))
    assert names(case, "response", "any") == ["unfaithful"]
    assert names(case, "response", "all") == ["faithful"]


def test_spans_of_another_taxonomy_do_not_vote_on_a_response_that_was_labelled() -> None:
    case = example(
        says(WHOLE, BINARY["unfaithful"], by="a"),
        says(span(0, 4), RAGTRUTH["subtle-baseless"], by="b"),
    )
    assert names(case, "response", "any") == ["unfaithful"]


def test_sentences_take_the_spans_that_touch_them() -> None:
    case = example(says(span(0, 4), RAGTRUTH["evident-conflict"]))
    labels = [(unit, label.name) for unit, label in gold_labels(case, "sentence", "any")]
    assert labels == [(FIRST, "evident-conflict"), (SECOND, "faithful")]


def test_sentences_made_from_spans_have_the_ids_that_detectors_give_in_every_language() -> None:
    text = "Am 3. Mai war es gut. Das ist es nicht."
    spans = (Unit.at("span", Span.cut(text, 0, 3, "response"), "p1"),)
    base = Example("e", Source("Gut."), Response(text), language="de")
    case = annotate(base, says(spans[0], RAGTRUTH["evident-conflict"]))
    found = tuple(unit for unit, _ in gold_labels(case, "sentence", "any"))
    assert found == find_sentences(text, "de")


def test_spans_label_the_sentences_that_the_corpus_names() -> None:
    named = (replace(SECOND, id="s7"),)
    case = example(says(span(0, 4), RAGTRUTH["evident-conflict"]), units=named)
    assert [(unit.id, label.name) for unit, label in gold_labels(case, "sentence", "any")] == [
        ("s7", "faithful")
    ]


def test_what_nobody_marked_has_the_best_label_of_the_marks_own_taxonomy() -> None:
    marked = says(span(0, 4), FAITHBENCH["benign"], by="a")
    assert names(example(marked), "sentence", "corpus") == ["benign", "consistent"]
    case = example(says(WHOLE, BINARY["faithful"]), marked)
    assert names(case, "sentence", "corpus") == ["benign", "consistent"]


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("votes", ["+", "++", "+-", "--", "-++"])
def test_labels_of_whole_responses_never_become_gold_of_sentences(pool: str, votes: str) -> None:
    labels = {"+": BINARY["faithful"], "-": BINARY["unfaithful"]}
    case = example(*(says(WHOLE, labels[v], by=f"a{n}") for n, v in enumerate(votes)))
    assert names(case, "sentence", pool) == []
    assert names(example(says(WHOLE, labels[votes[0]])), "sentence", pool) == []


def test_sentences_of_a_response_in_which_nothing_was_marked_are_faithful() -> None:
    case = example(says(WHOLE, BINARY["faithful"], attributes=FROM_MARKS))
    assert names(case, "sentence", "any") == ["faithful"] * 2


def test_who_only_labels_the_response_has_no_say_about_its_sentences() -> None:
    case = example(
        says(span(0, 4), BINARY["unfaithful"], by="a"),
        says(WHOLE, BINARY["unfaithful"], by="b"),
        says(WHOLE, BINARY["faithful"], by="c"),
    )
    assert names(case, "sentence", "all") == ["unfaithful", "faithful"]
    assert [each.voices.annotators for each in find_gold(case, "sentence", "all")] == [1, 1]


def test_what_nobody_marked_is_unknown_where_a_mark_has_no_place() -> None:
    lost = Unit("p2", "span", "loud")
    case = example(
        says(span(0, 4), BINARY["unfaithful"], by="a"), says(lost, BINARY["unfaithful"], by="b")
    )
    assert [unit for unit, _ in gold_labels(case, "sentence", "any")] == [FIRST]
    unplaced = says(WHOLE, BINARY["unfaithful"], by="b", attributes=FROM_MARKS)
    case = example(says(span(0, 4), BINARY["unfaithful"], by="a"), unplaced)
    assert [unit for unit, _ in gold_labels(case, "sentence", "any")] == [FIRST]


def test_nothing_known_gives_no_gold() -> None:
    assert gold_labels(example(), "sentence", "any") == []
    assert gold_labels(example(), "response", "any") == []


def test_a_response_is_as_bad_as_its_worst_sentence_however_annotators_are_pooled() -> None:
    case = example(
        says(FIRST, BINARY["unfaithful"]),
        says(SECOND, BINARY["faithful"]),
        says(Unit("s3", "sentence", "It rains."), BINARY["faithful"]),
    )
    assert names(case, "response", "majority") == ["unfaithful"]


def test_sentences_that_a_corpus_left_open_stay_open() -> None:
    case = example(says(WHOLE, BINARY["faithful"]), units=(FIRST,))
    assert gold_labels(case, "sentence", "any") == []


def test_an_annotator_who_marked_nothing_finds_every_sentence_faithful() -> None:
    case = example(
        says(span(0, 4), BINARY["unfaithful"], by="a"),
        says(WHOLE, BINARY["unfaithful"], by="a", attributes=FROM_MARKS),
        says(WHOLE, BINARY["faithful"], by="b", attributes=FROM_MARKS),
        says(WHOLE, BINARY["faithful"], by="c", attributes=FROM_MARKS),
    )
    assert names(case, "sentence", "any")[0] == "unfaithful"
    assert names(case, "sentence", "majority")[0] == "faithful"
    assert names(case, "sentence", "all")[0] == "faithful"


def test_annotators_outvote_the_label_that_a_loader_made() -> None:
    case = example(
        says(WHOLE, FAITHBENCH["unwanted"]),
        says(span(0, 4), FAITHBENCH["unwanted"], by="a"),
        says(span(0, 4), FAITHBENCH["benign"], by="b"),
        says(span(5, 9), FAITHBENCH["benign"], by="c"),
    )
    assert names(case, "response", "corpus") == ["unwanted"]
    assert names(case, "response", "majority") == ["benign"]


def test_a_sentence_without_a_fact_does_not_make_a_faithful_response_a_no_fact() -> None:
    case = example(says(FIRST, GRAY7["explicitly-supported"]), says(SECOND, GRAY7["no-fact"]))
    assert names(case, "response", "corpus") == ["explicitly-supported"]


def test_error_that_people_described_makes_its_sentence_unfaithful() -> None:
    described = Unit("i1", "inconsistency", "Dogs are added.", span(18, 22).spans)
    marked = (
        says(WHOLE, BINARY["unfaithful"]),
        says(span(0, 4), RAGTRUTH["evident-conflict"]),
    )
    before = names(example(*marked), "sentence", "corpus")
    assert before == ["evident-conflict", "faithful"]
    found = example(*marked, says(described, BINARY["unfaithful"], by="ann"))
    assert names(found, "sentence", "corpus") == ["evident-conflict", "unfaithful"]


def test_who_described_an_error_has_no_say_about_other_sentences() -> None:
    described = Unit("i1", "inconsistency", "Cats are added.", span(0, 4).spans)
    case = example(
        says(span(18, 22), FAITHBENCH["unwanted"], by="a"),
        says(described, BINARY["unfaithful"], by="ann"),
    )
    assert names(case, "sentence", "any") == ["unfaithful", "unwanted"]
    assert names(case, "sentence", "all") == ["consistent", "unwanted"]


@pytest.mark.parametrize(
    ("describing", "pool", "label", "voices"),
    [
        (("b",), "any", "unfaithful", Voices(3)),
        (("b",), "majority", "faithful", Voices(3)),
        (("b", "c"), "majority", "unfaithful", Voices(3)),
        (("b", "c"), "all", "faithful", Voices(3)),
        (("a", "b", "c"), "all", "unfaithful", Voices(3)),
        (("d",), "majority", "faithful", Voices(4)),
        (("d", "e", "f"), "majority", "unfaithful", Voices(6)),  # a tie goes to the error
    ],
)
def test_described_error_is_the_vote_of_who_described_it(
    describing: tuple[str, ...], pool: Pool, label: str, voices: Voices
) -> None:
    described = Unit("i1", "inconsistency", "Dogs are added.", span(18, 22).spans)
    looked = [says(WHOLE, BINARY["faithful"], by=by, attributes=FROM_MARKS) for by in "abc"]
    case = example(*looked, *(says(described, BINARY["unfaithful"], by=by) for by in describing))
    first, second = find_gold(case, "sentence", pool)
    assert first.label.name == "faithful"
    assert (second.label.name, second.voices) == (label, voices)


@pytest.mark.parametrize("named", [(), (FIRST, SECOND)])
def test_sentences_come_in_reading_order_whoever_judged_them_first(
    named: tuple[Unit, ...],
) -> None:
    case = example(
        says(SECOND, BINARY["faithful"], by="a"),
        says(FIRST, BINARY["unfaithful"], by="b"),
        units=named,
    )
    assert names(case, "sentence", "corpus") == ["unfaithful", "faithful"]


def test_an_id_that_means_two_texts_is_refused() -> None:
    other = Unit("s1", "sentence", "Cats purr.")
    case = example(says(FIRST, BINARY["faithful"], by="a"), says(other, BINARY["faithful"], by="b"))
    with pytest.raises(InputError, match="the gold labels of 'e' mean two texts by 's1'"):
        gold_labels(case, "sentence", "corpus")
