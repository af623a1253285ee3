"""`embedded-large`: the same detector as `embedded` with a network that reads far better.

It needs the public file of its base, which the user fetches once, and far more time:
docs/measured.md says how much. Our adapter adds the product of two narrow matrices to each matrix
of the base. It stays in few bits until its layer is expanded; `training/adapter.py` makes it.
Groups of weights run along the inputs of `narrow` matrices and the outputs of `wide` ones, which
are stored across.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from assay.detectors.embedded.cores import threads
from assay.detectors.embedded.detector import CAPABILITIES, EntailmentDetector
from assay.detectors.embedded.folders import CARD, OWN_LICENCE, EntailmentModel, ModelFolder
from assay.detectors.embedded.head import Arrays, Head, floats
from assay.detectors.embedded.large.base import BaseModel, read_base
from assay.detectors.embedded.large.gguf import Tensor
from assay.detectors.embedded.layers import Layer, paired, stored
from assay.detectors.embedded.network import Network
from assay.detectors.embedded.packing import BITS, Matrix, stated_form
from assay.detectors.registry import DetectorType, Ingredients
from assay.models.cache import base_file, look
from assay.models.catalogue import amount, find_model


@dataclass(frozen=True, slots=True, eq=False)
class Added:
    """The addition to a matrix: `wide` (rank x outputs) across, times `narrow` (rank x inputs)."""

    narrow: Matrix
    wide: Matrix

    def add_to(self, matrix: Matrix, rows: slice) -> None:
        """Adds it to some rows of the matrix, which are given alone."""
        matrix += self.wide[:, rows].T @ self.narrow


@dataclass(frozen=True, slots=True, eq=False)
class Adapter:
    """The arrays of an adapter file by name; where one is absent, KeyError is raised."""

    arrays: Arrays

    def check(self, layer: int, matrix: str, size: tuple[int, int]) -> None:
        """Raises ValueError unless it fits a matrix of so many rows and columns."""
        narrow, wide = (
            self.arrays[f"layers.{layer}.{matrix}.{part}.codes"].shape for part in _PARTS
        )
        bits, _ = stated_form(self.arrays)
        if (8 * wide[1], 8 * narrow[1]) != (bits * size[0], bits * size[1]) or wide[0] != narrow[0]:
            raise ValueError(f"layers.{layer}.{matrix} does not fit a matrix of {size}")

    def added(self, layer: int, matrix: str) -> Added:
        """The addition to a matrix of a layer."""
        names = (f"layers.{layer}.{matrix}.{part}" for part in _PARTS)
        return Added(*(stored(self.arrays, name).unpack() for name in names))

    def norm(self, layer: int, name: str) -> Matrix:
        """The weights of a norm of a layer."""
        return floats(self.arrays, f"layers.{layer}.{name}")


_PARTS = ("narrow", "wide")


AT_ONCE = 1 << 18  # weights that are expanded together, so that they stay in the cache
NORMS = {"qkv": "attention_norm", "gate_up": "inner_norm"}  # what is normed before a product


class Piece(NamedTuple):
    """A tensor of the base: its rows among those of one of our matrices, and what scales it."""

    tensor: str
    matrix: str
    start: int
    stop: int
    scale: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class LayerPart:
    """Some rows of a matrix that are to be expanded, and what is done with them then."""

    packed: Tensor
    room: Matrix
    added: Added
    rows: slice  # of the matrix
    columns: Matrix | None  # by which the columns are multiplied
    scale: float

    def run(self) -> None:
        """Expands the rows into their room."""
        rows = self.packed.unpack(self.room)
        self.added.add_to(rows, self.rows)
        if self.columns is not None:
            rows *= self.columns
        if self.scale != 1:
            rows *= np.float32(self.scale)


class ExpandingLayers:
    """Each layer lies in the same memory as the one before, which is lost when it is asked for."""

    def __init__(self, base: BaseModel, adapter: Adapter) -> None:
        """Raises unless each fits the other."""
        self._base = base
        self._adapter = adapter
        shape, inner, width = base.shape, base.inner, base.width
        keys = shape.queries + shape.key_heads * shape.head
        values = 2 * keys - shape.queries
        self._pieces = (
            Piece("attn_q", "qkv", 0, shape.queries, shape.head**-0.5),
            Piece("attn_k", "qkv", shape.queries, keys),
            Piece("attn_v", "qkv", keys, values),
            Piece("attn_output", "out", 0, width),
            Piece("ffn_gate", "gate_up", 0, inner, 0.5),  # see `_gate` in layers.py
            Piece("ffn_up", "gate_up", inner, 2 * inner),
            Piece("ffn_down", "down", 0, width),
        )
        self._sizes = {
            "qkv": (values, width),
            "out": (width, shape.queries),
            "gate_up": (2 * inner, width),
            "down": (width, inner),
        }
        for number in range(len(self)):
            self._bias(number)
            for matrix, size in self._sizes.items():
                adapter.check(number, matrix, size)
            for piece in self._pieces:
                self._tensor(number, piece)

    def __len__(self) -> int:
        return self._base.layers

    def __iter__(self) -> Iterator[Layer]:
        return map(self._expand, range(len(self)))

    @property
    def kept(self) -> None:
        """They would take far more memory than the file does."""

    def _expand(self, number: int) -> Layer:
        for _ in threads().map(LayerPart.run, list(self._tasks(number))):
            pass
        rooms, shape = self._rooms, self._base.shape
        order = paired(len(rooms["qkv"]), shape.heads + shape.key_heads, shape.head)
        qkv, bias = rooms["qkv"][order], self._bias(number)[order]
        return Layer(qkv.T, rooms["out"].T, rooms["gate_up"], rooms["down"].T, bias)

    @cached_property
    def _rooms(self) -> dict[str, Matrix]:
        return {name: np.empty(size, dtype=np.float32) for name, size in self._sizes.items()}

    def _tasks(self, number: int) -> Iterator[LayerPart]:
        """All that is to be done for a layer."""
        added = {name: self._adapter.added(number, name) for name in self._sizes}
        norms = {name: self._adapter.norm(number, norm) for name, norm in NORMS.items()}
        for piece in self._pieces:
            tensor, room = self._tensor(number, piece), self._rooms[piece.matrix]
            step = max(1, AT_ONCE // tensor.columns)
            for start in range(piece.start, piece.stop, step):
                rows = slice(start, min(start + step, piece.stop))
                packed = tensor.take(slice(start - piece.start, rows.stop - piece.start))
                columns = norms.get(piece.matrix)
                yield LayerPart(
                    packed, room[rows], added[piece.matrix], rows, columns, scale=piece.scale
                )

    def _tensor(self, number: int, piece: Piece) -> Tensor:
        name = f"blk.{number}.{piece.tensor}.weight"
        columns = self._sizes[piece.matrix][1]
        return self._base.tensor(name, piece.stop - piece.start, columns)

    def _bias(self, number: int) -> Matrix:
        """The biases of queries, keys and values, scaled as these are."""
        parts = []
        for piece in (each for each in self._pieces if each.matrix == "qkv"):
            name, size = f"blk.{number}.{piece.tensor}.bias", piece.stop - piece.start
            parts.append(self._base.tensor(name, 1, size).unpack()[0] * np.float32(piece.scale))
        return np.concatenate(parts)


SHIPPED = Path(__file__).parent / "model"
BASE = "large"  # its name in the catalogue
ADAPTER = "adapter.npz"
WINDOW = 4_000  # source tokens, as in training
BATCH = 8  # examples; more would save little and keep verdicts waiting


@dataclass(frozen=True)
class LargeModel(ModelFolder):
    """A folder with a card and an adapter, and the file of the base."""

    file: Path
    detector: ClassVar[str] = "embedded-large"
    weights: ClassVar[str] = ADAPTER
    remedy: ClassVar[str] = "install assay again, or use another detector, such as embedded"

    @property
    def digest_of_base(self) -> str:
        """The sha256 of the base that the adapter was trained on."""
        try:
            return str(self.card["base"]["sha256"])
        except (KeyError, TypeError):
            raise self.damaged(CARD) from None

    @cached_property
    def base(self) -> BaseModel:
        """The base, which stays in its file."""
        return read_base(self.file)

    @cached_property
    def adapter(self) -> Adapter:
        """The adapter of the base."""
        with self.arrays(ADAPTER) as arrays:
            return Adapter(arrays)

    @cached_property
    def network(self) -> Network:
        """The network, whose layers are expanded one at a time."""
        base, adapter = self.base, self.adapter
        embedding = base.embedding
        try:
            layers = ExpandingLayers(base, adapter)
            head = Head.from_arrays(adapter.arrays)
        except (KeyError, ValueError):
            raise self.damaged(ADAPTER) from None
        return Network(
            base.shape,
            layers,
            head,
            embedding,
            together=True,
            source_layers=self.settings.source_layers,
        )

    @cached_property
    def ready(self) -> EntailmentModel:
        """All that its detector needs, loaded and checked."""
        return self.assembled(
            self.settings, self.base.tokenizer, self.network, window=WINDOW, batch=BATCH
        )


@cache
def _keep(folder: Path, file: Path, changed: tuple[int, int]) -> LargeModel:
    return LargeModel(folder, file)


def load_model(folder: Path = SHIPPED) -> LargeModel:
    """The model of a folder; it is loaded once, and again only if its card or base has changed.

    Without the base it raises with the command that fetches it.
    """
    file = base_file(BASE)
    model = LargeModel(folder, file)
    if model.digest_of_base != find_model(BASE).sha256:
        raise model.damaged(CARD)
    return _keep(folder, file, (model.changed, file.stat().st_mtime_ns))


_BITS = {4: "four", 6: "six", 8: "eight"}


def facts(folder: str = "") -> dict[str, str]:
    """The facts of the shipped adapter or that of a folder; neither it nor the base is loaded."""
    public = find_model(BASE)
    kept = look(public)
    model = LargeModel(Path(folder).resolve() if folder else SHIPPED, kept.path)
    model.require("name", "parameters")
    own = sum(path.stat().st_size for path in model.folder.iterdir())
    size = (
        f"{model.card['name']}: an adapter of {model.card['parameters'] / 1e6:.1f} million weights"
        f" in {_BITS[model.card.get('bits', BITS)]} bits, {own / 1e6:.1f} MB, on {public.title}"
    )
    own_licence = OWN_LICENCE if folder else "Apache-2.0"
    licence = f"{own_licence}; the base is {public.licence}, of {public.holder}"
    states = {
        "ready": f"at {kept.path}",
        "absent": f"not here; 'assay models pull {BASE}' fetches it",
        "differs": f"another file; run 'assay models remove {BASE}', then 'assay models pull "
        f"{BASE}'",
    }
    other = f"{kept.state}; 'assay models pull {BASE}' puts it right"
    return {
        "base": f"{public.file}, {amount(public.size)}: {states.get(kept.state, other)}",
        **model.facts(size, licence, WINDOW),
    }


def _make(parts: Ingredients) -> EntailmentDetector:
    folder = Path(parts.argument).resolve() if parts.argument else SHIPPED
    return EntailmentDetector(load_model(folder).ready, parts.local)


EMBEDDED_LARGE = DetectorType(
    "a large entailment model that runs here, on a public base that is fetched once",
    CAPABILITIES,
    _make,
    facts,
)
