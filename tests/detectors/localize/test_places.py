"""Words that a model quotes, found in the response by the program."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from assay.core.texts import Span
from assay.detectors.localize.findings import Locator


@given(st.text(max_size=60), st.lists(st.text(max_size=12), max_size=4))
def test_spans_are_cut_from_the_text_in_order_and_do_not_overlap(
    text: str, quotes: list[str]
) -> None:
    spans = Locator(text).place(quotes).spans
    assert all(span.verify(text) == span and span.side == "response" for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))


# A part of a number is another number.
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Nd"]), min_size=1, max_size=40)


@given(TEXTS, st.data())
def test_words_that_are_copied_are_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    place = Locator(text).place([quote])
    assert (place.spans and not place.note) or not quote.strip()


def test_words_are_looked_for_in_the_given_part_first() -> None:
    text = "It fell. It fell 😀 again."
    near = Span.cut(text, 9, len(text), "response")
    found = Locator(text).place(["It fell", "😀 again"], near=[near])
    assert [(span.start, span.text) for span in found.spans] == [(9, "It fell"), (17, "😀 again")]
    assert Locator(text).place(["It fell"]).spans[0].start == 0


def test_words_outside_the_given_part_are_found_as_well() -> None:
    text = "Ada came. Bo went."
    near = Span.cut(text, 10, 18, "response")
    assert Locator(text).place(["Ada came"], near=[near]).spans[0].start == 0


def test_words_are_not_marked_inside_other_words_or_numbers() -> None:
    text = "Alfred had 15 boats. A red one sank, and 5 men with it."
    found = Locator(text).place(["red", "5"])
    assert [(span.start, span.text) for span in found.spans] == [(23, "red"), (41, "5")]
    place = Locator("He had 15 boats.").place(["5"])
    assert (place.spans, place.note) == ((), "The words it quotes are not in the response.")


def test_words_are_found_across_spaces_around_punctuation() -> None:
    text = "At 75 , jack nicklaus ( left ) won ."
    found = Locator(text).place(["At 75, Jack Nicklaus (left)"])
    assert [span.text for span in found.spans] == ["At 75 , jack nicklaus ( left )"]
    assert found.note == ""
