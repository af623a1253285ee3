"""From verdicts of people to one gold label for each unit."""

from assay.core import Example, Response, Source, Span, Unit, Verdict, taxonomy
from assay.evaluate.gold import gold_labels

FAITHBENCH = taxonomy("faithbench")
BINARY = taxonomy("binary")
RAGTRUTH = taxonomy("ragtruth4")
TEXT = "Cats bark loudly. Dogs bark too."


def span(start: int, end: int) -> Unit:
    return Unit.at("span", Span.cut(TEXT, start, end, "response"))


def example(*gold: Verdict) -> Example:
    return Example("e", Source("Dogs bark."), Response(TEXT), gold=gold)


def whole() -> Unit:
    return Unit.at("response", Span.cut(TEXT, 0, len(TEXT), "response"))


def test_spans_are_pooled_over_annotators() -> None:
    case = example(
        Verdict(span(0, 4), FAITHBENCH["benign"], judge="a"),
        Verdict(span(0, 4), FAITHBENCH["benign"], judge="b"),
        Verdict(span(5, 9), FAITHBENCH["unwanted"], judge="c"),
    )
    assert gold_labels(case, "response", "worst")[0][1].name == "unwanted"
    assert gold_labels(case, "response", "majority")[0][1].name == "benign"
    assert gold_labels(case, "response", "best")[0][1].name == "benign"


def test_one_annotator_counts_with_the_worst_of_their_spans() -> None:
    case = example(
        Verdict(span(0, 4), FAITHBENCH["benign"], judge="a"),
        Verdict(span(5, 9), FAITHBENCH["questionable"], judge="a"),
        Verdict(span(5, 9), FAITHBENCH["benign"], judge="b"),
    )
    assert gold_labels(case, "response", "best")[0][1].name == "benign"
    assert gold_labels(case, "response", "worst")[0][1].name == "questionable"


def test_an_aggregated_label_comes_before_single_annotators() -> None:
    case = example(
        Verdict(whole(), BINARY["faithful"]),
        Verdict(whole(), BINARY["unfaithful"], judge="a"),
    )
    assert gold_labels(case, "response", "corpus")[0][1].name == "faithful"
    assert gold_labels(case, "response", "worst")[0][1].name == "unfaithful"


def test_sentences_take_the_spans_that_touch_them() -> None:
    case = example(Verdict(span(0, 4), RAGTRUTH["evident-conflict"]))
    labels = [(unit.text, label.name) for unit, label in gold_labels(case, "sentence", "worst")]
    assert labels == [("Cats bark loudly.", "evident-conflict"), ("Dogs bark too.", "faithful")]


def test_without_spans_sentences_of_a_faithful_response_are_faithful() -> None:
    case = example(Verdict(whole(), BINARY["faithful"]))
    assert [label.name for _, label in gold_labels(case, "sentence", "worst")] == ["faithful"] * 2


def test_nothing_known_gives_no_gold() -> None:
    assert gold_labels(example(), "sentence", "worst") == []
    assert gold_labels(example(), "response", "worst") == []


def test_a_response_is_as_bad_as_its_worst_sentence_however_annotators_are_pooled() -> None:
    first = Unit.at("sentence", Span.cut(TEXT, 0, 17, "response"))
    second = Unit.at("sentence", Span.cut(TEXT, 18, len(TEXT), "response"))
    third = Unit.at("sentence", Span.cut(TEXT, 0, len(TEXT), "response"))
    labels = (BINARY["unfaithful"], BINARY["faithful"], BINARY["faithful"])
    units = (first, second, third)
    case = example(*(Verdict(unit, label) for unit, label in zip(units, labels, strict=True)))
    assert gold_labels(case, "response", "majority")[0][1].name == "unfaithful"


def test_sentences_that_a_corpus_left_open_stay_open() -> None:
    unit = Unit.at("sentence", Span.cut(TEXT, 0, 17, "response"))
    case = Example(
        "e",
        Source("Dogs bark."),
        Response(TEXT),
        units=(unit,),
        gold=(Verdict(whole(), BINARY["faithful"]),),
    )
    assert gold_labels(case, "sentence", "worst") == []


def test_an_annotator_who_marked_nothing_finds_every_sentence_faithful() -> None:
    case = example(
        Verdict(span(0, 4), BINARY["unfaithful"], judge="a"),
        Verdict(whole(), BINARY["unfaithful"], judge="a"),
        Verdict(whole(), BINARY["faithful"], judge="b"),
        Verdict(whole(), BINARY["faithful"], judge="c"),
    )
    assert gold_labels(case, "sentence", "worst")[0][1].name == "unfaithful"
    assert gold_labels(case, "sentence", "majority")[0][1].name == "faithful"
    assert gold_labels(case, "sentence", "best")[0][1].name == "faithful"


def test_annotators_outvote_the_label_that_a_loader_made() -> None:
    case = example(
        Verdict(whole(), FAITHBENCH["unwanted"]),
        Verdict(span(0, 4), FAITHBENCH["unwanted"], judge="a"),
        Verdict(span(0, 4), FAITHBENCH["benign"], judge="b"),
        Verdict(span(5, 9), FAITHBENCH["benign"], judge="c"),
    )
    assert gold_labels(case, "response", "corpus")[0][1].name == "unwanted"
    assert gold_labels(case, "response", "majority")[0][1].name == "benign"


def test_a_sentence_without_a_fact_does_not_make_a_faithful_response_a_no_fact() -> None:
    gray7 = taxonomy("gray7")
    units = [Unit.at("sentence", Span.cut(TEXT, a, b, "response")) for a, b in ((0, 17), (18, 32))]
    labels = (gray7["explicitly-supported"], gray7["no-fact"])
    case = example(*(Verdict(u, label) for u, label in zip(units, labels, strict=True)))
    assert gold_labels(case, "response", "corpus")[0][1].name == "explicitly-supported"


def test_error_that_people_described_makes_its_sentence_unfaithful() -> None:
    described = Unit("inconsistency", "Dogs are added.", span(18, 22).spans)
    marked = (
        Verdict(whole(), BINARY["unfaithful"]),
        Verdict(span(0, 4), RAGTRUTH["evident-conflict"]),
    )
    before = gold_labels(example(*marked), "sentence", "corpus")
    assert [label.name for _, label in before] == ["evident-conflict", "faithful"]
    found = example(*marked, Verdict(described, BINARY["unfaithful"], judge="ann"))
    after = gold_labels(found, "sentence", "corpus")
    assert [label.name for _, label in after] == ["evident-conflict", "unfaithful"]


def test_who_described_an_error_has_no_say_about_other_sentences() -> None:
    described = Unit("inconsistency", "Cats are added.", span(0, 4).spans)
    case = example(
        Verdict(span(18, 22), FAITHBENCH["unwanted"], judge="a"),
        Verdict(described, BINARY["unfaithful"], judge="ann"),
    )
    assert [label.name for _, label in gold_labels(case, "sentence", "best")] == [
        "unfaithful",
        "unwanted",
    ]
