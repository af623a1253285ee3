"""Quoted pieces of a text."""

from hypothesis import given
from hypothesis import strategies as st

from assay.datasets.corpora.quotes import find_quote
from assay.datasets.repairs import Repairs

TEXT = "The cat saw the cat."


@given(st.text(max_size=12), st.integers(0, 12), st.integers(0, 12))
def test_a_right_quote_is_found_without_repair(text: str, start: int, end: int) -> None:
    repairs = Repairs()
    quote = text[start:end]
    if quote:
        span = find_quote(text, quote, (start, start + len(quote)), "source", repairs)
        assert span
        assert (span.start, span.text) == (start, quote)
        assert not repairs.counts


def test_an_end_that_does_not_fit_is_mended() -> None:
    repairs = Repairs()
    span = find_quote(TEXT, "cat", (4, 6), "response", repairs)
    assert span
    assert (span.start, span.end) == (4, 7)
    assert repairs.counts == {"end-mended": 1}


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
