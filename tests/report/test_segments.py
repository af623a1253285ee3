"""Both texts stay whole however they are cut."""

from hypothesis import given
from hypothesis import strategies as st

from assay.core.spans import Span
from assay.core.units import Unit, UnitKind
from assay.report.segments import Gap, Mark, Piece, Segment, cut_response, cut_source

TEXTS = st.text(alphabet="ab \n😀é\u05d0", max_size=30)


@st.composite
def marked(draw: st.DrawFn, texts: st.SearchStrategy[str] = TEXTS) -> tuple[str, list[Mark]]:
    text = draw(texts)
    borders = st.integers(0, len(text))
    ranges = draw(st.lists(st.tuples(borders, borders, st.integers(1, 4)), max_size=8))
    return text, [Mark(min(a, b), max(a, b), unit) for a, b, unit in ranges if a != b]


@given(marked())
def test_segments_join_to_the_source(given: tuple[str, list[Mark]]) -> None:
    text, marks = given
    parts = cut_source(text, marks)
    assert "".join(part.text for part in parts if isinstance(part, Segment)) == text
    assert not any(isinstance(part, Gap) for part in parts)


@given(marked())
def test_segments_of_a_unit_are_exactly_its_evidence(given: tuple[str, list[Mark]]) -> None:
    text, marks = given
    for unit in range(1, 5):
        wanted = {at for mark in marks if mark.unit == unit for at in range(mark.start, mark.end)}
        found = {
            at
            for part in cut_source(text, marks)
            if isinstance(part, Segment) and unit in part.units
            for at in range(part.start, part.start + len(part.text))
        }
        assert found == wanted


@given(marked(st.text(alphabet="a\r\n", max_size=12)))
def test_line_ends_are_never_doubled(given: tuple[str, list[Mark]]) -> None:
    text, marks = given
    shown = "".join(part.text for part in cut_source(text, marks) if isinstance(part, Segment))
    assert shown == text.replace("\r\n", "\n").replace("\r", "\n")


@given(marked(), st.sampled_from(["sentence", "claim"]))
def test_pieces_join_to_the_response(given: tuple[str, list[Mark]], kind: UnitKind) -> None:
    text, marks = given
    spans = [Span.cut(text, mark.start, mark.end, "response") for mark in marks]
    pieces = cut_response(text, [Unit.at(kind, span, f"u{at}") for at, span in enumerate(spans)])
    assert "".join(piece.text for piece in pieces) == text


def test_sentence_is_placed_before_what_overlaps_it() -> None:
    text = "One two."
    units = [
        Unit.at("claim", Span.cut(text, 0, 3, "response"), "c1"),
        Unit.at("sentence", Span.cut(text, 0, 8, "response"), "s1"),
    ]
    assert cut_response(text, units) == (Piece("One two.", 2),)


def test_unit_in_two_places_is_continued() -> None:
    text = "One, he said, two."
    spans = (Span.cut(text, 0, 3, "response"), Span.cut(text, 14, 17, "response"))
    assert cut_response(text, [Unit("c1", "claim", "One two", spans)]) == (
        Piece("One", 1),
        Piece(", he said, "),
        Piece("two", 1, continued=True),
        Piece("."),
    )


def test_long_source_without_evidence_shows_its_beginning() -> None:
    parts = cut_source("a" * 250_000, [])
    assert parts == (Segment("a" * 800, 0), Gap(249_200))


def test_windows_that_touch_are_one() -> None:
    text = "a" * 250_000
    parts = cut_source(text, [Mark(1000, 1010, 1), Mark(1500, 1510, 2)])
    # From 400 before the first mark to 400 after the second.
    assert [part.characters for part in parts if isinstance(part, Gap)] == [600, 248_090]


def test_very_long_evidence_in_a_long_source_is_shown_by_its_ends() -> None:
    parts = cut_source("a" * 250_000, [Mark(0, 250_000, 1)])
    held = ((1, 0),)
    ends = Segment("a" * 2000, 0, held), Segment("a" * 2000, 248_000, held)
    assert parts == (ends[0], Gap(246_000), ends[1])
