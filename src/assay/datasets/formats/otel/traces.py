"""The answers in a file of traces, each with the documents that were retrieved for it.

The documents of a call are those retrieved before it, as near to it in the tree of spans as there
are any: under the nearest span that both stand below. A retrieval inside another one is a part of
it, and what a reranker kept stands for all that was retrieved before.

The file is read twice: first for the place where each trace ends, then for the texts, so that only
traces that are not complete are in memory, within the limit for what is read as a whole.
"""

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.places import STDIN, RowPlace
from assay.core.problems import Problem
from assay.core.rendering import NamedText
from assay.core.system.lines import DOCUMENT_LIMIT, MIB, document_limit
from assay.core.system.notices import warn
from assay.datasets.encodings import open_binary
from assay.datasets.formats.otel.conventions import SpanTexts, read_texts
from assay.datasets.formats.otel.otlp import ExportedSpan, read_spans
from assay.datasets.rows import try_row

_DEEPEST = 1000  # spans above each other
_MOST_TEXTS = 10_000  # spans of a trace that have texts
_BYTES_A_SPAN = 300
_LOOKED_AT = 200  # characters of a document by which it is found in a prompt

_NO_DOCUMENTS = "without documents retrieved before"
_NO_TEXTS = "after a retrieval that records no texts"
_NO_COMPLETION = "without a text of the model"
_REPEATED = "recorded twice"


def read_traces(path: str, language: str | None = None) -> Iterator[Annotated | Problem]:
    """The answers in exported traces, as examples; their ids are those of trace and span.

    What was left out is said in one line at the end; a file without anything to check raises.
    """
    with ExitStack() as opened:
        place, name = _kept(path, opened), STDIN if path == "-" else path
        left, found, number = Counter[str](), False, 0
        for trace in _traces(place, name):
            rows = [trace] if isinstance(trace, Problem) else trace.answers(left)
            for row in rows:
                found, number = True, number + 1
                if isinstance(row, TracedAnswer):
                    at = RowPlace(name, row.line, row.where)
                    yield try_row(row.fields, at, number, None, language)
                else:
                    yield _renamed(row, name)
    if not found:
        raise InputError(f"{name} has no answer to check: {_in_words(left) or 'no model call'}")
    if left:
        warn(f"{name}: left out {_in_words(left)}")


def _kept(path: str, opened: ExitStack) -> str:
    """A file that can be read twice: itself, or a copy of what comes through a pipe."""
    if path != "-" and (Path(path).is_file() or not Path(path).exists()):
        return path
    with open_binary(path) as pipe:
        copy = Path(opened.enter_context(TemporaryDirectory())) / "traces"
        with copy.open("wb") as file:
            shutil.copyfileobj(pipe, file)
    return str(copy)


def _renamed(problem: Problem, name: str) -> Problem:
    """The problem under the name that the user gave the file, whatever was read."""
    at = problem.place or RowPlace(name, part=problem.where)
    return Problem.at(replace(at, file=name), problem.message)


def _in_words(left: Counter[str]) -> str:
    calls = f"{left.total():,} model call{'s' if left.total() != 1 else ''}"
    reasons = ", ".join(f"{count:,} {why}" for why, count in sorted(left.items()))
    return f"{calls} ({reasons})" if left else ""


def _traces(path: str, name: str) -> Iterator["Trace | Problem"]:
    """The traces, each as soon as it is complete."""
    ends = {
        span.trace: number
        for number, (_, span) in enumerate(read_spans(path))
        if isinstance(span, ExportedSpan)
    }
    opened: dict[str, Trace] = {}
    limit, size = document_limit(), 0
    for number, (_, span) in enumerate(read_spans(path)):
        if isinstance(span, Problem):
            yield span
            continue
        trace = opened.setdefault(span.trace, Trace(span.trace))
        size += trace.add(span)
        if size > limit:
            raise InputError(
                f"{name} has more than {limit // MIB:,} MiB of traces that are not complete: put "
                f"the spans of a trace next to each other, or set {DOCUMENT_LIMIT}",
                code="too-large",
            )
        if ends.get(span.trace) == number:
            yield opened.pop(span.trace)
            size -= trace.size


@dataclass(frozen=True, slots=True)
class TracedAnswer:
    """An answer of a model as the fields of a row, and its place."""

    where: str
    fields: dict[str, object]
    line: int = 1


@dataclass(slots=True)
class _Node:
    id: str
    start: int
    texts: SpanTexts
    line: int


@dataclass(slots=True)
class Trace:
    """The spans of a trace: all of them by their parents, and the texts of those that have some."""

    id: str
    size: int = 0
    parents: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, _Node] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)  # retrievals without a text of a document

    def add(self, span: ExportedSpan) -> int:
        """Adds a span, or what another record of it adds; gives about how much memory it takes."""
        texts = read_texts(span)
        if not span.is_record:
            self.parents.setdefault(span.id, span.parent)
        if texts.role in ("retriever", "reranker"):
            (self.silent.discard if texts.documents else self.silent.add)(span.id)
        before = self.nodes.get(span.id)
        if before:
            before.start = before.start or span.start
            size = -before.texts.size
            before.texts = before.texts.joined(texts)
            size += before.texts.size
        elif texts.documents or texts.completions or texts.role == "model":
            self.nodes[span.id] = _Node(span.id, span.start, texts, span.line)
            size = texts.size + _BYTES_A_SPAN
        else:
            size = _BYTES_A_SPAN
        self.size += size
        return size

    def answers(self, left: Counter[str]) -> Iterator[TracedAnswer | Problem]:
        """The answers that have documents; what is left out is counted."""
        if len(self.nodes) > _MOST_TEXTS:
            yield Problem(f"trace {self.id}", f"more than {_MOST_TEXTS:,} spans with texts")
            return
        below = self._retrievals()
        for node in sorted(self.nodes.values(), key=lambda node: node.start):
            if node.texts.role != "model":
                continue
            path = self._path(node.id)
            if path is None:
                yield Problem(
                    f"trace {self.id}",
                    f"the spans above span {node.id} go in a circle, or are more than {_DEEPEST:,}",
                )
            elif not node.texts.completions:
                left[_NO_COMPLETION] += 1
            elif self._is_repeated(node, path):
                left[_REPEATED] += 1
            elif retrieved := _nearest(node, path, below):
                yield from self._rows(node, retrieved)
            else:
                left[_NO_TEXTS if self.silent else _NO_DOCUMENTS] += 1

    def _rows(self, node: _Node, retrieved: list[_Node]) -> Iterator[TracedAnswer]:
        documents: dict[str, NamedText] = {}
        for each in (each for some in retrieved for each in some.texts.documents):
            documents.setdefault(each.text, each)
        for number, completion in enumerate(node.texts.completions, start=1):
            own = f"{self.id}/{node.id}"
            yield TracedAnswer(
                f"trace {self.id} span {node.id}",
                {
                    "id": own if number == 1 else f"{own}/{number}",
                    "source": list(documents.values()),
                    "response": completion,
                    "question": _asked(node, retrieved, documents),
                    "model": node.texts.model,
                },
                node.line,
            )

    def _retrievals(self) -> dict[str, list[_Node]]:
        """The spans with documents below each span; below none, all of them."""
        below: dict[str, list[_Node]] = {}
        for node in sorted(self.nodes.values(), key=lambda node: node.start):
            if node.texts.documents:
                for each in self._path(node.id) or (node.id, ""):
                    below.setdefault(each, []).append(node)
        return below

    def _is_repeated(self, node: _Node, path: list[str]) -> bool:
        """True if a span above records the same call: two instrumentations saw it."""
        above = (self.nodes.get(each) for each in path[1:])
        mine = node.texts.completions
        return any(
            each.texts.role == "model" and each.texts.completions == mine for each in above if each
        )

    def _path(self, span: str) -> list[str] | None:
        """The span, its parent and so on up to "", which stands above all; None for a circle."""
        path: list[str] = []
        seen: set[str] = set()
        while span and span not in seen and len(path) <= _DEEPEST:
            path.append(span)
            seen.add(span)
            span = self.parents.get(span, "")
        return None if span else [*path, ""]


def _nearest(node: _Node, path: list[str], below: dict[str, list[_Node]]) -> list[_Node]:
    """The retrievals of a call, from the nearest span above it that has some before the call."""
    for number, above in enumerate(path):
        found = below.get(above, [])
        if number:  # what is below the call itself belongs to it, whenever it was
            found = [each for each in found if _is_before(each, node)]
        if found:
            return _final(found, below)
    return []


def _is_before(one: _Node, other: _Node) -> bool:
    return not one.start or not other.start or one.start <= other.start


def _final(found: list[_Node], below: dict[str, list[_Node]]) -> list[_Node]:
    """The retrievals without those inside others, and without what a reranker replaced."""
    ids = {each.id for each in found}
    inside = {each.id for own in ids for each in below.get(own, ()) if each.id != own}
    outer = [each for each in found if each.id not in inside]
    ranked = [place for place, each in enumerate(outer) if each.texts.role == "reranker"]
    if not ranked:
        return outer
    kept = [each for each in outer[: ranked[-1]] if each.texts.role == "reranker"]
    return [*kept, *outer[ranked[-1] :]]


def _asked(node: _Node, retrieved: list[_Node], documents: Iterable[str]) -> str:
    """The user's last message, or what was searched for where that message holds the documents."""
    asked = node.texts.question
    if asked and not any(text[:_LOOKED_AT] in asked for text in documents):
        return asked
    return next((each.texts.query for each in reversed(retrieved) if each.texts.query), "")
