"""The network in numpy: the layers of a llama, and a head that reads the marks.

`training/network.py` is the same in PyTorch. What makes it fast on few cores: every core takes a
row of its own or a part of the row, and rows with the same question and source read these once. A
small network has all its layers in memory; a large one expands one at a time, and takes all its
rows through it before the next.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from operator import methodcaller
from typing import Any, Protocol, TypeVar

import numpy as np

from assay.detectors.embedded.cores import THREADS, cores
from assay.detectors.embedded.expanding import StoredLayer, StoredLayers
from assay.detectors.embedded.head import Arrays, Head
from assay.detectors.embedded.layers import (
    Layer,
    SettledPart,
    Shape,
    TokenPart,
    find_turns,
    look_at_source,
)
from assay.detectors.embedded.packing import Matrix, Packed
from assay.detectors.embedded.tokens import TokenRow, Tokens

HEAD = 64
SQUARE = 3e-4  # what attention adds to the cost of tokens, measured
SMALLEST_PART = 128  # tokens; products of fewer are slow
SMALLEST_ALONE = 64  # tokens, where another core would have nothing to do: 0.7 to 0.8 x the time
SMALLEST_RESPONSE = 32  # tokens for a core, where it goes on alone: slow, but one would be slower
LARGEST_PART = 512  # where the inner layer is wide; products of more take memory only
MOST_TOGETHER = 16_384  # tokens that are taken through a layer side by side
MOST_APART = 4_096  # tokens of whole rows before others have a turn; each core has a row


@dataclass(frozen=True, slots=True, eq=False)
class NetworkOutput:
    """Three logits at each mark, and in the layers asked for the attention to the source.

    `attention` has by layer: heads x pieces x source tokens; it is the mean over the tokens of the
    piece. Unless the row says otherwise, a piece is a sentence with its mark. `words` has a logit
    for each token of the response, up to the last mark: that the source does not bear it out.
    """

    logits: Matrix
    attention: Mapping[int, Matrix]
    words: Matrix | None = None  # without a word head


class Embedding(Protocol):
    """The vector of each token before the first layer."""

    def rows(self, numbers: Tokens) -> Matrix:
        """The vectors of some tokens."""
        ...


class Layers(Protocol):
    """The layers in their order; one may lie in memory that the next takes."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Layer]: ...

    @property
    def kept(self) -> list[Layer] | None:
        """All of them at the same time, where memory is enough for that."""
        ...


AnyPart = TypeVar("AnyPart", TokenPart, SettledPart)
Over = Callable[[Callable[[Any], None], Iterable[Any]], Iterable[None]]


class Network:
    """Three logits (entailed, neutral, contradicted) at each mark of a row.

    With `together`, many rows go through the layers side by side, so that each of these is asked
    for once. Question and source go through the first `source_layers` only: in the later ones the
    response looks at them as they are then.
    """

    def __init__(
        self,
        shape: Shape,
        layers: Layers,
        head: Head,
        embedding: Embedding,
        *,
        together: bool = False,
        source_layers: int | None = None,
    ) -> None:
        self.layers = layers
        last = len(layers) - 1  # nothing but the response is read of its output
        self.source_layers = last if source_layers is None else min(source_layers, last)
        self.shape = shape
        self.head = head
        self.embedding = embedding
        self._together = together

    @classmethod
    def from_arrays(
        cls,
        arrays: Arrays,
        embedding: Packed,
        head_width: int = HEAD,
        source_layers: int | None = None,
    ) -> "Network":
        """The network of a weight file, whose layers are expanded when they are needed."""
        count = sum(name.endswith(".attention_norm") for name in arrays)
        width = len(arrays["last_norm"])
        keys = (len(arrays["0.qkv.codes"]) - width) // (2 * head_width)
        shape = Shape(width // head_width, keys, head_width)
        head = Head.from_arrays(arrays)
        layers = [StoredLayer.read(arrays, number, shape) for number in range(count)]
        stored = StoredLayers(layers, THREADS)
        return cls(shape, stored, head, embedding, source_layers=source_layers)

    def forward(self, row: TokenRow, attention: Collection[int] = ()) -> NetworkOutput:
        """The logits of a row, and the attention of some layers; each core takes some tokens."""
        with cores().taken(alone=self._together) as pool:
            entered = self._enter(row, THREADS, smallest=SMALLEST_ALONE)
            return self._forward([entered], attention, pool.map, self.layers)[0]

    def forward_all(
        self, rows: Sequence[TokenRow], attention: Collection[int] = ()
    ) -> list[NetworkOutput]:
        """The results of many rows, in their order."""
        if len(rows) < 2:
            return [self.forward(row, attention) for row in rows]
        is_apart = len({_beginning(row) for row in rows}) == len(rows)
        found: list[NetworkOutput] = []
        with cores().taken(alone=self._together) as pool:
            if is_apart and (layers := self.layers.kept) is not None:  # each core takes whole rows
                for some in _groups(rows, MOST_APART, at_least=THREADS):
                    for (output,) in pool.map(
                        lambda row: self._forward([self._enter(row, 1)], attention, map, layers),
                        some,
                    ):
                        found.append(output)
                    cores().offer()
                return found
            for some in _groups(rows, MOST_TOGETHER):
                found += self._forward(self._enter_all(some), attention, pool.map, self.layers)
            return found

    def _enter_all(self, rows: Sequence[TokenRow]) -> list["RowPass"]:
        """Rows before the first layer; what several of them begin with is read in the first."""
        first: dict[bytes, RowPass] = {}
        entered = []
        for row in rows:
            passing = self._enter(row, THREADS, first.get(_beginning(row)))
            first.setdefault(_beginning(row), passing)
            entered.append(passing)
        return entered

    def _enter(
        self,
        row: TokenRow,
        parts: int,
        like: "RowPass | None" = None,
        smallest: int = SMALLEST_PART,
    ) -> "RowPass":
        """A row before the first layer, in so many parts unless these would be small or large.

        Of a row that begins like another one, only the response is read.
        """
        start = 0 if like is None else row.source.stop + 1
        size = len(row.tokens) - start
        parts = max(1, min(parts, size // smallest))
        if self._together:
            parts = max(parts, -(-size // LARGEST_PART))
        edges = [start + edge for edge in _edges(size, parts)]
        return RowPass(row, self.embedding.rows(row.tokens[start:]), edges, self.shape, like)

    def _forward(
        self,
        rows: Sequence["RowPass"],
        attention: Collection[int],
        over: Over,
        layers: Iterable[Layer],
    ) -> list[NetworkOutput]:
        """Takes rows through all layers; `over` works on their parts, in whatever order."""
        for number, layer in enumerate(layers):
            if number == self.source_layers:
                for row in rows:
                    row.settle(THREADS if len(rows) == 1 and over is not map else 1)
            settled = (part for row in rows for part in row.settled)
            for _ in over(methodcaller("ask", layer), chain(_parts(rows), settled)):
                pass
            for row in rows:
                row.borrow()
                if number in attention:
                    row.look(number)
            for _ in over(methodcaller("answer", layer), _parts(rows)):
                pass
            if over is not map:
                cores().offer()
        return [row.read(self.head) for row in rows]


class RowPass:
    """A row on its way through the layers: its parts, with the keys and values that they share.

    A row that begins like another one goes beside it, and has parts for its response only.
    """

    def __init__(
        self,
        row: TokenRow,
        x: Matrix,
        edges: Sequence[int],
        shape: Shape,
        like: "RowPass | None" = None,
    ) -> None:
        size = len(row.tokens)
        self._row = row
        self._like = like
        self._response = row.source.stop + 1
        self._shape = shape
        self._turns = find_turns(size, shape.head, shape.turns)
        self._k = np.empty((shape.key_heads, shape.head, size), dtype=np.float32)
        self._v = np.empty((shape.key_heads, size, shape.head), dtype=np.float32)
        self._seen: dict[int, Matrix] = {}
        self.parts = self._cut(TokenPart, x, edges)
        self.settled: list[SettledPart] = []

    def _cut(self, kind: type[AnyPart], x: Matrix, edges: Sequence[int]) -> list[AnyPart]:
        """Parts of neighbouring tokens, whose vectors are given from the first edge on."""
        return [
            kind(
                x[a - edges[0] : b - edges[0]],
                self._turns[a:b],
                slice(a, b),
                self._shape,
                self._k,
                self._v,
            )
            for a, b in pairwise(edges)
        ]

    def borrow(self) -> None:
        """Takes the keys and values before the response from the row that begins like it."""
        if self._like is not None:
            self._k[:, :, : self._response] = self._like._k[:, :, : self._response]
            self._v[:, : self._response] = self._like._v[:, : self._response]

    def look(self, layer: int) -> None:
        """Keeps where the response looks in a layer, in which its parts have just asked."""
        q = np.concatenate([part.q_from(self._response) for part in self.parts], axis=1)
        self._seen[layer] = look_at_source(q, self._k, self._row, self._response)

    def settle(self, cores: int) -> None:
        """Lets the response alone go on, cut for the cores; the rest stays as it is."""
        end, response = len(self._row.tokens), self._response
        x = np.concatenate([part.x for part in self.parts])
        before = response - (end - len(x))
        if before:
            self.settled = self._cut(
                SettledPart, x[:before], _even(response - before, response, cores)
            )
        cores = max(1, min(cores, (end - response) // SMALLEST_RESPONSE))
        self.parts = self._cut(TokenPart, x[before:], _even(response, end, cores))

    def read(self, head: Head) -> NetworkOutput:
        """The vectors that the head reads behind the last layer."""
        x = np.concatenate([part.x for part in self.parts])
        logits, words = head.read(x, self._row.marks + 1 - self._response)
        return NetworkOutput(logits, self._seen, words)


def _parts(rows: Iterable[RowPass]) -> Iterator[TokenPart]:
    return (part for row in rows for part in row.parts)


def _beginning(row: TokenRow) -> bytes:
    """The tokens before the response: those of the question and the source."""
    return row.tokens[: row.source.stop + 1].tobytes()


def _groups(rows: Sequence[TokenRow], most: int, at_least: int = 1) -> Iterator[list[TokenRow]]:
    """Neighbouring rows of so many tokens; what several begin with counts once."""
    group: list[TokenRow] = []
    begun: set[bytes] = set()
    size = 0
    for row in rows:
        beginning = _beginning(row)
        own = len(row.tokens) - (row.source.stop + 1 if beginning in begun else 0)
        if len(group) >= at_least and size + own > most:
            yield group
            group, begun, size, own = [], set(), 0, len(row.tokens)
        group.append(row)
        begun.add(beginning)
        size += own
    if group:
        yield group


def _even(start: int, end: int, parts: int) -> list[int]:
    return [start + (end - start) * part // parts for part in range(parts + 1)]


def _edges(size: int, parts: int) -> list[int]:
    """Cuts tokens into parts of like cost; that of the first t tokens is t + SQUARE * t**2."""
    whole = size + SQUARE * size**2
    shares = np.arange(parts + 1) * whole / parts
    return [round(t) for t in (np.sqrt(1 + 4 * SQUARE * shares) - 1) / (2 * SQUARE)]
