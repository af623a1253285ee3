"""Which of the ranked LLMs a judge asks itself, so that what it says of them can be marked.

Which LLM a judge asks is stated: by its run, by the card of a corpus, or by the user. That the name
of a judge is like that of an LLM says nothing: MiniCheck's flan-t5-large is not Google's.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.board.results import Judge

_DATE = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8})$")
_EFFORT = re.compile(r"-(?:minimal|low|medium|high)$")


def with_own(judge: Judge, models: Sequence[str]) -> Judge:
    """The judge with those of the ranked LLMs that are its own, and how they are known."""
    own = own_llms(judge.model, models)
    is_exact = any(_is_same(judge.model, model) for model in own)
    return replace(judge, own=own, own_by=("model" if is_exact else "version") if own else "")


def own_llms(asked: str, models: Sequence[str]) -> tuple[str, ...]:
    """Those of some LLMs that are the one a judge asks, or the same but for a date or an effort."""
    return tuple(model for model in models if _is_same(_unversioned(asked), _unversioned(model)))


def _is_same(mine: str, model: str) -> bool:
    """Whether two names are of the same LLM; the maker's name before a slash may be missing."""
    one, other = (name.casefold().strip() for name in (mine, model))
    if not one:
        return False
    if "/" in one and "/" in other:
        return one == other
    return one.rpartition("/")[2] == other.rpartition("/")[2]


def _unversioned(name: str) -> str:
    """The name without its date, and without how much it thinks.

    >>> _unversioned("openai/o3-mini-high-2025-01-31")
    'openai/o3-mini'
    """
    return _EFFORT.sub("", _DATE.sub("", name.strip()))
