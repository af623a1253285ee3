"""The word lists beside this file: connectives, hedges, verbs that report, words that judge."""

import re
from collections.abc import Iterable, Mapping
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
