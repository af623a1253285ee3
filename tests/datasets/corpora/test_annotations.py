"""What the loaders share to build examples."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import GOLD
from assay.core.labels import Label
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.datasets.corpora.annotations import (
    FAITHFUL,
    UNFAITHFUL,
    Opinion,
    annotate,
    find_quote,
    find_sentences,
    join,
    opinion,
    person,
    text_id,
    with_majority,
)
from assay.datasets.corpora.raw_files import RawRow, items, items_of, some
from assay.datasets.corpus import Repairs

PATH = Path("release.json")
EXAMPLE = Example("e", Source("A."), Response("A. B."))
TEXT = "The cat saw the cat."


@given(st.lists(st.text(max_size=9), max_size=6), st.sampled_from(["", " ", "\n", "\n\n"]))
def test_each_piece_of_a_joined_source_is_a_passage(pieces: list[str], separator: str) -> None:
    source = join(pieces, "utterance", separator)
    assert [source.text[each.start : each.end] for each in source.passages] == pieces


def test_pieces_are_numbered_from_one() -> None:
    assert [each.name for each in join(["a", "b"], "sentence").passages] == [
        "sentence 1",
        "sentence 2",
    ]


def test_equal_texts_share_an_id() -> None:
    assert text_id("a b") == text_id("a b") != text_id("a  b")
    assert join(["a"], "line").id == text_id("a")
    assert join(["a"], "line", id="7").id == "7"


@given(st.lists(st.text(alphabet="ab. ", min_size=1, max_size=9), max_size=6))
def test_sentences_are_found_where_they_were_joined(sentences: list[str]) -> None:
    text = "\n".join(sentences)
    repairs = Repairs()
    units = list(find_sentences(text, sentences, repairs))
    assert [unit.spans[0].verify(text).text for unit in units] == sentences
    assert not repairs.counts


def test_a_repeated_sentence_is_found_twice() -> None:
    units = list(find_sentences("Yes. Yes.", ["Yes.", "Yes."], Repairs()))
    assert [unit.start for unit in units] == [0, 5]


def test_a_sentence_that_is_not_there_has_no_span() -> None:
    repairs = Repairs()
    first, second = find_sentences("It sat.", ["It lay.", "It sat."], repairs)
    assert first == Unit("s1", "sentence", "It lay.")
    assert (second.id, second.start) == ("s2", 0)
    assert repairs.counts == {"sentence-unlocated": 1}


def votes_of(*labels: Label) -> list[Opinion]:
    unit = Unit.response("x")
    return [opinion(unit, label, by=person(f"w{n}")) for n, label in enumerate(labels)]


def test_the_majority_comes_before_the_votes() -> None:
    votes = votes_of(FAITHFUL, UNFAITHFUL, FAITHFUL)
    repairs = Repairs()
    (author, finding), *rest = with_majority(votes, repairs)
    assert (author, finding.label) == (GOLD, FAITHFUL)
    assert rest == votes
    assert not repairs.counts


def test_a_tie_is_unfaithful_and_counted() -> None:
    repairs = Repairs()
    _, finding = with_majority(votes_of(FAITHFUL, UNFAITHFUL), repairs)[0]
    assert finding.label == UNFAITHFUL
    assert repairs.counts == {"tie": 1}


def test_a_unit_without_votes_has_no_verdict() -> None:
    repairs = Repairs()
    assert with_majority([], repairs) == ()
    assert repairs.counts == {"unjudged": 1}


def test_each_author_has_one_judgement_of_the_units_they_speak_of() -> None:
    first, second = find_sentences("A. B.", ["A.", "B."], Repairs())
    claim = Unit("s2.c1", "claim", "b", parent="s2")
    ann = person("ann")
    annotated = annotate(
        EXAMPLE,
        [opinion(first, FAITHFUL), opinion(first, UNFAITHFUL, by=ann), opinion(second, FAITHFUL)],
    )
    assert [(each.author, each.units) for each in annotated.judgements] == [
        (GOLD, (first, second)),
        (ann, (first,)),
    ]
    named = annotate(replace(EXAMPLE, units=(first, second)), [opinion(claim, FAITHFUL)])
    (judgement,) = named.judgements
    assert judgement.units == (second, claim)  # with the sentence that the claim is a part of
    assert [finding.id for finding in judgement.findings] == ["s2.c1"]


def test_two_opinions_of_one_author_on_one_unit_are_refused() -> None:
    unit = Unit.response("A. B.")
    with pytest.raises(InputError, match="'e' has two outcomes for one unit"):
        annotate(EXAMPLE, [opinion(unit, FAITHFUL), opinion(unit, UNFAITHFUL)])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: items({}, PATH), "there must be a list, not dict"),
        (lambda: items_of(str, ["a", 1], PATH), "a list of str holds a int"),
        (lambda: list(some([], PATH)), "has no rows"),
        (lambda: RawRow({"a": 1}, PATH).text("a"), "'a' must be text, not int"),
        (lambda: RawRow({}, PATH).text("a"), "no field 'a'"),
        (lambda: RawRow([], PATH).text("a"), "must be an object"),
        (lambda: RawRow({}, PATH).pick({"yes": 1}, "maybe"), "'maybe' is not one of 'yes'"),
        (lambda: RawRow({}, PATH).pick({"yes": 1}, []), r"\[\] is not one of 'yes'"),
    ],
)
def test_wrong_rows_are_refused_with_the_name_of_the_file(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(InputError, match=f"release.json.*{message}"):
        call()


@given(st.text(max_size=12), st.integers(0, 12), st.integers(0, 12))
def test_a_right_quote_is_found_without_repair(text: str, start: int, end: int) -> None:
    repairs = Repairs()
    quote = text[start:end]
    if quote:
        span = find_quote(text, quote, (start, start + len(quote)), "source", repairs)
        assert span
        assert (span.start, span.text) == (start, quote)
        assert not repairs.counts


def test_an_end_that_does_not_fit_is_corrected() -> None:
    repairs = Repairs()
    span = find_quote(TEXT, "cat", (4, 6), "response", repairs)
    assert span
    assert (span.start, span.end) == (4, 7)
    assert repairs.counts == {"end-corrected": 1}


def test_a_quote_elsewhere_is_taken_where_it_is_nearest() -> None:
    repairs = Repairs()
    span = find_quote(TEXT, "cat", (14, 17), "response", repairs)
    assert span
    assert span.start == 16
    assert repairs.counts == {"quote-moved": 1}


def test_a_quote_that_is_nowhere_is_noted() -> None:
    repairs = Repairs()
    assert find_quote(TEXT, "dog", (4, 7), "response", repairs) is None
    assert find_quote(TEXT, "", (0, 0), "response", repairs) is None
    assert repairs.counts == {"quote-unlocated": 2}


def test_no_quote_is_nothing_to_note() -> None:
    repairs = Repairs()
    assert find_quote(TEXT, None, (None, None), "response", repairs) is None
    assert not repairs.counts
