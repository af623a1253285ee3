"""How likely a word is English, by its letters.

A small linear model over letter sequences, `english.npz`, made by `training/english.py`.
"""

from functools import cache, lru_cache
from pathlib import Path
from typing import Final
from zlib import crc32

WEIGHTS: Final = Path(__file__).with_name("english.npz")
LONGEST_PIECE = 4  # letters

_MOST = 4.0  # what a single word can say


def pieces(word: str) -> set[str]:
    """What the model looks at in a word: the word itself, and its parts of up to four letters.

    >>> sorted(pieces("of"))
    ['^o', '^of', '^of$', 'f', 'f$', 'o', 'of', 'of$']
    """
    marked = f"^{word}$"
    parts = {
        marked[start : start + size]
        for size in range(1, LONGEST_PIECE + 1)
        for start in range(len(marked) - size + 1)
    }
    return (parts | {marked}) - {"^", "$"}


def bucket(piece: str, buckets: int) -> int:
    """The number of the weight that a piece shares with a few others."""
    return crc32(piece.encode()) % buckets


@lru_cache(maxsize=50_000)
def word_evidence(word: str) -> float:
    """The log-odds that a word in lower case is English; negative if it is not."""
    weights, bias = _model()
    total = bias + sum(weights[each] for each in {bucket(p, len(weights)) for p in pieces(word)})
    return max(-_MOST, min(_MOST, total))


@cache
def _model() -> tuple[list[float], float]:
    import numpy as np  # `import assay` does without it

    with np.load(WEIGHTS, allow_pickle=False) as stored:
        weights = stored["weights"].astype(np.float64) * float(stored["scale"])
        return weights.tolist(), float(stored["bias"])
