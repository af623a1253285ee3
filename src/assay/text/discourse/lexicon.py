"""The word lists beside this file, and where their words occur in a text.

Connectives link statements; hedges (may, mostly, plans to) make one less certain; evaluations
(remarkable, sadly) judge; reporting verbs attribute a statement to somebody.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, cast

Form = Literal["clause", "phrase", "between", "opening", "verb", "sign"]
Role = Literal["first", "second"]

_FOLDER = Path(__file__).parent
_LOOSE = "loose"  # the kind of hedge whose absence changes nothing
_SPACE = re.compile(r"\s+")
_MAY_DAY = re.compile(r"\bMay\b")
_APOSTROPHE = str.maketrans("’", "'")


@dataclass(frozen=True, slots=True)
class Connective:
    """Words that link two statements; `follows` is the part of the relation that comes after them.

    A firm one expresses its relation and no other.
    """

    words: str
    relation: str
    form: Form
    follows: Role
    is_firm: bool


def plain(text: str) -> str:
    """A text in the spelling of the lists, without changing its length."""
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
    """The words of a file by section; those before any section belong to ''."""
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
    """Verb forms that can be the predicate of a clause."""
    lists = word_lists("verbs")
    return frozenset((*lists["forms"], *(form for verb in lists["plain"] for form in _forms(verb))))


def pattern_of(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern for any of the words, longest first; `*` stands for any ending, `-` for a space."""
    forms = sorted(words, key=len, reverse=True)
    choices = "|".join(_spelt(each) for each in forms)
    return re.compile(rf"(?<![\w'-])(?:{choices})(?![\w'-])")


@dataclass(frozen=True, slots=True)
class Cue:
    """A connective at its place in a text, with its possible uses."""

    start: int
    end: int
    uses: tuple[Connective, ...]

    def use(self, *forms: Form) -> Connective | None:
        """Its first use of one of these forms."""
        return next((use for use in self.uses if use.form in forms), None)


def find_cues(text: str) -> list[Cue]:
    """All connectives of a text in order; of two at the same place, the longer."""
    uses = connectives()
    return [
        Cue(*found.span(), uses[_SPACE.sub(" ", found[0])])
        for found in _all_words().finditer(plain(text))
    ]


def relations_shown(text: str) -> frozenset[str]:
    """The relations that the connectives of a text may express."""
    return frozenset(use.relation for cue in find_cues(text) for use in cue.uses)


@cache
def _all_words() -> re.Pattern[str]:
    return pattern_of(connectives())


def find_hedges(text: str, kinds: frozenset[str] | None = None) -> list[tuple[int, int]]:
    """The places of hedges, of all kinds or of these; the month of May is not one.

    >>> [slice(*place) for place in find_hedges("It may rain in May.")]
    [slice(3, 6, None)]
    """
    months = {found.start() for found in _MAY_DAY.finditer(text) if found.start() > 0}
    found = _hedges(kinds).finditer(plain(text))
    return [each.span() for each in found if each.start() not in months]


@cache
def firm_kinds() -> frozenset[str]:
    """The kinds of hedges whose loss makes a statement more certain."""
    return frozenset(word_lists("hedges")) - {_LOOSE}


@cache
def _hedges(kinds: frozenset[str] | None) -> re.Pattern[str]:
    lists = word_lists("hedges")
    return pattern_of(word for kind in kinds or lists for word in lists[kind])


def find_evaluation(text: str) -> tuple[int, int] | None:
    """The place of the first evaluative word."""
    found = _evaluations().search(plain(text))
    return found.span() if found else None


@cache
def _evaluations() -> re.Pattern[str]:
    return pattern_of(word for words in word_lists("evaluations").values() for word in words)


def _spelt(word: str) -> str:
    stem = re.escape(word.rstrip("*")).replace(r"\-", r"[\s-]+").replace(r"\ ", r"\s+")
    return stem + (r"\w*" if word.endswith("*") else "")


def _forms(verb: str) -> tuple[str, ...]:
    """Plain form, third person and regular past: go, goes, goed; an invented form does no harm."""
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
