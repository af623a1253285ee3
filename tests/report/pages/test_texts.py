"""Places in both texts are where a browser finds them, however the texts are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.texts import Span
from assay.core.units import Unit, UnitKind
from assay.report.pages.texts import (
    Gap,
    Places,
    Range,
    ShownSource,
    length_of,
    placed,
    windows,
)

TEXTS = st.text(alphabet="ab \n\r😀é\u05d0", max_size=30)


def cut(text: str, place: Range) -> str:
    """A range of a text, as a browser counts."""
    cells = text.encode("utf-16-le", "surrogatepass")
    return cells[2 * place[0] : 2 * place[1]].decode("utf-16-le", "surrogatepass")


@st.composite
def ranges(draw: st.DrawFn) -> tuple[str, list[Range]]:
    text = draw(TEXTS)
    borders = st.integers(0, len(text))
    found = draw(st.lists(st.tuples(borders, borders), max_size=8))
    return text, [(min(pair), max(pair)) for pair in found if pair[0] != pair[1]]


@given(st.text())
def test_places_are_those_of_utf_16(text: str) -> None:
    at = Places(text)
    for place in range(len(text) + 1):
        assert at(place) == len(text[:place].encode("utf-16-le", "surrogatepass")) // 2
    assert length_of(text) == at(len(text))


@given(ranges())
def test_range_of_a_source_is_exactly_its_evidence(given: tuple[str, list[Range]]) -> None:
    text, evidence = given
    source = ShownSource(text)
    assert source.view().text == text
    assert not source.view().gaps
    for start, end in evidence:
        # A range that cuts a line end of two characters in two leaves or takes it whole.
        first, last = (each - (text[each - 1 : each + 1] == "\r\n") for each in (start, end))
        assert cut(text, source.range(start, end)) == text[first if start else 0 : last]


@given(ranges(), st.sampled_from(["sentence", "claim"]))
def test_what_is_coloured_overlaps_nowhere(given: tuple[str, list[Range]], kind: UnitKind) -> None:
    text, wanted = given
    spans = [Span.cut(text, *each, "response") for each in wanted]
    units = {at: Unit.at(kind, span, f"u{at}") for at, span in enumerate(spans)}
    found = sorted(each for own in placed(units).values() for each in own)
    assert all(before[1] <= after[0] for before, after in pairwise(found))
    assert bool(found) == bool(wanted)


def test_sentence_is_placed_before_what_overlaps_it() -> None:
    text = "One two."
    units = {
        1: Unit.at("claim", Span.cut(text, 0, 3, "response"), "c1"),
        2: Unit.at("sentence", Span.cut(text, 0, 8, "response"), "s1"),
    }
    assert placed(units) == {2: [(0, 8)]}


def test_unit_in_two_places_colours_both() -> None:
    text = "One, he said, two."
    spans = (Span.cut(text, 14, 17, "response"), Span.cut(text, 0, 3, "response"))
    assert placed({1: Unit("c1", "claim", "One two", spans)}) == {1: [(0, 3), (14, 17)]}


def test_long_source_without_evidence_shows_its_beginning() -> None:
    text = "a" * 250_000
    view = ShownSource(text, (), windows(len(text), [])).view()
    assert (view.text, view.gaps) == ("a" * 800, (Gap(800, 249_200),))


def test_windows_that_touch_are_one() -> None:
    # From 400 before the first mark to 400 after the second.
    assert windows(250_000, [(1000, 1010), (1500, 1510)]) == [(600, 1910)]
    source = ShownSource("a" * 250_000, (), [(600, 1910)])
    assert [each.characters for each in source.view().gaps] == [600, 248_090]
    assert source.range(1500, 1510) == (900, 910)


def test_very_long_evidence_in_a_long_source_is_shown_by_its_ends() -> None:
    text = "a" * 125_000 + "b" * 125_000
    source = ShownSource(text, (), windows(len(text), [(0, 250_000)]))
    view = source.view()
    assert view.text == "a" * 2000 + "b" * 2000
    assert view.gaps == (Gap(2000, 246_000),)
    assert source.range(0, 250_000) == (0, 4000)


@pytest.mark.parametrize("place", [4, 5])
def test_line_end_of_two_characters_is_not_cut_in_two(place: int) -> None:
    assert ShownSource("One.\r\nTwo.").range(0, place) == (0, 4)
