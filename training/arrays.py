"""Named arrays in files, and what rows that lie end to end have in common."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.packing import Packed, stated_form

Arrays = dict[str, NDArray[Any]]


def save_arrays(path: Path, arrays: Arrays, *, compressed: bool = False) -> None:
    """Writes an `.npz` file with these names."""
    save = np.savez_compressed if compressed else np.savez
    save(path, **arrays)  # type: ignore[arg-type]


def load_arrays(path: Path) -> Arrays:
    """All arrays of an `.npz` file."""
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def read_packed(arrays: Arrays, name: str) -> Packed:
    """A packed matrix by its name."""
    _, form = stated_form(arrays)
    return form(*(arrays[f"{name}.{field}"] for field in Packed._fields))


def name_packed(name: str, packed: Packed) -> Arrays:
    """The arrays of a packed matrix under its name; its bits are named once in a file."""
    return {f"{name}.{field}": part for field, part in packed._asdict().items()}


def rows_of_marks(mark_ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row that each mark stands in; `mark_ends` says where each row's marks end.

    >>> rows_of_marks(np.array([2, 3])).tolist()
    [0, 0, 1]
    """
    return np.repeat(np.arange(len(mark_ends)), np.diff(mark_ends, prepend=0))
