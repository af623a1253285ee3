"""The entries of a menu, however a model spells them."""

import re
from collections.abc import Sequence
from functools import lru_cache

DECORATION = " \t\r\n*_`\"'“”‘’«»()[]{}<>."
_JOINTS = r"[\s_‐‑‒–—-]"


@lru_cache(maxsize=1024)
def spelling(choice: str) -> str:
    """A pattern for a choice in any case, with spaces, hyphens and underscores alike.

    >>> bool(re.fullmatch(spelling("no-fact"), "No Fact", re.IGNORECASE))
    True
    """
    words = filter(None, re.split(f"{_JOINTS}+", choice))
    return f"{_JOINTS}*".join(map(re.escape, words))


@lru_cache(maxsize=256)
def menu_pattern(choices: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the choices as whole words; of those that begin alike the longest."""
    any_of = "|".join(map(spelling, sorted(choices, key=len, reverse=True)))
    return re.compile(rf"(?<![^\W_])(?:{any_of})(?![^\W_])", re.IGNORECASE)


def choice_of(text: str, choices: Sequence[str]) -> str | None:
    """The choice that a text spells, quotes, brackets and a full stop aside; None if none."""
    bare = text.strip(DECORATION)
    if bare in choices:
        return bare
    for choice in choices:
        if re.fullmatch(spelling(choice), bare, re.IGNORECASE):
            return choice
    return None
