"""What the loaders share to build examples."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.datasets.corpora.building import (
    FAITHFUL,
    UNFAITHFUL,
    find_sentences,
    items,
    items_of,
    join,
    need_texts,
    pick,
    some,
    text_id,
    whole,
    with_majority,
)
from assay.datasets.repairs import Repairs

PATH = Path("release.json")


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


def test_the_whole_response_is_not_stripped() -> None:
    assert whole(" It sat. ").spans[0].text == " It sat. "


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
    assert first == Unit("sentence", "It lay.")
    assert second.start == 0
    assert repairs.counts == {"sentence-unlocated": 1}


def test_the_majority_comes_before_the_votes() -> None:
    votes = [Verdict(whole("x"), label) for label in (FAITHFUL, UNFAITHFUL, FAITHFUL)]
    repairs = Repairs()
    assert with_majority(votes, repairs)[0].label is FAITHFUL
    assert with_majority(votes, repairs)[1:] == tuple(votes)
    assert not repairs.counts


def test_a_tie_is_unfaithful_and_counted() -> None:
    repairs = Repairs()
    votes = [Verdict(whole("x"), label) for label in (FAITHFUL, UNFAITHFUL)]
    assert with_majority(votes, repairs)[0].label is UNFAITHFUL
    assert repairs.counts == {"tie": 1}


def test_a_unit_without_votes_has_no_verdict() -> None:
    repairs = Repairs()
    assert with_majority([], repairs) == ()
    assert repairs.counts == {"unjudged": 1}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: items({}, PATH), "there must be a list, not dict"),
        (lambda: items_of(str, ["a", 1], PATH), "a list of str holds a int"),
        (lambda: list(some([], PATH)), "has no rows"),
        (lambda: need_texts({"a": 1}, ("a",), PATH), "'a' must be text, not int"),
        (lambda: need_texts({}, ("a",), PATH), "no field 'a'"),
        (lambda: need_texts([], ("a",), PATH), "must be an object"),
        (lambda: pick({"yes": 1}, "maybe", PATH), "'maybe' is not one of 'yes'"),
        (lambda: pick({"yes": 1}, [], PATH), r"\[\] is not one of 'yes'"),
    ],
)
def test_wrong_rows_are_refused_with_the_name_of_the_file(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(InputError, match=f"release.json.*{message}"):
        call()
