"""Runs of a chain as callbacks tell of them: what belongs together, until its outermost run ends.

Callbacks of many runs come interleaved and from several threads. A run belongs to the tree of its
parent; one whose parent is not known is the root of a tree of its own. Nothing is kept of a tree
that has ended, and of those that never end only the newest are.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from uuid import UUID

MOST_OPEN = 1_000  # trees; one whose end was never told makes room for later ones


@dataclass(slots=True)
class RunTree:
    """A tree of runs: its input, and what was retrieved and written in it."""

    root: UUID
    inputs: object = None
    queries: list[str] = field(default_factory=list)
    documents: dict[str, object] | None = None  # by their texts, in order; None before any search
    completion: str = ""  # the last one
    runs: set[UUID] = field(default_factory=set)
    writing: set[UUID] = field(default_factory=set)  # runs of models that have not ended


class RunTrees:
    """The trees that are open, by the runs in them."""

    def __init__(self, most_open: int = MOST_OPEN) -> None:
        self._most_open = most_open
        self._trees: OrderedDict[UUID, RunTree] = OrderedDict()
        self._roots: dict[UUID, UUID] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._trees)

    @property
    def runs(self) -> int:
        """The number of runs that have begun and not ended."""
        return len(self._roots)

    def begin(
        self, run: UUID, parent: UUID | None, inputs: object = None, *, writes: bool = False
    ) -> None:
        """Notes a run that begins, once; a model's run `writes`."""
        with self._lock:
            if run in self._roots:
                return
            root = self._roots.get(parent, run) if parent else run
            if root == run:
                self._trees[run] = RunTree(run, inputs)
            self._trees[root].runs.add(run)
            self._trees[root].writing.update([run] if writes else [])
            self._roots[run] = root
            while len(self._trees) > self._most_open:
                self._forget(next(iter(self._trees)))

    def search(self, run: UUID, query: str) -> None:
        """Notes what is searched for."""
        with self._lock:
            if tree := self._tree(run):
                tree.queries.append(query)

    def retrieve(self, run: UUID, documents: Mapping[str, object]) -> None:
        """Notes what a search found, by their texts; of what is found twice, the first is kept."""
        with self._lock:
            if tree := self._tree(run):
                known = tree.documents or {}
                tree.documents = {**known, **{t: d for t, d in documents.items() if t not in known}}

    def complete(self, run: UUID, text: str) -> None:
        """Notes what a model wrote."""
        with self._lock:
            if tree := self._tree(run):
                tree.completion = text or tree.completion

    def end(self, run: UUID) -> RunTree | None:
        """Forgets a run that ended; if it was the root, all of its tree, which is returned."""
        with self._lock:
            root = self._roots.get(run)
            if root is None:
                return None
            if root == run:
                return self._forget(root)
            del self._roots[run]
            self._trees[root].runs.discard(run)
            self._trees[root].writing.discard(run)
            return None

    def _tree(self, run: UUID) -> RunTree | None:
        root = self._roots.get(run)
        return self._trees.get(root) if root else None

    def _forget(self, root: UUID) -> RunTree:
        tree = self._trees.pop(root)
        for run in tree.runs:
            del self._roots[run]
        return tree
