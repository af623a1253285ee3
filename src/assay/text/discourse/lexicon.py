"""The word lists beside this file, and where their words stand in a text."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, cast

Form = Literal["clause", "phrase", "between", "opening", "verb", "sign"]
Role = Literal["first", "second"]

_FOLDER = Path(__file__).parent
_APOSTROPHE = str.maketrans("’", "'")


@dataclass(frozen=True, slots=True)
class Connective:
    """Words that link two statements; `follows` is the part that stands behind them.

    A firm one says its relation and no other.
    """

    words: str
    relation: str
    form: Form
    follows: Role
    is_firm: bool


def plain(text: str) -> str:
    """A text as the lists spell it, in as many characters."""
    lower = text.translate(_APOSTROPHE).lower()
    if len(lower) == len(text):
        return lower
    return "".join(each if len(each.lower()) > 1 else each.lower() for each in text)


@cache
def connectives() -> Mapping[str, tuple[Connective, ...]]:
    """The connectives by their words; the same words may have several uses."""
    found: dict[str, list[Connective]] = {}
    for line in _lines("connectives.txt"):
        words, relation, form, follows, strength = (each.strip() for each in line.split("|"))
        use = Connective(words, relation, cast(Form, form), cast(Role, follows), strength == "firm")
        found.setdefault(words, []).append(use)
    return {words: tuple(uses) for words, uses in found.items()}


@cache
def word_lists(name: str) -> Mapping[str, tuple[str, ...]]:
    """The words of a file by section; those before any section have the section ''."""
    sections: dict[str, tuple[str, ...]] = {}
    section = ""
    for line in _lines(f"{name}.txt"):
        if line.startswith("["):
            section = line.strip("[]")
        else:
            sections[section] = (*sections.get(section, ()), *line.split())
    return sections


@cache
def finite_verbs() -> frozenset[str]:
    """Forms of verbs that can be the predicate of a clause."""
    lists = word_lists("verbs")
    return frozenset((*lists["forms"], *(form for verb in lists["plain"] for form in _forms(verb))))


def pattern_of(words: Iterable[str]) -> re.Pattern[str]:
    """Finds any of some words, the longest first; `*` is any ending and `-` a blank."""
    forms = sorted(words, key=len, reverse=True)
    choices = "|".join(_spelt(each) for each in forms)
    return re.compile(rf"(?<![\w'-])(?:{choices})(?![\w'-])")


def _spelt(word: str) -> str:
    stem = re.escape(word.rstrip("*")).replace(r"\-", r"[\s-]+").replace(r"\ ", r"\s+")
    return stem + (r"\w*" if word.endswith("*") else "")


def _forms(verb: str) -> tuple[str, ...]:
    """Plain form, third person and regular past: go, goes, goed; what does not exist harms none."""
    if verb.endswith("e"):
        return verb, f"{verb}s", f"{verb}d"
    if re.search(r"[^aeiou]y$", verb):
        return verb, f"{verb[:-1]}ies", f"{verb[:-1]}ied"
    s = f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "o")) else f"{verb}s"
    doubled = f"{verb}{verb[-1]}ed" if re.search(r"[^aeiou][aeiou][bdgklmnprt]$", verb) else ""
    return tuple(filter(None, (verb, s, f"{verb}ed", doubled)))


def _lines(name: str) -> list[str]:
    text = (_FOLDER / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


@dataclass(frozen=True, slots=True)
class Cue:
    """The words of a connective at their place, and the ways in which they are used."""

    start: int
    end: int
    uses: tuple[Connective, ...]

    def use(self, *forms: Form) -> Connective | None:
        """Its first use of one of these forms."""
        return next((use for use in self.uses if use.form in forms), None)


def find_cues(text: str) -> list[Cue]:
    """All connectives of a text in order; of two at the same place the longer."""
    uses = connectives()
    return [
        Cue(*found.span(), uses[_SPACE.sub(" ", found[0])])
        for found in _all_words().finditer(plain(text))
    ]


def relations_shown(text: str) -> frozenset[str]:
    """The relations that some connective of a text may say."""
    return frozenset(use.relation for cue in find_cues(text) for use in cue.uses)


def shows(text: str, relations: Collection[str]) -> bool:
    """Whether a text has a connective of one of these relations."""
    return not relations_shown(text).isdisjoint(relations)


_SPACE = re.compile(r"\s+")


@cache
def _all_words() -> re.Pattern[str]:
    return pattern_of(connectives())


LOOSE = "loose"  # the kind that is not missed where it is gone
_MAY_DAY = re.compile(r"\bMay\b")


def find_hedges(text: str, kinds: frozenset[str] | None = None) -> list[tuple[int, int]]:
    """The places of the hedges of some kinds, by default of all; a month is none.

    >>> [slice(*place) for place in find_hedges("It may rain in May.")]
    [slice(3, 6, None)]
    """
    months = {found.start() for found in _MAY_DAY.finditer(text) if found.start() > 0}
    found = _hedges(kinds).finditer(plain(text))
    return [each.span() for each in found if each.start() not in months]


@cache
def firm_kinds() -> frozenset[str]:
    """The kinds whose loss makes a statement surer."""
    return frozenset(word_lists("hedges")) - {LOOSE}


@cache
def _hedges(kinds: frozenset[str] | None) -> re.Pattern[str]:
    lists = word_lists("hedges")
    return pattern_of(word for kind in kinds or lists for word in lists[kind])


def find_evaluation(text: str) -> tuple[int, int] | None:
    """The place of the first word that judges."""
    found = _evaluations().search(plain(text))
    return found.span() if found else None


@cache
def _evaluations() -> re.Pattern[str]:
    return pattern_of(word for words in word_lists("evaluations").values() for word in words)
