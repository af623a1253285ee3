"""What is in a corpus: hand arithmetic on small corpora, and what releases say of themselves."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from assay import Annotated, Author, Example, Label, Response, Source, Span, Unit, Verdict
from assay.core.taxonomies import BINARY, FAITHBENCH, GRAY7, RAGTRUTH4
from assay.core.verdicts import Attributes, Failure
from assay.datasets.corpus import load_corpus
from assay.evaluation.corpora.label_counts import LabelTable, response_label
from assay.evaluation.corpora.stats import CorpusStats, StatsCollector
from tests.evaluation.opinions import Opinion, annotate, says

F, U = BINARY["faithful"], BINARY["unfaithful"]
LETTERS = {
    "f": GRAY7["explicitly-supported"],
    "u": GRAY7["fabricated"],
    "c": GRAY7["contradicting"],
    "o": GRAY7["out-dependent"],
}


def example(id: str, chain: str, model: str = "m", source: str = "The source.") -> Annotated:
    """An example with a sentence per letter: f, u, c or o, and - for one without a label."""
    text = " ".join(f"Sentence {number:02}." for number in range(len(chain)))
    units = tuple(
        Unit.at("sentence", Span.cut(text, 13 * at, 13 * at + 12, "response"), f"s{at + 1}")
        for at in range(len(chain))
    )
    gold = [
        says(unit, LETTERS[letter])
        for unit, letter in zip(units, chain, strict=True)
        if letter != "-"
    ]
    return annotate(Example(id, Source(source), Response(text, model), units=units), *gold)


def collect_stats(annotated: Iterable[Annotated]) -> CorpusStats:
    collector = StatsCollector()
    for each in annotated:
        collector.add(each)
    return collector.stats()


def whole(annotated: Annotated) -> Unit:
    return Unit.response(annotated.example.response.text)


def judged(annotated: Annotated, *opinions: Opinion) -> Annotated:
    """The same example with other opinions."""
    return annotate(annotated.example, *opinions)


def only_table(stats: CorpusStats, kind: str, taxonomy: str) -> LabelTable:
    (table,) = [t for t in stats.labels if (t.kind, t.taxonomy) == (kind, taxonomy)]
    return table


def table_counts(table: LabelTable) -> dict[str, int]:
    return {each.label: each.count for each in table.overall}


def test_examples_sources_units_and_models_are_counted() -> None:
    stats = collect_stats(
        [example("1", "ff"), example("2", "u-", "n"), example("3", "f", source="S")]
    )
    assert (stats.examples, stats.sources) == (3, 2)
    assert [(u.kind, u.count, u.unlabelled) for u in stats.units] == [("sentence", 5, 1)]
    assert stats.models == {"m": 2, "n": 1}
    assert (stats.splits, stats.tasks) == ({}, {})


def test_shares_have_wilson_intervals() -> None:
    table = only_table(collect_stats([example("1", "ffffffffuu")]), "sentence", "gray7")
    assert [(each.label, each.count) for each in table.overall] == [
        ("explicitly-supported", 8),
        ("fabricated", 2),
    ]
    # Wilson for 8 of 10: (0.8 + 1.9208 / 10 ± 1.96 √(0.016 + 0.9604 / 100)) / 1.38416
    share = table.overall[0].share
    assert (share.value, share.n) == (0.8, 10)
    assert (share.low, share.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_most_unfaithful_model_comes_first() -> None:
    stats = collect_stats(
        [example("1", "ffu", "a"), example("2", "uf", "b"), example("3", "c", "")]
    )
    table = only_table(stats, "sentence", "gray7")
    assert list(table.by_model) == ["", "b", "a"]
    assert [each.count for each in table.by_model["a"]] == [2, 1, 0]


def test_without_names_of_models_there_is_no_table_of_them() -> None:
    assert only_table(collect_stats([example("1", "f", "")]), "sentence", "gray7").by_model == {}


def test_agreed_labels_are_counted_rather_than_votes() -> None:
    base = example("1", "--")
    first, second = base.example.units
    votes = [says(unit, F, by=name) for unit in (first, second) for name in "ab"]
    stats = collect_stats([judged(base, says(first, U), *votes)])
    table = only_table(stats, "sentence", "binary")
    assert (table.basis, table_counts(table)) == ("agreed", {"unfaithful": 1})
    assert stats.units[0].unlabelled == 1  # the second has votes, but no label of the corpus


def test_votes_are_counted_where_nothing_is_agreed() -> None:
    base = example("1", "-")
    (unit,) = base.example.units
    stats = collect_stats([judged(base, says(unit, F, by="a"), says(unit, U, by="b"))])
    table = only_table(stats, "sentence", "binary")
    assert (table.basis, table_counts(table)) == ("annotators", {"faithful": 1, "unfaithful": 1})
    assert stats.units[0].unlabelled == 0


def test_words_that_two_annotators_mark_are_one_unit_whatever_its_ids() -> None:
    base = example("1", "--")
    text = base.example.response.text
    one, other = (Unit.at("span", Span.cut(text, 0, 8, "response"), id) for id in ("p1", "p2"))
    stats = collect_stats([judged(base, says(one, U, by="a"), says(other, U, by="b"))])
    assert [(u.kind, u.count) for u in stats.units] == [("sentence", 2), ("span", 1)]


def test_taxonomies_of_one_kind_have_tables_of_their_own() -> None:
    one, other = example("1", "-"), example("2", "-")
    stats = collect_stats(
        [
            judged(one, says(whole(one), F)),
            judged(other, says(whole(other), FAITHBENCH["benign"], by="a")),
        ]
    )
    assert only_table(stats, "response", "binary").basis == "agreed"
    assert only_table(stats, "response", "faithbench").basis == "annotators"


def test_lengths_of_a_repeated_source_count_once() -> None:
    twice = "The cat sat. It slept."
    texts = [(twice, "One two three."), (twice, "One. Two."), ("It sat.", "H.")]
    stats = collect_stats(
        Annotated(Example(str(n), Source(s), Response(r))) for n, (s, r) in enumerate(texts)
    )
    source, response = stats.lengths["source"], stats.lengths["response"]
    assert (source["characters"].n, response["characters"].n) == (2, 3)
    # words of the responses: 3, 2, 1; sentences: 1, 2, 1
    words = response["words"]
    assert (words.lower, words.median, words.upper, words.greatest) == (1.5, 2, 2.5, 3)
    assert (response["sentences"].median, response["sentences"].greatest) == (1, 2)
    assert (source["sentences"].lower, source["sentences"].greatest) == (1.25, 2)


def test_annotators_and_recorded_detectors_are_counted() -> None:
    base = example("1", "--")
    first, second = base.example.units
    gold = (says(first, F), says(first, F, by="a"), says(first, U, by="b"))
    said = (
        (Author("nli"), first, Verdict("s1", score=0.5)),
        (Author("nli"), second, Failure("s2", "parse")),
    )
    stats = collect_stats([judged(base, *gold, *said)] * 2)
    assert [(a.author, a.verdicts, a.labels) for a in stats.annotators] == [
        ("a", 2, {"faithful": 2}),
        ("b", 2, {"unfaithful": 2}),
    ]
    (detector,) = stats.recorded
    assert (detector.verdicts, detector.failures, detector.labels) == (2, 2, {"score only": 2})


def test_transitions_are_counted_within_responses() -> None:
    chains = collect_stats([example("1", "ffuo"), example("2", "cf"), example("3", "f")]).chains
    assert chains
    one, two = chains.by_reading[:2]
    assert (one.before, one.after) == (("faithful", "unfaithful", "other"),) * 2
    # f-f, f-u, u-o of the first; c-f of the second
    assert one.counts == ((1, 1, 0), (1, 0, 1), (0, 0, 0))
    # f.u, f.o of the first
    assert two.counts == ((0, 1, 1), (0, 0, 0), (0, 0, 0))
    assert [table.steps for table in chains.by_reading] == [1, 2, 3, 4]
    assert (one.chances[0][0].value, one.chances[0][0].n) == (0.5, 2)
    assert one.chances[2][0].value is None


def test_labels_keep_their_rows_while_what_follows_is_merged() -> None:
    chains = collect_stats([example("1", "cfuf")]).chains
    assert chains
    table = chains.by_label[0]
    assert table.before == ("contradicting", "fabricated", "explicitly-supported")
    assert table.after == ("faithful", "unfaithful")
    assert table.counts == ((1, 0), (1, 0), (0, 1))
    assert chains.plain.counts == ((0, 0, 1), (0, 0, 1), (0, 1, 0))


def test_sentence_without_a_label_breaks_the_chain_but_keeps_its_place() -> None:
    chains = collect_stats([example("1", "f-u")]).chains
    assert chains
    assert (chains.sentences, chains.unlabelled) == (3, 1)
    assert chains.by_reading[0].counts == ((0, 0), (0, 0))
    assert chains.by_reading[1].counts == ((0, 1), (0, 0))
    assert chains.first_errors.counts == (0, 0, 1)


def test_first_errors_are_unfaithful_sentences_only() -> None:
    chains = collect_stats([example("1", "fouu"), example("2", "c"), example("3", "oo")]).chains
    assert chains
    errors = chains.first_errors
    assert (errors.counts, errors.reached, errors.clean) == ((1, 0, 1, 0), (3, 2, 1, 0), 1)


def with_spans(
    chain: str, label: Label | None, *spans: tuple[int, int], from_marks: bool = False
) -> Annotated:
    base = example("1", chain)
    text = base.example.response.text
    marks = [
        says(
            Unit.at("span", Span.cut(text, *span, "response"), f"p{number}"),
            RAGTRUTH4["evident-conflict"],
        )
        for number, span in enumerate(spans, start=1)
    ]
    attributes = Attributes(from_marks=from_marks or None)
    given = [says(whole(base), label, attributes=attributes)] if label else []
    return annotate(replace(base.example, units=()), *given, *marks)


def test_marked_spans_make_labels_of_sentences() -> None:
    stats = collect_stats([with_spans("---", U, (14, 18)), with_spans("--", F, from_marks=True)])
    assert stats.chains
    assert (stats.chains.basis, stats.chains.sentences) == ("pooled", 5)
    # faithful, conflict, faithful; faithful, faithful
    assert stats.chains.by_reading[0].counts == ((1, 1), (1, 0))


def test_labels_of_whole_responses_say_nothing_of_sentences() -> None:
    assert collect_stats([with_spans("---", F), with_spans("--", U)]).chains is None


def test_sentences_without_a_place_form_no_chain() -> None:
    loose = [says(Unit(f"s{n}", "sentence", f"[sentence {n}]"), F) for n in (1, 2)]
    stats = collect_stats([annotate(replace(example("1", "--").example, units=()), *loose)])
    assert stats.chains
    assert (stats.chains.responses, stats.chains.unplaced) == (0, 1)


def test_response_label_says_where_it_comes_from() -> None:
    assert response_label(example("1", "fu")) == ("fabricated", "worst of its parts")
    assert response_label(with_spans("-", F)) == ("faithful", "given")
    assert response_label(example("1", "--")) == ("", "")


def test_nothing_gives_empty_statistics() -> None:
    stats = collect_stats(())
    assert (stats.examples, stats.labels, stats.lengths, stats.chains) == (0, (), {}, None)


def released(name: str, root: Path) -> CorpusStats:
    return collect_stats(load_corpus(name, root))


def shares(tables: Iterable[LabelTable], kind: str) -> dict[str, int]:
    return {each.label: each.count for t in tables if t.kind == kind for each in t.overall}


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "kind", "counts"),
    [
        (
            "faithbench",
            "response",
            {"unwanted": 439, "consistent": 175, "questionable": 72, "benign": 64},
        ),
        ("ragtruth", "response", {"faithful": 908, "unfaithful": 669}),
        ("faceval", "response", {"faithful": 456, "unfaithful": 294}),
        # 578 labels of the release, less the 6 of the summary with 7 sentences
        ("storysumm", "sentence", {"faithful": 486, "unfaithful": 86}),
    ],
)
def test_released_corpora_have_the_labels_that_their_documentation_names(
    name: str, kind: str, counts: dict[str, int], shared_data: Path
) -> None:
    assert shares(released(name, shared_data).labels, kind) == counts


@pytest.mark.shared_data
def test_votes_of_lfqa_are_those_that_its_documentation_names(shared_data: Path) -> None:
    stats = released("lfqa", shared_data)
    # 3,993 sentences x 3 annotators: supported 6,920, not_supported 4,004, partially 1,055
    labels = [annotator.labels for annotator in stats.annotators]
    assert [sum(each.values()) for each in labels] == [3993] * 3
    assert sum(each["faithful"] for each in labels) == 6920
    assert sum(each["unfaithful"] for each in labels) == 4004 + 1055


def test_transitions_are_counted_for_each_model_too() -> None:
    chains = collect_stats([example("1", "ffu", "m"), example("2", "fu", "n")]).chains
    assert chains is not None
    assert chains.by_label[0].counts == ((0, 0), (1, 2))  # after u nothing, after f: f, u, u
    assert {model: each.counts for model, each in chains.by_model.items()} == {
        "m": ((0, 0), (1, 1)),
        "n": ((0, 0), (0, 1)),
    }
    assert chains.by_model["n"].before == ("fabricated", "explicitly-supported")
    assert chains.by_model["n"].after == ("faithful", "unfaithful")


def test_one_model_has_no_transitions_beside_those_of_all() -> None:
    chains = collect_stats([example("1", "fu"), example("2", "f")]).chains
    assert chains is not None
    assert chains.by_model == {}
