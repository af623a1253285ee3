"""The public base of the large model as training reads it: its shape, and its packed weights.

The file is qwen2.5-coder-1.5b-instruct-q4_k_m.gguf of Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF
(Apache-2.0). Weights stay in the file's few bits until `unpacked` expands them.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.large.base import BaseModel, read_base
from assay.detectors.embedded.tokens import FIRST_WORD
from training.arrays import Arrays

__all__ = ["QwenFile", "packed_weights", "read_file", "unpacked"]

DIGEST = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"  # SHA-256 of the file


@dataclass(frozen=True)
class QwenFile:
    """The base model of a file."""

    path: Path
    base: BaseModel

    @property
    def words(self) -> list[bytes]:
        """Its vocabulary."""
        return self.base.words

    @property
    def shape(self) -> dict[str, float]:
        """Its size, as `shape.json` has it."""
        base, shape = self.base, self.base.shape
        return {
            "layers": base.layers,
            "width": base.width,
            "inner": base.inner,
            "heads": shape.heads,
            "key_heads": shape.key_heads,
            "turns": shape.turns,
        }

    def numbers(self, used: Sequence[int]) -> list[int]:
        """The row in the base's embedding of each used token, the borrowed ones first."""
        return [*self.base.borrowed, *(int(token) - FIRST_WORD for token in used)]


def read_file(path: Path) -> QwenFile:
    """Shape and vocabulary of a file."""
    return QwenFile(path, read_base(path))


def packed_weights(file: QwenFile, numbers: Sequence[int]) -> Arrays:
    """All weights as they lie in the file, but for the output's, and these rows of the embedding.

    Each has its kind of packing beside it, as `NAME.kind`.
    """
    arrays: Arrays = {}
    for tensor in _reader(file.path).tensors:
        if tensor.name != "output.weight":
            is_embedding = tensor.name == "token_embd.weight"
            data = tensor.data[list(numbers)] if is_embedding else tensor.data
            arrays[tensor.name] = np.array(data)
            arrays[f"{tensor.name}.kind"] = np.array(int(tensor.tensor_type))
    return arrays


def unpacked(arrays: Arrays, threads: int = 16) -> dict[str, NDArray[np.float32]]:
    """The weights in 32 bits."""
    from gguf import GGMLQuantizationType, dequantize

    names = [name for name in arrays if not name.endswith(".kind")]

    def expand(name: str) -> NDArray[np.float32]:
        kind = GGMLQuantizationType(int(arrays[f"{name}.kind"]))
        return np.asarray(dequantize(arrays[name], kind), dtype=np.float32)

    with ThreadPoolExecutor(threads) as pool:
        return dict(zip(names, pool.map(expand, names), strict=True))


def _reader(path: Path) -> Any:
    from gguf import GGUFReader

    return GGUFReader(path)
