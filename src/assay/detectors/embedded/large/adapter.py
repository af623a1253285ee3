"""Our adapter of the base: two narrow matrices for each of its matrices, whose product is added.

It stays in four bits until its layer is expanded. `training/adapter.py` makes it. Groups of weights
run along the inputs of `narrow` matrices and the outputs of `wide` ones, which are stored across.
"""

from dataclasses import dataclass

from assay.detectors.embedded.head import Arrays, floats
from assay.detectors.embedded.layers import unpacked
from assay.detectors.embedded.packing import Matrix


@dataclass(frozen=True, slots=True, eq=False)
class Added:
    """What is added to a matrix: `wide` (rank x outputs) across times `narrow` (rank x inputs)."""

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
        if (2 * wide[1], 2 * narrow[1]) != size or wide[0] != narrow[0]:
            raise ValueError(f"layers.{layer}.{matrix} does not fit a matrix of {size}")

    def added(self, layer: int, matrix: str) -> Added:
        """What is added to a matrix of a layer."""
        return Added(*(unpacked(self.arrays, f"layers.{layer}.{matrix}.{part}") for part in _PARTS))

    def norm(self, layer: int, name: str) -> Matrix:
        """The weights of a norm of a layer."""
        return floats(self.arrays, f"layers.{layer}.{name}")


_PARTS = ("narrow", "wide")
