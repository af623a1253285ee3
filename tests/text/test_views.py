"""Views of a text: every character knows the place in the original that it stands for."""

from hypothesis import given
from hypothesis import strategies as st

from assay.text.views import Edit, View, ViewBuilder, edited


def test_a_text_is_its_own_view() -> None:
    view = View.of("Tea.")
    assert view.is_original
    assert view.to_original(1, 3) == view.from_original(1, 3) == (1, 3)


def test_marks_belong_to_the_words_that_they_mark() -> None:
    view = edited("A **b** c", [Edit(2, 4, opens=True), Edit(5, 7, closes=True)])
    assert view.text == "A b c"
    assert view.to_original(2, 3) == (2, 7)  # **b**
    assert view.from_original(2, 7) == view.from_original(4, 5) == (2, 3)


def test_what_was_inserted_stands_at_one_place_and_is_part_of_the_range_there() -> None:
    out = ViewBuilder("Ada | 1815")
    out.put("Name: ", 0, 0)
    out.copy(0, 3)
    out.put("; ", 3, 6)
    out.put("Born: ", 6, 6)
    out.copy(6, 10)
    out.put(".", 10, 10)
    view = out.build()
    assert view.text == "Name: Ada; Born: 1815."
    assert view.to_original(0, len(view.text)) == (0, 10)
    assert view.from_original(0, 10) == (0, len(view.text))
    assert view.text[slice(*view.from_original(6, 10))] == "Born: 1815."


def test_an_empty_range_stays_empty() -> None:
    view = edited("ab", [Edit(0, 1)])
    assert view.to_original(0, 0) == (1, 1)
    assert view.to_original(1, 1) == (2, 2)


def test_of_edits_that_overlap_the_first_and_longest_is_made() -> None:
    assert edited("abcdef", [Edit(1, 2), Edit(1, 4), Edit(3, 5)]).text == "aef"


def test_a_view_of_a_view_is_a_view_of_the_original() -> None:
    first = edited("a&amp;*b*", [Edit(1, 6, "&")])
    both = first.then(edited(first.text, [Edit(2, 3, opens=True), Edit(4, 5, closes=True)]))
    assert both.text == "a&b"
    assert [both.to_original(n, n + 1) for n in range(3)] == [(0, 1), (1, 6), (6, 9)]


EDITS = st.lists(
    st.builds(
        lambda start, size, shown, opens, closes: Edit(start, start + size, shown, opens, closes),
        st.integers(0, 20),
        st.integers(1, 5),
        st.sampled_from(["", "", "x", " y "]),
        st.booleans(),
        st.booleans(),
    ),
    max_size=8,
)


@given(st.text(min_size=25, max_size=40), EDITS, EDITS)
def test_places_never_fall_and_lie_in_the_original(
    text: str, edits: list[Edit], more: list[Edit]
) -> None:
    first = edited(text, edits)
    view = first.then(edited(first.text, [each for each in more if each.end <= len(first.text)]))
    starts, ends = list(view.starts), list(view.ends)
    assert len(starts) == len(ends) == len(view.text)
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    assert all(0 <= a <= b <= len(text) for a, b in zip(starts, ends, strict=True))
