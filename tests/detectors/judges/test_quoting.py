"""Quotes of a model are found in the source, or dropped and told."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.detectors.judges.quoting import Quotable, plain_text

EDGE = " '.,;:"
SOURCE = "The “old” mill\nburned down in 1987 — nobody was hurt. It's a museum now… and open daily."


def found(quote: str, source: str = SOURCE) -> list[str]:
    return [span.text for span in Quotable(source).find([quote]).spans]


def test_exact_quote_has_its_offsets() -> None:
    (span,) = Quotable(SOURCE).find(["burned down in 1987"]).spans
    assert (span.side, span.start, span.end) == ("source", 15, 34)
    assert SOURCE[15:34] == span.text == "burned down in 1987"


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("The old mill", None),
        ('the "old" mill burned', "The “old” mill\nburned"),
        ("IN 1987 - nobody", "in 1987 — nobody"),
        ("It’s a museum now... and open", "It's a museum now… and open"),
        ('"nobody was hurt"', "nobody was hurt"),
        ("burned down in 1987.", "burned down in 1987"),
        ("nobody   was\thurt", "nobody was hurt"),
        ("  nobody was hurt ", "nobody was hurt"),
        ("...nobody was hurt...", "nobody was hurt"),
    ],
)
def test_marks_space_and_case_do_not_matter_but_words_do(quote: str, text: str | None) -> None:
    assert found(quote) == ([text] if text else [])


@pytest.mark.parametrize("gap", ["...", " … ", " [...] ", "(…)"])
def test_ellipsis_in_a_quote_leaves_something_out(gap: str) -> None:
    assert found(f"burned down{gap}nobody was hurt") == ["burned down", "nobody was hurt"]


@pytest.mark.parametrize(
    "quote",
    [
        "<<<SOURCE 1a2b>>>nobody was hurt",
        "<<<SOURCE 1a2b>>>\nnobody was hurt\n<<<END SOURCE 1a2b>>>",
        "nobody was hurt <<<END SOURCE 1a2b>>",
    ],
)
def test_marks_of_the_prompt_are_no_part_of_a_quote(quote: str) -> None:
    assert found(quote) == ["nobody was hurt"]


def test_marks_of_the_prompt_alone_are_no_quote() -> None:
    quoted = Quotable(SOURCE).find(["<<<SOURCE 1a2b>>>", "<<<SOURCE 1a2b>>> <<<END SOURCE 1a2b>>>"])
    assert (quoted.spans, quoted.missing) == ((), 0)


def test_marks_that_the_source_has_are_found() -> None:
    assert found("<<<SOURCE 1>>> is a mark", "A <<<SOURCE 1>>> is a mark.") == [
        "<<<SOURCE 1>>> is a mark"
    ]


def test_pieces_must_stand_in_the_order_of_the_quote() -> None:
    assert found("nobody was hurt ... burned down") == []


def test_quote_with_one_invented_piece_is_not_in_the_source() -> None:
    assert found("burned down ... and three people died") == []


def test_dropped_quotes_are_counted_and_told() -> None:
    quotable = Quotable(SOURCE)
    assert quotable.find(["nobody was hurt"]).note == ""
    assert quotable.find(["in 1988"]).note == "1 quote is not in the source."
    mixed = quotable.find(["in 1988", "open daily", "two died", "", "  "])
    assert mixed.note == "2 quotes are not in the source."
    assert [span.text for span in mixed.spans] == ["open daily"]


def test_same_place_is_given_once() -> None:
    assert len(Quotable(SOURCE).find(["open daily", "OPEN  DAILY"]).spans) == 1


def test_quote_of_marks_alone_is_not_found() -> None:
    assert found("'...'", source="No marks here") == []


@pytest.mark.parametrize(
    ("quote", "start"),
    [("red", 18), ("RED", 18), ("5", 45), ("15", 15), ("boat", 22), ("at", 24), ("2", None)],
)
def test_words_that_stand_apart_come_first_and_a_part_of_a_number_is_none(
    quote: str, start: int | None
) -> None:
    spans = Quotable("Alfred covered 15 red boats, 2.5 miles, then 5 more.").find([quote]).spans
    assert [span.start for span in spans] == ([] if start is None else [start])


TOKENS = (
    "at the grand old age of 75 , jack nicklaus is still ` capable ' -- u . s . fans ( 5 % ) say ."
)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        (
            "At the grand old age of 75, Jack Nicklaus is",
            "at the grand old age of 75 , jack nicklaus is",
        ),
        ("is still 'capable'", "is still ` capable"),
        ("U.S. fans (5%) say.", "u . s . fans ( 5 % ) say"),
        ("age of 75, jack was", None),
    ],
)
def test_spaces_around_punctuation_do_not_matter(quote: str, text: str | None) -> None:
    assert found(quote, TOKENS) == ([text] if text else [])


def test_source_with_usual_spaces_is_found_by_a_quote_in_tokens() -> None:
    assert found("burned down in 1987 -- no") == []
    assert found("was hurt . it 's a museum") == ["was hurt. It's a museum"]


@pytest.mark.parametrize(
    ("quote", "is_there"),
    [("2.5 miles", False), ("2. 5 miles", True), ("2 . 5 miles", True), ("3-4", True)],
)
def test_two_numbers_are_not_made_one(quote: str, is_there: bool) -> None:
    assert bool(found(quote, "They came in at 2. 5 miles on it was 3 - 4.")) is is_there


def test_spaces_beside_a_vowel_sign_stay() -> None:
    assert plain_text("के लिए")[0] == "के लिए"


def test_words_of_a_script_without_spaces_are_found() -> None:
    assert found("大きい", source="東京は大きい。") == ["大きい"]


TEXTS = st.text(alphabet="aAßİ .…“”'\"-–\n\t😀e\u0301\u00ad", min_size=1, max_size=40)


@given(TEXTS, st.data())
def test_every_piece_of_a_source_is_found_in_it(source: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(source) - 1))
    end = data.draw(st.integers(start + 1, len(source)))
    quoted = Quotable(source).find([source[start:end]])
    assert quoted.missing == 0
    assert all(source[span.start : span.end] == span.text for span in quoted.spans)


@given(TEXTS, st.data())
def test_every_piece_is_found_in_other_marks_and_spaces(source: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(source) - 1))
    piece = source[start : data.draw(st.integers(start + 1, len(source)))]
    other = piece.replace(" ", "\n ").replace("'", "’").replace("…", "...").replace("a", "A")
    if plain_text(piece)[0].strip(EDGE):
        assert Quotable(source).find([other]).missing == 0


@given(TEXTS, TEXTS)
def test_what_is_found_contains_the_quote(source: str, quote: str) -> None:
    wanted = plain_text(quote.strip())[0].strip(EDGE)
    for span in Quotable(source).find([quote]).spans:
        assert source[span.start : span.end] == span.text
        if "..." not in wanted:
            assert wanted in plain_text(span.text)[0]


WORDS = st.lists(
    st.sampled_from(["a", "bc", "7", "12", ",", ".", "(", ")", "-", "%", ";"]), min_size=1
)


@given(WORDS, WORDS, WORDS)
def test_what_is_quoted_from_tokens_is_found_however_it_is_spaced(
    before: list[str], quoted: list[str], after: list[str]
) -> None:
    source = " ".join([*before, "x", *quoted, "x", *after])
    tight = re.sub(r"(?<=\D) (?=[^\w\s])|(?<=[^\w\s]) (?=\D)", "", f"x {' '.join(quoted)} x")
    spans = Quotable(source).find([tight]).spans
    assert [source[span.start : span.end] for span in spans] == [span.text for span in spans]
    assert ["".join(span.text.split()) for span in spans] == ["".join(tight.split())]


@given(TEXTS)
def test_places_grow_and_there_is_one_for_each_character(text: str) -> None:
    plain, places = plain_text(text)
    assert len(plain) == len(places)
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("quote", "is_there"),
    [
        ("a", True),
        ("a" * 40_000, True),
        ("a" * 40_000 + "b", False),
        ("a b " * 10_000 + "c", False),
        ("a ... " * 10_000, True),
    ],
)
def test_hostile_quotes_are_looked_up_without_going_through_the_source_again_and_again(
    quote: str, is_there: bool
) -> None:
    quoted = Quotable("a" * 200_000).find([quote])  # would not end in an hour if it did
    assert bool(quoted.spans) is is_there
    assert quoted.missing == (0 if is_there else 1)
