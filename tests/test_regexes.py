"""Every regular expression of the package is linear in its text and matches alike on any Python.

The patterns are collected by machine: those that modules hold, those written in calls such as
`re.sub("...", ...)`, and those that functions build, for which `BUILT` has a call of each.
"""

import ast
import importlib
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from assay.core.system.secrets import Secrets
from assay.core.taxonomies import TAXONOMIES
from assay.detectors.combinators import claimwise
from assay.evaluation.reproduce.cells import read_expectation
from assay.llm.fences import Fences
from assay.llm.replies import forms, json_values, lettered, menus, schemas, verdict_lines
from assay.text.calculations import cues
from assay.text.discourse import lexicon, speakers
from tests import growth, hostile_texts

SOURCE = Path(__file__).resolve().parents[1] / "src"
PATHS = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((SOURCE / "assay").rglob("*.py"))
    if path.stem != "__main__"
}
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in PATHS.items()}
TREES = {name: ast.parse(text) for name, text in TEXTS.items()}
CALLING = {name for name, text in TEXTS.items() if re.search(r"\bre\b", text)}


def package_of(module: str) -> str:
    """The part of Assay that a module belongs to."""
    return ".".join(module.split(".")[:2])


Way = Callable[[re.Pattern[str], str], object]
# The ways to use a pattern; going on after each match takes the longest.
WAYS: Mapping[str, Way] = {
    "match": lambda pattern, text: pattern.match(text),
    "fullmatch": lambda pattern, text: pattern.fullmatch(text),
    "search": lambda pattern, text: pattern.search(text),
    **dict.fromkeys(
        ("finditer", "findall", "split", "sub", "subn"),
        lambda pattern, text: deque(pattern.finditer(text), maxlen=0),
    ),
}
ALL_WAYS = ("fullmatch", "finditer")  # a match or search is the beginning of the latter
# Patterns whose use is hidden behind a function.
MATCHED = frozenset(
    f"assay.llm.replies.json_values{name}"
    for name in (
        "._STRINGS",
        ":_string",
        "._NUMBER",
        "._SPACE",
        "._KEY",
        "._CUT_KEY",
        "._BARE",
        "._WORD",
    )
)
CALLS = (*WAYS, "compile")


@dataclass(frozen=True, slots=True)
class Used:
    """A pattern, where it is from, and how it is used."""

    where: str
    pattern: re.Pattern[Any]
    ways: tuple[str, ...] = ALL_WAYS


_WORDS = ("explicitly-supported", "not supported", "yes", "C")
_LABELS = {name for taxonomy in TAXONOMIES.values() for name in taxonomy.names}
# A call of each function that builds patterns; words with several parts are the ones that matter.
BUILT: Mapping[str, Callable[[], object]] = {
    "assay.core.system.secrets:Secrets.__init__": lambda: Secrets("sk-abcdefgh/ijkl=="),
    "assay.detectors.combinators.claimwise:_check": lambda: _refused(
        claimwise._check, "p_true", None
    ),
    "assay.text.calculations.cues:_patterns": lambda: [
        cues._patterns.__wrapped__(language) for language in cues._phrases()
    ],
    "assay.evaluation.reproduce.cells:read_expectation": lambda: _refused(read_expectation, "?"),
    "assay.llm.replies.menus:spelling": lambda: menus.spelling.__wrapped__("not a-b_c"),
    "assay.llm.replies.menus:menu_pattern": lambda: [
        menus.menu_pattern.__wrapped__(words) for words in (_WORDS, tuple(sorted(_LABELS)))
    ],
    "assay.llm.replies.menus:choice_of": lambda: menus.choice_of("?", _WORDS),
    "assay.llm.replies.menus:_last_place": lambda: [
        menus._last_place("?", word) for word in _WORDS
    ],
    "assay.llm.replies.forms:ReplyForm.own_part": lambda: forms.ReplyForm(
        "json", tag="the list"
    ).own_part("<the list>[]</the list>"),
    "assay.llm.replies.json_values:_string": lambda: json_values._string("“", "”"),
    "assay.llm.replies.json_values:_broken": lambda: json_values._broken("“", "”"),
    "assay.llm.replies.lettered:split_at_marker": lambda: lettered.split_at_marker(
        "?", "Final list of errors", Fences({})
    ),
    "assay.llm.replies.schemas:_has_names": lambda: schemas._has_names(
        "label", schemas.object_with(label=schemas.array_of(schemas.object_with(fact_or_not={})))
    ),
    "assay.llm.replies.verdict_lines:find_verdict_line": lambda: _refused(
        verdict_lines.find_verdict_line, "?", "Final verdict", _WORDS
    ),
    "assay.llm.replies.verdict_lines:_marker_pattern": lambda: verdict_lines._marker_pattern(
        "The verdict"
    ),
    "assay.text.discourse.lexicon:pattern_of": lambda: [
        lexicon._all_words.__wrapped__(),
        lexicon._hedges.__wrapped__(None),
        lexicon._evaluations.__wrapped__(),
        speakers._verbs.__wrapped__(),
    ],
    "assay.text.discourse.speakers:_tails": lambda: speakers._tails.__wrapped__(),
}


@pytest.mark.parametrize("package", sorted({package_of(module) for module in PATHS}))
def test_patterns_are_linear(package: str) -> None:
    problems = [
        problem
        for module in PATHS
        if package_of(module) == package
        for used in patterns_of(module)
        for problem in superlinear(used)
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("name", BUILT)
def test_built_patterns_are_linear(name: str) -> None:
    ways = ("match",) if name in MATCHED else ALL_WAYS
    problems = [
        problem for each in built_by(name) for problem in superlinear(Used(name, each, ways))
    ]
    assert not problems, "\n".join(problems)


def test_no_pattern_matches_differently_on_an_older_python() -> None:
    held = ((used.where, used.pattern) for module in PATHS for used in patterns_of(module))
    built = ((name, pattern) for name in BUILT for pattern in built_by(name))
    assert not [
        f"{where}: {pattern.pattern!r}; write (?>(?:ab)*) instead of (?:ab)*+"
        for where, pattern in (*held, *built)
        if hostile_texts.repeats_possessively(pattern)
    ]


@pytest.mark.parametrize(
    ("pattern", "is_refused"),
    [
        (r"(?:ab?c)*+", True),  # before 3.11.5 it matches "a"
        (r"(?:a|bc)++", True),
        (r"x(?:ab)?+", True),
        (r"(a){1,3}+", True),  # SystemError in some versions
        (r"(?=(?>b(?:(?:ab)*+|c)))", True),
        (r"(?:a(?!b)){2}+(?i:b)", True),
        (r"(a)?(?(1)b|(?:cd)++)", True),
        (r"a*+[^b]{1,3}+(?:\s)++", False),  # of one character each
        (r"(?>(?:ab?c)*)(?:a|bc)+", False),
    ],
)
def test_possessive_repeats_of_more_than_a_character_are_noticed(
    pattern: str, is_refused: bool
) -> None:
    assert hostile_texts.repeats_possessively(re.compile(pattern)) is is_refused


def test_no_pattern_is_out_of_reach() -> None:
    assert {place for place, call in all_calls() if is_built(place, call)} == {*BUILT}
    for name, tree in TREES.items():
        for node in ast.walk(tree):
            assert not (isinstance(node, ast.ImportFrom) and node.module in ("re", "regex"))
            assert not (
                isinstance(node, ast.Import)
                and any(
                    each.name == "regex" or (each.name == "re" and each.asname)
                    for each in node.names
                )
            )
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if name in CALLING:
                compiled = [place for place, _ in calls_in(name, statement) if ":" not in place]
                held = [*held_in(name, statement)]
                assert len(held) >= len(compiled), f"{name}, line {statement.lineno}"


@pytest.mark.parametrize(
    ("pattern", "way"),
    [
        (r"(?:\*{1,3}|_{1,3}|~~|[\"”’»)\]])+(?=\s|$)", "match"),  # exponential
        (r"<\s*(?P<close>/?)\s*(?P<name>think|thinking)\b[^<>]{0,100}>", "search"),
        (r"(?m)^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$", "search"),  # cubic
        (r"<!--.*?-->", "finditer"),
        (r"\b(?:may|june)\s+\d{1,2}(?:\s*,?\s+20\d\d)?(?!\d)", "finditer"),
        (r"\s+$", "search"),
        (r"\W*x", "search"),
        (r"(\w+\s?)+:", "match"),
        (r"(?:a|b|ab)*c", "fullmatch"),
    ],
)
def test_what_is_not_linear_is_noticed(pattern: str, way: str) -> None:
    assert [*superlinear(Used("here", re.compile(pattern), (way,)))]


def superlinear(used: Used) -> Iterator[str]:
    """What goes wrong with a pattern."""
    texts = (*hostile_texts.for_all(), *hostile_texts.made_for(used.pattern))
    for way in {WAYS[name]: name for name in used.ways}.values():
        for problem in growth.problems(calling(used.pattern, WAYS[way]), texts):
            yield f"{used.where} {way}: {problem}\n    {used.pattern.pattern!r}"


def built_by(name: str) -> list[re.Pattern[Any]]:
    """The patterns that a function compiles."""
    built: dict[re.Pattern[Any], None] = {}
    compile_ = re._compile  # type: ignore[attr-defined]

    def record(pattern: Any, flags: int) -> Any:
        compiled = compile_(pattern, flags)
        built[compiled] = None
        return compiled

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(re, "_compile", record)
        BUILT[name]()
    assert built
    return [*built]


def calling(pattern: re.Pattern[Any], way: Way) -> Callable[[str], object]:
    if isinstance(pattern.pattern, bytes):
        return lambda text: way(pattern, text.encode("utf-8"))  # type: ignore[arg-type]
    return lambda text: way(pattern, text)


def patterns_of(module: str) -> Iterator[Used]:
    """The patterns that a module holds or has in its calls, but not those it builds."""
    for place, call in calls_in(module, TREES[module]) if module in CALLING else ():
        if call.attr in WAYS and (literal := literal_of(call.node)) is not None:
            yield Used(place, re.compile(*literal), (call.attr,))
    seen: set[int] = set()
    for statement in TREES[module].body:
        for name, pattern in held_in(module, statement):
            if id(pattern) not in seen:
                seen.add(id(pattern))
                yield Used(f"{module}.{name}", pattern, ways_of(module, name))


def held_in(module: str, statement: ast.stmt) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The patterns in what a statement assigns."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    for target in targets:
        if isinstance(target, ast.Name):
            value = getattr(importlib.import_module(module), target.id, None)
            yield from ((target.id, pattern) for pattern in inside(value))


def inside(value: object, depth: int = 5) -> Iterator[re.Pattern[Any]]:
    parts: tuple[object, ...] = ()
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, Mapping):
        parts = (*value, *value.values())
    elif isinstance(value, list | tuple | set | frozenset):
        parts = tuple(value)
    elif is_dataclass(value) and not isinstance(value, type):
        parts = tuple(getattr(value, each.name) for each in fields(value))
    for part in parts if depth else ():
        yield from inside(part, depth - 1)


def ways_of(module: str, name: str) -> tuple[str, ...]:
    """How a module uses one of its names; all ways if anything else is done with it."""
    if f"{module}.{name}" in MATCHED:
        return ("match",)
    methods = uses()[module].get(name, set())
    return tuple(sorted(methods)) if methods <= {*WAYS} else ALL_WAYS


@cache
def uses() -> dict[str, dict[str, set[str]]]:
    """The methods that each module calls on its names; "" where a name goes elsewhere."""
    used: dict[str, dict[str, set[str]]] = {name: {} for name in TREES}
    for module, tree in TREES.items():
        called: set[int] = set()
        for node in ast.walk(tree):  # an attribute comes before the name it belongs to
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used[module].setdefault(node.value.id, set()).add(node.attr)
                called.add(id(node.value))
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                if id(node) not in called:
                    used[module].setdefault(node.id, set()).add("")
            elif isinstance(node, ast.ImportFrom) and node.module in TREES:
                for each in node.names:
                    used[node.module].setdefault(each.name, set()).add("")
    return used


@dataclass(frozen=True, slots=True)
class ReCall:
    """A call of a function of `re`."""

    attr: str
    node: ast.Call


def all_calls() -> Iterator[tuple[str, ReCall]]:
    for name in CALLING:
        yield from calls_in(name, TREES[name])


def calls_in(place: str, node: ast.AST) -> Iterator[tuple[str, ReCall]]:
    """The calls in a piece of code, each with its module and function."""
    for child in ast.iter_child_nodes(node):
        inner = place
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{place}{'.' if ':' in place else ':'}{child.name}"
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
            owner, attr = child.func.value, child.func.attr
            if isinstance(owner, ast.Name) and owner.id == "re" and attr in CALLS:
                yield place, ReCall(attr, child)
        yield from calls_in(inner, child)


def is_built(place: str, call: ReCall) -> bool:
    """Whether a function compiles a pattern, or uses one that is not written in the call."""
    return ":" in place and (call.attr == "compile" or literal_of(call.node) is None)


def literal_of(call: ast.Call) -> tuple[str | bytes, int] | None:
    """The pattern and the flags that are written in a call; None if they are made elsewhere."""
    pattern = call.args[0]
    if not isinstance(pattern, ast.Constant) or not isinstance(pattern.value, str | bytes):
        return None
    flags = next((each.value for each in call.keywords if each.arg == "flags"), None)
    return pattern.value, eval(ast.unparse(flags), {"re": re}) if flags else 0


def _refused(function: Callable[..., object], *arguments: object) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011 - only what it compiles matters here
        function(*arguments)
