"""Units and their ids."""

import pytest

from assay.core.texts import Span
from assay.core.units import RESPONSE, Unit, UnitKind, unit_id


@pytest.mark.parametrize(
    ("kind", "number", "parent", "id"),
    [
        ("response", 1, "", "response"),
        ("sentence", 3, "", "s3"),
        ("claim", 1, "", "c1"),
        ("claim", 1, "s3", "s3.c1"),
        ("relation", 2, "s3", "s3.r2"),
        ("span", 12, "", "p12"),
        ("inconsistency", 1, "", "i1"),
    ],
)
def test_id_says_what_a_unit_is_and_where(
    kind: UnitKind, number: int, parent: str, id: str
) -> None:
    assert unit_id(kind, number, parent) == id


def test_whole_response_is_not_stripped() -> None:
    unit = Unit.response(" It sat. ")
    assert (unit.id, unit.kind, unit.text) == (RESPONSE, "response", " It sat. ")
    assert (unit.start, unit.end) == (0, 9)


def test_unit_lies_from_its_first_span_to_the_end_of_its_last() -> None:
    spans = (Span("response", 0, 2, "It"), Span("response", 5, 7, "at"))
    unit = Unit("p1", "span", "It at", spans)
    assert (unit.start, unit.end) == (0, 7)


def test_unit_without_spans_has_no_place() -> None:
    unit = Unit("c1", "claim", "The cat sat.")
    assert (unit.start, unit.end) == (None, None)
