"""Sentences with exact offsets.

The `sentencex` library finds the ends of sentences within each block of the layout; its result is
checked against the text and corrected in the few places where it misreads the output of language
models. Every letter and digit of the text lies in exactly one sentence.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import accumulate

import sentencex

from assay.core.examples import Example
from assay.core.texts import Side, Span
from assay.core.units import Unit, unit_id
from assay.text.abbreviations import goes_on
from assay.text.blocks import Block, split_blocks
from assay.text.languages import ENGLISH, named_language
from assay.text.markup import visible


def sentence_units(example: Example) -> tuple[Unit, ...]:
    """The sentences that the example names; without any units, those of its response."""
    if example.units:
        return tuple(unit for unit in example.units if unit.kind == "sentence")
    return find_sentences(example.response.text, example.language)


def find_sentences(text: str, language: str = "en") -> tuple[Unit, ...]:
    """The sentences that a reader sees in a text, as units of it; without any it is one sentence.

    >>> [unit.text for unit in find_sentences("| City | Since |\\n|--|--|\\n| Lund | 990 |")]
    ['Lund | 990']
    """
    view = visible(text)
    places = (
        view.to_original(span.start, span.end)
        for span in split_sentences(view.text, language=language)
    )
    units = (
        Unit.at("sentence", Span.cut(text, *place, "response"), unit_id("sentence", number))
        for number, place in enumerate(places, start=1)
    )
    whole = Unit(unit_id("sentence", 1), "sentence", text, Unit.response(text).spans)
    return tuple(units) or (whole,)


def response_unit(example: Example) -> Unit:
    """The whole response as one unit."""
    return Unit.response(example.response.text)


# Closing marks that belong to the sentence before them: `**Done.** Next.`
_CLOSING = re.compile(r"(?>(?:[*_\"”’»)\]」』）]|~~)+)(?=\s|$)")
# Abbreviations that are always followed by what they refer to, so they never end a sentence.
_LEADS_ON = re.compile(
    r"(?<!\w)(?:[Aa]pprox|[Cc]a|[Cc]f|[Ee]qs?|[Ff]igs?|[Nn]os|pp?|[Vv]ols?|[Vv]s|[Ss]ecs?|M|Mme|Mlle)"
    r"\.\s*$"
)
# The number of an item in a list on one line: `Steps: 1. Mix. 2. Bake.`
_ITEM_NUMBER = re.compile(r"\s*\(?\d{1,3}[.)]\s*")
_FIRST_NUMBER = re.compile(r":\s+\(?1[.)]\s*$")
_LONGEST_LEAD = 16
# The library stops at wide white space and lone surrogates, so these are replaced first.
_WIDE_SPACE = re.compile(r"[^\S\x00-\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
# The library may take time quadratic in the length of what it is given at once.
_WINDOW = 5_000
_LARGEST = 10_000  # where nothing ends


def split_sentences(text: str, side: Side = "response", language: str = "en") -> tuple[Span, ...]:
    """The sentences of a text as spans, without the white space around them.

    A text that is plainly in another language than English is cut by the rules of that one.

    >>> [s.text for s in split_sentences("Dr. Wu paid 3.5 million. - No?\\n\\n1. Yes!")]
    ['Dr. Wu paid 3.5 million.', '- No?', '1. Yes!']
    """

    @cache
    def spoken() -> str:  # looked at only where it matters, since it takes longer than the rest
        return named_language(text) if language == ENGLISH else language

    return tuple(
        Span.cut(text, start, end, side)
        for block in split_blocks(text)
        for start, end in _in_block(text, block, language, spoken)
        if any(character.isalnum() for character in text[start:end])
    )


def _in_block(
    text: str, block: Block, language: str, spoken: Callable[[], str]
) -> Iterator[tuple[int, int]]:
    if block.is_whole:
        yield _trim(text, block.start, block.end)
        return
    ends = [block.body + end for end in _sentence_ends(text[block.body : block.end], language)]
    start = block.start
    for end in _correct(text, start, ends or [block.end], spoken):
        yield _trim(text, start, end)
        start = end


def _sentence_ends(prose: str, language: str) -> Iterator[int]:
    """The ends of sentences by the library, one window after another."""
    prose = _SURROGATE.sub("\ufffd", _WIDE_SPACE.sub(" ", prose))
    start, size = 0, _WINDOW
    while start < len(prose):
        ends = _ends_in_window(prose[start : start + size], language)
        if start + size < len(prose):
            ends.pop()  # the last sentence of a window may continue after it
        yield from (start + end for end in ends)
        if ends:
            start, size = start + ends[-1], _WINDOW
        elif size < _LARGEST:
            size *= 2
        else:  # the sentence goes on, and its end is looked for in what follows
            start, size = start + size, _WINDOW


def _ends_in_window(window: str, language: str) -> list[int]:
    ends = list(accumulate(map(len, sentencex.segment(language, window))))
    return ends if ends and ends[-1] == len(window) else [len(window)]


def _correct(text: str, start: int, ends: list[int], spoken: Callable[[], str]) -> Iterator[int]:
    """The ends that are right, each moved past the closing marks that follow it."""
    for end in ends[:-1]:
        if start < end and not _goes_on(text, start, end, spoken):
            closing = _CLOSING.match(text, end, ends[-1])
            start = closing.end() if closing else end
            yield start
    yield ends[-1]


def _goes_on(text: str, start: int, end: int, spoken: Callable[[], str]) -> bool:
    """True if what ends here merely introduces what follows."""
    tail = text[max(start, end - _LONGEST_LEAD) : end]
    return bool(
        _LEADS_ON.search(tail)
        or _FIRST_NUMBER.search(tail)
        or _ITEM_NUMBER.fullmatch(text, start, end)
        or (goes_on(text, start, end, None) and goes_on(text, start, end, spoken()))
    )


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
