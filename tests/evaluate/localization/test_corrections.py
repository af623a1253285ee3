"""Words that a correction takes out of a response."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluate.localization.corrections import changed_spans


@pytest.mark.parametrize(
    ("response", "corrected", "changed"),
    [
        ("Ada left on Monday.", "Ada left on Tuesday.", ["Monday"]),
        ("Ada, 39, left early.", "Ada left.", ["39", "early"]),
        ("Ada left.", "Ada left.", []),
        ("Ada left.", "Ada Lovelace left the town.", []),
        ("Ada left.", "", ["Ada left"]),
        ("ADA  left!", "Ada left.", []),
        ("", "Ada.", []),
    ],
)
def test_what_is_replaced_or_removed_is_marked(
    response: str, corrected: str, changed: list[str]
) -> None:
    assert [span.text for span in changed_spans(response, corrected)] == changed


@given(st.text(max_size=50), st.text(max_size=50))
def test_spans_are_cut_from_the_response_in_order(response: str, corrected: str) -> None:
    spans = changed_spans(response, corrected)
    assert all(span.verify(response) == span for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
