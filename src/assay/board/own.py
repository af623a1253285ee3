"""Which of the ranked LLMs a judge asks itself, so that what it says of them can be marked.

Where nothing says which LLM a judge asks, its name may: `gpt-4o` is called like openai/gpt-4o, and
`faithjudge-o3-mini` after its method like any o3-mini. A name that merely begins or ends alike is
no match, except for a date or an effort, which make a version of the same LLM.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from assay.board.results import Judge

_DATE = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8})$")
_EFFORT = re.compile(r"-(?:minimal|low|medium|high)$")


def with_own(judge: Judge, models: Sequence[str]) -> Judge:
    """The judge with those of the ranked LLMs that are its own, and how they are known."""
    if judge.model:
        own = tuple(model for model in models if is_same(judge.model, model))
        return replace(judge, own=own, own_by="model" if own else "")
    if judge.kind != "detector":
        return judge
    names = tuple(_names(judge.name))
    if own := _called(names, models, _last):
        return replace(judge, own=own, own_by="name")
    if own := _called(names, models, _unversioned):
        return replace(judge, own=own, own_by="version")
    return judge


def is_same(mine: str, model: str) -> bool:
    """Whether two names are of the same LLM; the maker's name before a slash may be missing."""
    one, other = (name.casefold().strip() for name in (mine, model))
    if not one:
        return False
    if "/" in one and "/" in other:
        return one == other
    return _last(one) == _last(other)


def _names(judge: str) -> Iterator[str]:
    """What a judge may be called after: its whole name, or what follows the method's."""
    name = judge.casefold().strip()
    yield _last(name)
    for sign in ("-", " ", ":"):
        method, found, rest = name.partition(sign)
        if found and method and rest:
            yield _last(rest.strip())


def _called(
    names: Iterable[str], models: Sequence[str], short: Callable[[str], str]
) -> tuple[str, ...]:
    wanted = frozenset(names)
    return tuple(model for model in models if short(model.casefold().strip()) in wanted)


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _unversioned(name: str) -> str:
    """The name without its date, and without how much it thinks.

    >>> _unversioned("openai/o3-mini-high-2025-01-31")
    'o3-mini'
    """
    return _EFFORT.sub("", _DATE.sub("", _last(name)))
