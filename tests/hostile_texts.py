"""Texts that hurt careless patterns: one thing repeated, and what a pattern itself repeats."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice

# `re` has no public way to look into a pattern.
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

from tests.growth import Text

UNITS = (
    *" \n\t_*()<>\"'.,-1aA#|`\\[{:&;=~“”/",
    "a ",
    "A ",
    "1 ",
    "1,",
    "1.",
    "&#1",
    "\n ",
    " \n",
    "A. ",
    "a.b.",
    "a-",
    "> ",
    "* ",
    "- ",
    "</",
    '"a" ',
    "A a.\n",
    "\u3000",
)
_ENDS = ("\x00", "\nx")
_LETTERS = " a1\n_-.,\"'<>*()A:#|\\é\x00"  # tried in this order for a set of characters
_VARIANTS = 3
_MOST = 80  # texts for one pattern; where it could have more, as lists of words do, they are alike
_Node = tuple[Any, Any]


def repeated(unit: str, before: str = "", after: str = "") -> Text:
    """A text that repeats a unit after a beginning and before an end."""
    return lambda size: before + unit * max(1, size // len(unit)) + after


@cache
def for_all() -> tuple[Text, ...]:
    """The texts that every pattern is given, made once."""
    return tuple(cache(repeated(unit, after="\x00")) for unit in UNITS)


def made_for(pattern: re.Pattern[str]) -> Iterator[Text]:
    """Texts on which a pattern goes on as long as it can, and then fails."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    starts: dict[str, dict[str, None]] = {}
    for before, body in _repeats(tree, ("",), pattern.flags):
        for unit in filter(None, body):
            starts.setdefault(unit, {}).update(dict.fromkeys(before))
    pairs = [(start, unit) for unit, all_ in starts.items() for start in islice(all_, _VARIANTS)]
    texts = {text(64): text for start, unit in pairs for text in _texts(start, unit)}
    yield from islice(texts.values(), 0, None, max(1, len(texts) // _MOST))


def repeats_possessively(pattern: re.Pattern[Any]) -> bool:
    """Whether a pattern repeats more than one character possessively, as in `(?:ab)*+`.

    Python matches that wrongly before 3.11.5, and with groups inside even later.
    """
    return _has_possessive_group(_parser.parse(pattern.pattern, pattern.flags))


def _has_possessive_group(nodes: Sequence[_Node]) -> bool:
    for kind, value in nodes:
        if kind is _constants.POSSESSIVE_REPEAT and not _compiler._simple(value[2]):
            return True
        inner = (value[2],) if kind in _REPEATS else _inside((kind, value))
        if any(map(_has_possessive_group, inner)):
            return True
    return False


def _texts(start: str, unit: str) -> Iterator[Text]:
    yield from (repeated(unit, start, end) for end in _ENDS)
    if start:
        yield repeated(start + unit, after="\x00")
        yield repeated(start, after="\x00")
        yield lambda size: repeated(start)(size // 2) + repeated(unit)(size // 2) + "\x00"


def _repeats(
    nodes: Sequence[_Node], before: tuple[str, ...], flags: int
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Each unbounded repeat: what comes before it, and what it repeats, in some variants."""
    for node in nodes:
        kind, value = node
        if kind in _REPEATS:
            _, most, body = value
            if most is _constants.MAXREPEAT:
                yield before, _samples(body, flags)
            yield from _repeats(body, before, flags)
        else:
            for inner in _inside(node):
                yield from _repeats(inner, before, flags)
        before = _joined(before, _sample(node, flags))


_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_ASSERTS = (_constants.ASSERT, _constants.ASSERT_NOT)


def _inside(node: _Node) -> Sequence[Sequence[_Node]]:
    kind, value = node
    if kind is _constants.SUBPATTERN:
        return (value[-1],)
    if kind is _constants.ATOMIC_GROUP:
        return (value,)
    if kind is _constants.BRANCH:
        return tuple(value[1])
    if kind is _constants.GROUPREF_EXISTS:
        return tuple(filter(None, value[1:]))
    return (value[1],) if kind in _ASSERTS else ()


def _samples(nodes: Sequence[_Node], flags: int) -> tuple[str, ...]:
    """A few strings that a sequence matches, or nearly, since assertions are passed over."""
    found: tuple[str, ...] = ("",)
    for node in nodes:
        found = _joined(found, _sample(node, flags))
    return found


def _joined(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[str, ...]:
    count = max(len(before), len(after))
    pairs = ((before[n % len(before)], after[n % len(after)]) for n in range(count))
    return tuple(dict.fromkeys(first + second for first, second in pairs))


def _sample(node: _Node, flags: int) -> tuple[str, ...]:
    kind, value = node
    if kind is _constants.LITERAL:
        return (chr(value),)
    if kind in (_constants.IN, _constants.NOT_LITERAL, _constants.ANY, _constants.CATEGORY):
        return tuple(islice(_members(node, flags), _VARIANTS + 1)) or ("",)
    if kind in _REPEATS:
        least, _, body = value
        once = _samples(body, flags)
        return tuple(each * least for each in once) if least else ("", once[0])
    if kind in _ASSERTS or kind in (_constants.AT, _constants.GROUPREF):
        return ("",)
    return tuple(islice((each for inner in _inside(node) for each in _samples(inner, flags)), 6))


def _members(node: _Node, flags: int) -> Iterator[str]:
    one = _one_of(repr(node), flags, lambda: node)
    listed = (
        [chr(value) for kind, value in node[1] if kind is _constants.LITERAL]
        if (node[0] is _constants.IN)
        else []
    )
    yield from (letter for letter in dict.fromkeys((*_LETTERS, *listed)) if one.fullmatch(letter))


_known: dict[tuple[str, int], re.Pattern[str]] = {}


def _one_of(name: str, flags: int, node: Callable[[], _Node]) -> re.Pattern[str]:
    if (name, flags) not in _known:
        tree = _parser.SubPattern(_parser.State(), [node()])
        _known[name, flags] = _compiler.compile(tree, flags)
    return _known[name, flags]
