"""Spans: half-open ranges of code points that quote their text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import SpanError
from assay.core.texts import Span


@given(st.text(), st.data())
def test_cut_span_quotes_its_slice_and_verifies(text: str, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(text)))
    start = data.draw(st.integers(0, end))
    span = Span.cut(text, start, end, "source")
    assert span.text == text[start:end]
    assert span.verify(text) is span


def test_offsets_count_code_points_not_bytes() -> None:
    assert Span.cut("Zoë 👩‍🚀 ok", 4, 7, "response").text == "👩‍🚀"


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 1), (0, 4), (4, 4)])
def test_cutting_outside_of_the_text_raises(start: int, end: int) -> None:
    with pytest.raises(SpanError, match=f"span {start}:{end} does not fit a text of 3"):
        Span.cut("abc", start, end, "source")


@pytest.mark.parametrize(
    "span",
    [
        Span("source", 0, 2, "bc"),
        Span("source", 1, 1000, "bc"),
        Span("source", 50, 60, ""),
        Span("source", 2, 1, ""),
        Span("source", -2, 3, "bc"),
    ],
)
def test_span_that_does_not_fit_the_text_does_not_verify(span: Span) -> None:
    with pytest.raises(SpanError):
        span.verify("abc")


def test_error_shows_what_stands_there_and_what_was_quoted() -> None:
    with pytest.raises(SpanError, match=r"source\[0:2\] reads 'ab', not 'xy'"):
        Span("source", 0, 2, "xy").verify("abc")


@pytest.mark.parametrize(
    ("other", "shared"),
    [
        (Span("source", 2, 5, "cde"), True),
        (Span("source", 3, 5, "de"), False),
        (Span("source", 0, 1, "a"), False),
        (Span("response", 1, 3, "bc"), False),
    ],
)
def test_spans_overlap_if_they_share_a_character_of_one_side(other: Span, shared: bool) -> None:
    span = Span("source", 1, 3, "bc")
    assert span.overlaps(other) is shared
    assert other.overlaps(span) is shared
