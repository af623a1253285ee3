"""The entry of a menu that a few words state, however they spell it, and how likely it was.

Words may go on to explain the entry, and only one at the beginning counts. Where the menu has two
sides, "not accurate" is another word for the side against it; a double negation such as "not
inaccurate" is no entry at all. Where a bare yes or no, or another entry, answers the first one, as
in `Consistent: no`, nothing is stated.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, isnan

from assay.llm.client import Reply, Token

DECORATION = " \t\r\n*_`\"'“”‘’«»()[]{}<>."
_JOINTS = r"[\s_‐‑‒–—-]"

_AGREES = ("consistent", "faithful")
_DIFFERS = ("inconsistent", "unfaithful")
_COMMON = ("supported", "unsupported", "not supported")  # what explanations say of details
_NEGATIVE = re.compile(r"(?:not?|non|un|in|im|ir|il|dis|mis)", re.IGNORECASE)
_SHORT = frozenset({"yes", "no", "true", "false", "other"})  # words that any explanation may have
_LATEX = re.compile(r"\\(?:boxed|text|textbf|mathrm|mathbf)\s{0,9}\{([^{}]{0,200})\}")
_MATHS = re.compile(r"\$|\\[()\[\]]")
_SUBJECT = re.compile(
    r"(?:(?:so|thus|hence|therefore|overall|in conclusion),? )?(?:the|this|it)"
    r"(?: (?:provided|given|target|generated))?(?: [a-z]{1,20})? (?:is|are) (?:therefore |thus )?",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"[\s*_`\"'”’)\]]{0,9}(?:/|\||&|,?\s?(?:or|and|and/or|nor|to|vs)\b|,)\s{0,9}", re.IGNORECASE
)
_EXPLAINED = re.compile(
    r"[\s*_`\"'”’)\]}>]{0,9}(?:[.;!:,(\[{–—-]|\n|\Z|(?:because|since|as|due to)\b)", re.IGNORECASE
)
_WITH = re.compile(
    r"\s(?:with (?:(?:respect|regard) to )?|to )(?:the|its) (?:\w{1,20} ){0,2}?"
    r"(?:source|document|text|article|passage|context|material)s?\b",
    re.IGNORECASE,
)
_YES_OR_NO = re.compile(
    r"[\W_]{0,9}(?:yes|no|true|false)[*_`\"'”’)\]}>]{0,9}(?:[.,;!]|\s{0,9}\Z|\n)", re.IGNORECASE
)
_TAGGED = re.compile(r"<(\w{1,20})>([^<>]{0,200})</\1>")
_CLAUSE = re.compile(r"[.;:,!?/|–—-]\s{0,3}[*_`\"'“(\[]{0,4}(?=\w)")
_BETWEEN = DECORATION + ":-–—"
_HEDGE = re.compile(
    r"\W{0,9}(?:mostly|largely|part(?:ly|ially)|mainly|somewhat|almost|nearly|but|except|though"
    r"|although|however|unless|if|apart|probably|maybe|perhaps|possibly|likely|i think|unsure"
    r"|not sure|not really|or not|(?:no,? )?wait|actually"
    r"|with (?:\w{1,20} ){0,2}(?:exception|caveat)s?)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"(?:\bnot?|n['’]t|\bnon|\bnever|\bneither|\bnor|\brather than|\binstead of|\bthan|\bisnt)"
    r"[\s_‐‑–—-]{1,3}(?:[\w-]{1,20}\s){0,2}$",
    re.IGNORECASE,
)


@lru_cache(maxsize=1024)
def spelling(choice: str) -> str:
    """A pattern for a choice in any case, in which spaces, hyphens and underscores are the same.

    >>> bool(re.fullmatch(spelling("no-fact"), "No Fact", re.IGNORECASE))
    True
    """
    words = filter(None, re.split(f"{_JOINTS}+", choice))
    return f"{_JOINTS}*".join(map(re.escape, words))


@lru_cache(maxsize=256)
def menu_pattern(choices: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for any of the choices as whole words; longer choices come first."""
    any_of = "|".join(map(spelling, sorted(choices, key=len, reverse=True)))
    return re.compile(rf"(?<![^\W_])(?:{any_of})(?![^\W_])", re.IGNORECASE)


def choice_of(text: str, choices: Sequence[str]) -> str | None:
    """The choice that a text spells, apart from quotes, brackets and a full stop; None if none."""
    bare = text.strip(DECORATION)
    if bare in choices:
        return bare
    for choice in choices:
        if re.fullmatch(spelling(choice), bare, re.IGNORECASE):
            return choice
    return None


@dataclass(frozen=True, slots=True)
class Stated:
    """The entry that is stated, and the word that states it."""

    choice: str
    said: str


@dataclass(frozen=True, slots=True)
class Menu:
    """The choices of a reply, and every word that stands for one of them."""

    choices: tuple[str, ...]
    words: Mapping[str, str]
    told: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        choices: Iterable[str],
        others: Mapping[str, str] | None = None,
        told: Iterable[str] = (),
    ) -> "Menu":
        """A menu of these choices; `others` maps further words to them.

        Consistent and faithful, and their opposites, stand for each other. The model was `told` to
        use some of the words, if not the choices themselves.
        """
        names = tuple(choices)
        words = {**_usual_words(names), **{name: name for name in names}, **(others or {})}
        return cls(names, {**_denied_words(names, words), **words}, tuple(told))

    def __iter__(self) -> Iterator[str]:
        return iter(self.choices)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The words that the model was told to use, and the choices for which it has none."""
        named = {self.words[word] for word in self.told}
        return (*self.told, *(choice for choice in self.choices if choice not in named))

    def exactly(self, text: str) -> str | None:
        """The choice that a text spells and nothing else; None if it is not one."""
        return self._choice(without_markup(text)) or None

    def stated(self, text: str) -> Stated | None:
        """The only choice that a text states: it comes first and ends its sentence or clause."""
        plain = without_markup(text).lstrip(DECORATION)
        plain = plain[_subject_end(plain) :].lstrip(DECORATION)
        found = self._pattern().match(plain)
        if not found or not self._may_stand(found[0], plain, found.end()):
            return None
        choice, rest = self._choice(found[0]), plain[_end(plain, found.end()) :]
        if not _EXPLAINED.match(rest) and not (len(found[0]) == 1 and rest.startswith((")", "]"))):
            return None
        after = rest.lstrip(_BETWEEN)
        named = self._pattern().match(after) if len(found[0]) == 1 else None
        if named and self._choice(named[0]) == choice:  # D. Fabricated: ...
            rest, is_sure = after[_end(after, named.end()) :], True
        else:
            is_sure = self._agrees(rest, choice, found[0])
        if not is_sure or _HEDGE.match(rest) or _YES_OR_NO.match(rest):
            return None
        if self._adds_other(rest, choice):
            return None
        return Stated(choice, found[0])

    def names_several(self, text: str) -> bool:
        """True if a text has two words of the menu or more."""
        places = self._pattern().finditer(without_markup(text))
        return sum(len(place[0]) > 1 or place[0].isupper() for place in places) > 1

    def _adds_other(self, rest: str, choice: str) -> bool:
        """True if another choice is added, as in `Yes or no`, or in `Yes: one. No: two.`."""
        joint = _JOINED.match(rest)
        if joint and self._is_other(rest[joint.end() :].lstrip(DECORATION), choice):
            return True
        line = rest.partition("\n")[0]
        ends = (clause.end() for clause in _CLAUSE.finditer(line))
        clauses = (line[end : end + 100] for end in ends)
        return any(self._is_other(each, choice, ends=True) for each in clauses)

    def _is_other(self, text: str, choice: str, *, ends: bool = False) -> bool:
        """True if a text begins with another choice, which `ends` the clause."""
        found = self._pattern().match(text)
        if not found or not self._may_stand(found[0], text, found.end()):
            return False
        if ends and not _EXPLAINED.match(text, found.end()):
            return False
        return self._choice(found[0]) != choice

    def _agrees(self, rest: str, choice: str, said: str) -> bool:
        """True if an explanation names no other choice, unless to deny it, and denies not its own.

        Letters and short words are too common to count; so is what is supported or not, unless the
        choice is said in these words.
        """
        is_detail = not choice_of(said, _COMMON)
        for place in self._pattern().finditer(rest):
            if len(place[0]) == 1 or place[0].casefold() in _SHORT:
                continue
            if is_detail and choice_of(place[0], _COMMON):
                continue
            is_negated = bool(_NEGATION.search(rest[max(0, place.start() - 60) : place.start()]))
            if (self._choice(place[0]) == choice) == is_negated:
                return False
        return True

    def _may_stand(self, word: str, text: str, end: int) -> bool:
        """True if a letter is one of the menu and not the first word of a sentence."""
        return len(word) > 1 or word.isupper() or not text[end:].strip(DECORATION)

    def _choice(self, word: str) -> str:
        """The choice that a word of the pattern stands for."""
        spelt = choice_of(word, tuple(self.words))
        return self.words[spelt] if spelt else ""

    def _pattern(self) -> re.Pattern[str]:
        return menu_pattern(tuple(self.words))


def _usual_words(names: tuple[str, ...]) -> dict[str, str]:
    """Other words for the two sides, where the menu has exactly one of each."""
    folded = {name.casefold(): name for name in names}
    words = {
        f"{no} {name}": folded[f"{prefix}{name}"]
        for name in folded
        for no in ("not", "non")
        for prefix in ("in", "un")
        if f"{prefix}{name}" in folded
    }
    agrees = [folded[name] for name in _AGREES if name in folded]
    differs = [folded[name] for name in _DIFFERS if name in folded]
    if len(agrees) == len(differs) == 1:
        words |= dict.fromkeys((*_AGREES, *(f"factually {each}" for each in _AGREES)), agrees[0])
        against = (*_DIFFERS, *_denied(_AGREES), "hallucinated", "non-factual")
        words |= dict.fromkeys((*against, *(f"factually {each}" for each in _DIFFERS)), differs[0])
    return {word: name for word, name in words.items() if word not in folded}


def _denied_words(names: tuple[str, ...], words: Mapping[str, str]) -> dict[str, str]:
    """`not accurate` and the like, for the side against it, where these are all that there is."""
    sides = tuple(dict.fromkeys(names or words.values()))
    agrees = [name for name in sides if name.casefold() in _AGREES]
    differs = [name for name in sides if name.casefold() in _DIFFERS]
    if not len(agrees) == len(differs) == len(sides) - 1 == 1:
        return {}
    against = {agrees[0]: differs[0], differs[0]: agrees[0]}
    return {
        denied: against[choice]
        for word, choice in words.items()
        if len(word) > 3 and word.casefold() not in _SHORT and not _NEGATIVE.match(word)
        for denied in _denied([word])
    }


def _denied(names: Iterable[str]) -> list[str]:
    return [f"{no} {each}" for each in names for no in ("not", "non")]


def _end(text: str, end: int) -> int:
    """The end of a choice with what it is about: `inconsistent with the source`."""
    found = _WITH.match(text, end)
    return found.end() if found else end


def without_markup(text: str) -> str:
    """The text without the tags and the commands of LaTeX that set off an answer."""
    if "</" in text:
        text = _TAGGED.sub(r"\2", _TAGGED.sub(r"\2", text))
    if "\\" not in text:
        return text
    plain = _LATEX.sub(r"\1", _LATEX.sub(r"\1", text))
    return _MATHS.sub(" ", plain)


def _subject_end(text: str) -> int:
    found = _SUBJECT.match(text)
    return found.end() if found else 0


def probability_of(reply: Reply, value: str) -> float | None:
    """The probability of the tokens at the last place where the reply names the value.

    Places in quotation marks, as in JSON, are preferred. None if the server sent no tokens, if
    they do not spell the reply, or if the reply does not name the value.
    """
    if not reply.tokens:
        return None
    spelt = "".join(token.text for token in reply.tokens)
    begin = spelt.find(reply.text)  # a server may add characters of its own at the ends
    place = _last_place(reply.text, value)
    if not spelt or begin < 0 or place is None:
        return None
    start, end = begin + place[0], begin + place[1]
    total = sum(token.logprob for token in _covering(reply.tokens, start, end))
    return None if isnan(total) else min(1.0, exp(total))


def _last_place(text: str, value: str) -> tuple[int, int] | None:
    words = spelling(value)
    for pattern in (f'(?<=["“]){words}(?=["”])', rf"(?<![^\W_]){words}(?![^\W_])"):
        places = [found.span() for found in re.finditer(pattern, text, re.IGNORECASE)]
        if places:
            return places[-1]
    return None


def _covering(tokens: tuple[Token, ...], start: int, end: int) -> Iterator[Token]:
    at = 0
    for token in tokens:
        if at < end and at + len(token.text) > start:
            yield token
        at += len(token.text)
