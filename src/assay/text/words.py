"""Words as the lexical methods compare them: case-folded, stemmed, without function words."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

import Stemmer

from assay.text.blocks import marker_end
from assay.text.identification import small_words

# Scripts without spaces between words are compared character by character.
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
_LETTER = rf"(?:(?![{_UNSPACED}])[^\W_])"  # an underscore is emphasis, not part of a word
_WORD = re.compile(rf"[{_UNSPACED}]|{_LETTER}+(?:['’.,]{_LETTER}+)*")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:['.,][A-Za-z0-9]+)*")  # the same, in a third of the time

# Each character of a Western text as a letter or digit (a), a sign that may join these (.), or
# anything else, by its byte.
_WESTERN = "cp1252"
_SINGLE = [bytes([each]).decode(_WESTERN, "replace") for each in range(256)]
_KINDS = "".join(
    "a" if _WORD.match(each) else "." if each in "'’.," else " " for each in _SINGLE
).encode()

_LANGUAGES = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}

FUNCTION_WORDS = frozenset(
    """a about above after again all also although am among an and any are as at be because been
    before being below between both but by can could did do does doing during each either else
    few for from had has have having he her here hers him his how however i if in into is it its
    itself just may me might more most must my neither nor of off on once only onto or other our
    out over own per same shall she should since so some such than that the their theirs them then
    there these they this those though through thus to too under until up upon us very was we were
    what when where whether which while who whom whose why will with within would yet you
    your""".split()
)
_IN_A_WORD = re.compile(r"(?<=[^\W_])(?=[^\W_])")
_IN_A_NUMBER = re.compile(r"(?<=\d)(?=\d)|(?<=\d)(?=[.,]\d)|(?<=\d[.,])(?=\d)")

# A repetitive text has so many candidate positions that only some of them are tried.
_COMPARED = 200_000  # characters
_FEWEST_TRIED = 10  # positions


def words(text: str) -> list[str]:
    """The words of a text as written, in order, without a leading list marker."""
    word = _ASCII_WORD if text.isascii() else _WORD
    return word.findall(text, marker_end(text))


def placed_words(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of the words; what lies between two of them has no letter."""
    end = marker_end(text)
    for word in words(text):
        start = text.index(word, end)
        end = start + len(word)
        yield start, end


def count_words(text: str) -> int:
    """The number of `words` in a text, counted in a fraction of the time.

    >>> count_words("1. The miners' records, it's said, were broken ...again.")
    8
    """
    try:
        written = text[marker_end(text) :].encode("ascii" if text.isascii() else _WESTERN)
    except UnicodeEncodeError:
        return len(words(text))
    # A word begins at a letter that follows neither a letter nor a sign that joins it to one.
    kinds = b" " + written.translate(_KINDS)
    return kinds.count(b" a") + kinds.count(b" .a") + kinds.count(b"..a")


def terms(text: str, language: str = "en") -> list[str]:
    """The content words of a text, case-folded and stemmed.

    >>> terms("1. The Miners' records were broken in 1986.")
    ['miner', 'record', 'broken', '1986']
    """
    return [stem for _, stem in content_words(text, language)]


def content_words(text: str, language: str = "en") -> Iterator[tuple[str, str]]:
    """Each content word as written, with its stem."""
    small = function_words(language)
    for word in words(text):
        folded = word.casefold().replace("’", "'").removesuffix("'s")
        if folded not in small:
            yield word, _stem(folded, language)


@cache
def function_words(language: str) -> frozenset[str]:
    """The small words of a language; of one whose words are not known, those of English."""
    known = small_words(language) if language != "en" else frozenset()
    return frozenset(map(str.casefold, known)) or FUNCTION_WORDS


def _stem(word: str, language: str) -> str:
    # Numbers are endlessly many, and would only fill the memory of the stems.
    return _stem_of(word, language) if language in _LANGUAGES and word.isalpha() else word


@lru_cache(maxsize=100_000)
def _stem_of(word: str, language: str) -> str:
    stem: str = _stemmer(_LANGUAGES[language]).stemWord(word)
    return stem


@lru_cache
def _stemmer(name: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(name)


def find_words(text: str, words: str, after: int = 0) -> int:
    """The first position where the words occur as whole words; -1 if there is none.

    >>> find_words("Alfred painted 12.5 red boats", "red"), find_words("Alfred", "red")
    (20, -1)
    """
    return _find(text, words, after, (_IN_A_WORD, _IN_A_NUMBER))


def find_inside_words(text: str, words: str, after: int = 0) -> int:
    """Like `find_words`, but also inside longer words; never inside a longer number.

    >>> find_inside_words("12.5 boats", "boat"), find_inside_words("12.5 boats", "12")
    (5, -1)
    """
    return _find(text, words, after, (_IN_A_NUMBER,))


def _find(text: str, words: str, after: int, cuts: tuple[re.Pattern[str], ...]) -> int:
    start = text.find(words, after)
    for _ in range(max(_FEWEST_TRIED, _COMPARED // (len(words) or 1))):
        borders = (start, start + len(words))
        if start < 0 or not any(cut.match(text, border) for cut in cuts for border in borders):
            return start
        start = text.find(words, start + 1)
    return -1
