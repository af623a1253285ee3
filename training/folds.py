"""Four folds over the sources of RAGTruth, for cross-validation.

Fold 0 is the quarter that `training.splits` keeps for development. A training row remembers the
folds of all sources that begin like its own, one bit each, and is left out whenever one of them is
measured on. It also remembers the lot of its source, by which a learning curve takes a share of
the sources that people labelled.
"""

from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from assay.datasets.overlaps import h80, h200

FOLDS = 4
LOTS = 256


def fold_of(source_id: str) -> int:
    """The fold of a source.

    >>> [fold_of(name) for name in ("11805", "11807", "11800", "11803")]
    [0, 1, 2, 3]
    """
    return sha256(f"assay {source_id}".encode()).digest()[0] * FOLDS // 256


def lot_of(source_id: str) -> int:
    """The lot of a source; a share of the sources has the lots below that share of all."""
    return sha256(f"lot {source_id}".encode()).digest()[0]


def allowed_rows(masks: NDArray[np.uint8], fold: int) -> NDArray[np.bool_]:
    """Which rows may be trained on when a fold is measured on; -1 keeps no fold apart.

    >>> allowed_rows(np.array([0, 1, 2, 3], dtype=np.uint8), 1).tolist()
    [True, True, False, False]
    """
    return np.ones(len(masks), dtype=bool) if fold < 0 else (masks >> fold) & 1 == 0


def row_shares(
    masks: NDArray[np.uint8], fold: int, *, trunk: bool, replay: float
) -> NDArray[np.float64]:
    """How often each row is met, as a share of what a mix says.

    A trunk meets the sources of no fold alone; what branches from it meets them less, by `replay`.
    """
    of_none = masks == 0
    if trunk:
        return np.where(of_none, 1.0, 0.0)
    return np.where(allowed_rows(masks, fold), np.where(of_none, replay, 1.0), 0.0)


def labelled_rows(lots: NDArray[np.uint8], share: float) -> NDArray[np.bool_]:
    """Which rows are left when a share of RAGTruth's sources is; a larger share has them too.

    >>> labelled_rows(np.array([0, 63, 64, 255], dtype=np.uint8), 0.25).tolist()
    [True, True, False, False]
    """
    return lots < share * LOTS


class Folds:
    """How the sources of each fold begin."""

    def __init__(self) -> None:
        self._masks: dict[str, int] = {}
        self._lots: dict[str, int] = {}

    def add(self, source_id: str, text: str, *, labelled: bool = False) -> None:
        """Takes in a source that is measured on in its fold; one of RAGTruth's is `labelled`."""
        for found in filter(None, (h80(text), h200(text))):
            self._masks[found] = self._masks.get(found, 0) | 1 << fold_of(source_id)
            if labelled:
                self._lots[found] = max(self._lots.get(found, 0), lot_of(source_id))

    def mask(self, text: str) -> int:
        """One bit for each fold that has a source which begins like the text."""
        found = [self._masks.get(print_, 0) for print_ in (h80(text), h200(text)) if print_]
        mask = 0
        for each in found:
            mask |= each
        return mask

    def lot(self, text: str) -> int:
        """The highest lot of RAGTruth's sources that begin like the text; 0 where none does."""
        return max(self._lots.get(print_ or "", 0) for print_ in (h80(text), h200(text)))
