"""Connectives where they stand in a text."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from assay.text.discourse.lexicon import Connective, Form, connectives, pattern_of, plain


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
