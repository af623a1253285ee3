"""The languages of a source and of the sentences about it: English, or which other one.

Most text is English, and must not be refused; so that is asked first, and `identification` says
which other language it is. Each word is evidence for or against English (`word_evidence`; decision
13 says why it is ours).
What a text says of its language is the sum. Names count little, since English prose is full of
foreign ones, and so do quotations, addresses and code; words of the response that stand in the
source count nothing against it. What is too short to tell is told by the text around it, and what
nothing tells is taken for English.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence

from assay.core.examples import Example
from assay.core.units import Unit
from assay.text.english import ENGLISH_WORDS, FUNCTION_WORDS, word_evidence
from assay.text.identification import Languages, identify

ENGLISH = "en"
OTHER = "a language other than English"

_CLEAR = -2.5  # the log-odds from which a text is not English
_MEAN = -0.4  # the same per word, so that a long text needs more than a few foreign words
_FUNCTION = 3.0  # what a function word says at least
_NAME = 0.25  # the weight of a word with a capital
_NAMES = 2.0  # what all words with capitals can say together
_NEARBY = 0.25  # the weight of the text around
_NEARBY_MOST = 2.0
_FEWEST = 3  # words of the text around that are no names
_NEIGHBOURS = 3  # sentences on either side that tell the language of a short one
_LONGEST_WORD = 30  # letters
_LONGEST_ACRONYM = 4  # letters
_ENOUGH = 4_000  # characters of a text that are looked at

# A source is prose in another language, or it is none.
_ENGLISH = 2.5  # the log-odds from which a sentence is English
_PROSE = 5  # words of a sentence that is no title
_PLAIN = 2.5  # the log-odds from which a word is plainly English
_FRAME = 0.2  # the share of such words in English with foreign titles or terms
_RUN = 4  # words between commas, on average, in prose
_LIST = 3  # parts between commas that may be a list
_OUTWEIGHED = 4  # words in another language for each English one that make a source foreign
_LONGEST_LABEL = 40  # characters
_LOOKED_AT = 40_000  # characters of a source whose sentences are told apart

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LATIN = re.compile(r"[A-Za-zÀ-ɏḀ-ỿ]")
_QUOTED = re.compile(r'"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»|„[^„“”\n]*[“”]|`[^`\n]*`')
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?…])\s|\n")
_BETWEEN_RUNS = re.compile(r"[,;:|()•·/–—]")
_PARTICLES = frozenset(
    "da das de degli dei del della den der des di do dos du el la le van von y".split()
)
_GREEK_LAST = "\u03ff"  # marks of vowels split the words of scripts further on
_MARKS = ("://", "@", "_", "=", "{", "}", "<", ">", "\\", "()", "www.")  # of addresses and code


def other_language(text: str, nearby: str = "", known: Collection[str] = ()) -> str | None:
    """The language or script of a text that is not English; None if it may be English.

    `nearby` is text in whose language it probably is, such as the sentences around it, and
    `known` are words, in lower case, that say nothing against English.

    >>> other_language("Die Brücke wurde nach dem Krieg nicht wieder aufgebaut.")
    'a language other than English'
    >>> other_language("The bridge was never rebuilt after the war.")
    >>> other_language("Мост так и не восстановили.")
    'Cyrillic script'
    """
    text = text[:_ENOUGH]
    if (script := _other_script(text)) is not None:
        return script
    around = _nearby_evidence(nearby, known)
    found, words = _evidence(text, known)
    clear = found + around <= _CLEAR and found + min(around, 0) <= _MEAN * max(words, 1)
    return OTHER if clear else None


def named_language(text: str) -> str:
    """The code of the language of a text; English where no other is plain.

    >>> named_language("Im 19. Jahrhundert wuchs die Stadt."), named_language("In den 3. Stay.")
    ('de', 'en')
    """
    return ENGLISH if other_language(text) is None else identify(text) or ENGLISH


def source_language(text: str) -> str | None:
    """The language or script of a source that is prose in another language than English.

    Lists, names, titles and labels are no prose, in whatever language they are.

    >>> source_language("Quercus robur, Fagus sylvatica, Betula pendula, Alnus glutinosa")
    >>> source_language("Die Brücke wurde zerstört. Sie wurde nicht wieder aufgebaut.")
    'a language other than English'
    """
    text = text[:_ENOUGH]
    sentences = list(_sentences(text))
    if sum(map(_runs, sentences)) < _LIST:
        whole = " ".join(sentences)
        return None if _is_framed(whole) else other_language(whole)
    if (script := _other_script(text)) is not None:
        return script
    foreign, english, words = 0, 0, 0
    for sentence in sentences:
        found, count = _evidence(sentence)
        words += count
        if _is_foreign_prose(sentence):
            foreign += count
        elif found >= _ENGLISH:
            english += count
    is_foreign = foreign > _OUTWEIGHED * english and foreign >= max(_FEWEST, words / 3)
    return OTHER if is_foreign else None


def find_languages(example: Example, units: Sequence[Unit]) -> Languages:
    """The languages of a source and of units.

    A stated language settles it. A short sentence is told by the others of the response, and the
    only one by the question and the source.
    """
    if example.language != ENGLISH or example.is_english_stated:
        return Languages(example.language, dict.fromkeys(units, example.language))
    text = example.source.text
    known = _known_words(example)
    foreign = {}
    for number, unit in enumerate(units):
        others = units[max(0, number - _NEIGHBOURS) : number + _NEIGHBOURS + 1]
        nearby = " ".join(other.text for other in others if other is not unit)
        if not nearby:
            nearby = f"{example.question} {text[:_ENOUGH]}"
        if (language := other_language(unit.text, nearby, known)) is not None:
            foreign[unit] = language
    source = source_language(text)
    around = [" ".join(unit.text for unit in foreign), *([] if source is None else [text])]
    found = {unit: identify(unit.text, *around) or other for unit, other in foreign.items()}
    return Languages(
        ENGLISH if source is None else identify(text) or source,
        {unit: found.get(unit, ENGLISH) for unit in units},
    )


def foreign_units(
    example: Example, units: Sequence[Unit], reads: Collection[str] = (ENGLISH,)
) -> dict[Unit, str]:
    """The units that are not in a language that is read, or whose source is not; with its name."""
    found = find_languages(example, units)
    unread = ((unit, found.unread(unit, reads)) for unit in units)
    return {unit: language for unit, language in unread if language is not None}


def _known_words(example: Example) -> frozenset[str]:
    """The words of a source and of an English question, but for prose in another language."""
    text = example.source.text
    known = {
        word
        for sentence in _sentences(text[:_LOOKED_AT])
        if not _is_foreign_prose(sentence)
        for word in _lower_words(sentence)
    }
    known.update(_lower_words(text[_LOOKED_AT:]))
    if other_language(example.question, known=known) is None:
        known.update(_lower_words(example.question))
    return frozenset(known)


def _sentences(text: str) -> Iterator[str]:
    """The sentences and lines of a source, without the labels of data."""
    for part in _BETWEEN_SENTENCES.split(text):
        label, _, rest = part.partition(": ")
        sentence = rest if rest and len(label) <= _LONGEST_LABEL else part
        if any(map(str.isalpha, sentence)):
            yield sentence.strip()


def _runs(sentence: str) -> int:
    return len(_BETWEEN_RUNS.findall(sentence)) + 1


def _is_foreign_prose(sentence: str) -> bool:
    """True if it is a sentence in another language, not a title or a list."""
    words, runs = len(list(_words(sentence))), _runs(sentence)
    if words < _PROSE or (runs >= _LIST and words < _RUN * runs) or _is_framed(sentence):
        return False
    return other_language(sentence) is not None


def _is_framed(text: str) -> bool:
    """True if so many words are plainly English that the others are names and quotations."""
    own = [_lower(word) for word, is_name in _words(text) if not is_name]
    plain = sum(word in ENGLISH_WORDS or word_evidence(word) >= _PLAIN for word in own)
    small = sum(word in FUNCTION_WORDS for word in own)
    return plain > 0 and plain >= max(small, _FRAME * len(own))


def _lower_words(text: str) -> Iterator[str]:
    return (_lower(word) for word in _WORD.findall(text))


def _lower(word: str) -> str:
    return word.lower().replace("’", "'")


def _evidence(text: str, known: Collection[str] = ()) -> tuple[float, int]:
    """The evidence of the words of a text in Latin script, and how many are no names."""
    said = _QUOTED.sub(" ", text)
    words = list(_words(said))
    if len(words) < 2:
        said, words = text, list(_words(text))
    in_names = _in_names(words)
    if _is_shouted(said, [word for word, _ in words]):
        in_names = [False] * len(words)
    lower = [_lower(word) for word, _ in words]
    said_by = [word_evidence(word) for word in lower]
    rest = list(zip(lower, said_by, in_names, strict=True))[1:]
    if rest and in_names[0] and lower[0] in FUNCTION_WORDS:
        follows = not rest[0][2]  # in lower case
        says = sum(each for word, each, in_name in rest if not in_name and word not in known)
        in_names[0] = not follows and says >= 0
    elif rest and lower[0] in ENGLISH_WORDS:
        in_names[0] = False
    small = [
        word in FUNCTION_WORDS and word not in known and not in_name
        for word, in_name in zip(lower, in_names, strict=True)
    ]
    own, names, count = 0.0, 0.0, 0
    for (word, _), low, evidence, is_small, in_name in zip(
        words, lower, said_by, small, in_names, strict=True
    ):
        if is_small:
            evidence = min(evidence, -_FUNCTION)
        elif low in ENGLISH_WORDS:
            evidence = max(evidence, _FUNCTION)
        if low in known:
            evidence = max(evidence, 0.0) if low in ENGLISH_WORDS else 0.0
        if not in_name:
            own, count = own + evidence, count + 1
        elif not word.isupper():
            names += _NAME * evidence
    return own + max(-_NAMES, min(_NAMES, names)), count


def _in_names(words: Sequence[tuple[str, bool]]) -> list[bool]:
    """For each word, True if it has a capital or is a particle before one that has."""
    found: list[bool] = []
    for word, has_capital in reversed(words):
        found.append(has_capital or (found[-1:] == [True] and word in _PARTICLES))
    return found[::-1]


def _is_shouted(text: str, words: Sequence[str]) -> bool:
    """True if a text is in capitals; short words and lists of single ones may be acronyms."""
    letters = sum(map(len, words))
    long = sum(len(word) for word in words if len(word) > _LONGEST_ACRONYM)
    is_list = len(words) < 2 * len(_BETWEEN_RUNS.findall(text))
    return all(map(str.isupper, words)) and long * 2 >= letters and not is_list


def _nearby_evidence(nearby: str, known: Collection[str] = ()) -> float:
    if not nearby:
        return 0.0
    if _other_script(nearby[:_ENOUGH]) is not None:
        return -_NEARBY_MOST
    found, words = _evidence(nearby[:_ENOUGH], known)
    if words < _FEWEST:
        return 0.0
    return max(-_NEARBY_MOST, min(_NEARBY_MOST, _NEARBY * found))


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """The words in Latin script that are no symbols, addresses or code; and which are of names."""
    for token in text.split():
        if any(mark in token for mark in _MARKS):
            continue
        in_name = False  # what follows the hyphen in a name belongs to it
        for found in _WORD.finditer(token):
            word = found[0]
            follows = in_name and token[found.start() - 1] in "-‐‑"
            in_name = word[0].isupper() or follows
            is_word = len(word) > 1 or not word.isascii()
            if is_word and len(word) <= _LONGEST_WORD and _LATIN.match(word):
                yield word, in_name


def _other_script(text: str) -> str | None:
    """The script of most letters, if that is not Latin; a single Greek letter is a symbol."""
    words = [word for word in _WORD.findall(text) if len(word) > 1 or word > _GREEK_LAST]
    others = [word for word in words if not _LATIN.match(word)]
    letters = sum(map(len, words))
    if not others or sum(map(len, others)) * 2 <= letters:
        return None
    longest = max(others, key=len)
    return f"{unicodedata.name(longest[0], 'another').split()[0].capitalize()} script"
