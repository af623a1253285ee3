"""Sentences with exact offsets.

The `sentencex` library finds the ends of sentences inside each block of the layout; what it
returns is checked against the text and mended in the few places where language-model output and
the library disagree. Every letter and digit of the text lies in exactly one sentence.
"""

import re
from collections.abc import Iterator

import sentencex

from assay.core.spans import Side, Span
from assay.text.blocks import Block, split_blocks

# Closing marks that belong to the sentence before them: `**Done.** Next.`
_CLOSING = re.compile(r"(?:\*{1,3}|_{1,3}|~~|[\"”’»)\]])+(?=\s|$)")
# Abbreviations that stand before what they abbreviate, so they never end a sentence.
_LEADS_ON = re.compile(
    r"(?<!\w)(?:[Aa]pprox|[Cc]a|[Cc]f|[Ee]qs?|[Ff]igs?|[Nn]os|pp?|[Vv]ols?|[Ss]ecs?|M|Mme|Mlle)\.\s*$"
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def split_sentences(text: str, side: Side = "response", language: str = "en") -> tuple[Span, ...]:
    """The sentences of a text as spans, without the white space around them.

    >>> [s.text for s in split_sentences("Dr. Wu paid 3.5 million. - No?\\n\\n1. Yes!")]
    ['Dr. Wu paid 3.5 million.', '- No?', '1. Yes!']
    """
    return tuple(
        Span.cut(text, start, end, side)
        for block in split_blocks(text)
        for start, end in _in_block(text, block, language)
        if any(character.isalnum() for character in text[start:end])
    )


def _in_block(text: str, block: Block, language: str) -> Iterator[tuple[int, int]]:
    if block.is_code:
        yield _trim(text, block.start, block.end)
        return
    ends = _sentence_ends(text[block.body : block.end], language)
    start = block.start
    for end in _mend(text, start, [block.body + end for end in ends]):
        yield _trim(text, start, end)
        start = end


def _sentence_ends(prose: str, language: str) -> list[int]:
    """Where the library ends each sentence; the whole prose is one if its pieces do not add up."""
    pieces: list[str] = sentencex.segment(language, _SURROGATE.sub("\ufffd", prose))
    ends: list[int] = []
    position = 0
    for piece in pieces:
        position += len(piece)
        ends.append(position)
    return ends if ends and position == len(prose) else [len(prose)]


def _mend(text: str, start: int, ends: list[int]) -> Iterator[int]:
    for end, is_last in ((end, end == ends[-1]) for end in ends):
        if is_last:
            yield end
        elif not _LEADS_ON.search(text, start, end):
            closing = _CLOSING.match(text, end)
            start = closing.end() if closing else end
            yield start


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
