"""The public base of the large model, read from its GGUF file: shape, tokenizer, packed weights.

The file is qwen2.5-coder-1.5b-instruct-q4_k_m.gguf of Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF
(Apache-2.0). Weights stay in the file's few bits until `unpacked` expands them.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tiktoken
from numpy.typing import NDArray

from assay.detectors.embedded.tokens import FIRST_WORD, Tokenizer
from training.arrays import Arrays
from training.base import byte_letters

DIGEST = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"  # SHA-256 of the file
# What stands for start, source, response and mark (see assay's `tokens.py`).
BORROWED = ("<|im_start|>", "<|repo_name|>", "<|file_sep|>", "<|im_end|>")
BYTES = 256  # the first tokens are the single bytes; the merges follow in order
PIECES = "|".join(
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"\p{N}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)


class QwenTokenizer(Tokenizer):
    """All of the base's vocabulary; a word's number is its number there and `FIRST_WORD`.

    The base also composes accents (NFC) before it reads; we do not, so that each token covers
    characters of the text that was given.
    """

    def __init__(self, vocabulary: Sequence[bytes]) -> None:
        ranks = {word: FIRST_WORD + number for number, word in enumerate(vocabulary)}
        self._encoding = tiktoken.Encoding(
            "qwen", pat_str=PIECES, mergeable_ranks=ranks, special_tokens={}
        )
        self._lengths = np.array([0] * FIRST_WORD + [len(word) for word in vocabulary])


@dataclass(frozen=True)
class QwenFile:
    """What the file says of itself; `borrowed` are the numbers of the borrowed tokens."""

    path: Path
    shape: dict[str, float]
    words: list[bytes]
    borrowed: tuple[int, ...]

    def numbers(self, used: Sequence[int]) -> list[int]:
        """The row in the base's embedding of each used token, the borrowed ones first."""
        return [*self.borrowed, *(int(token) - FIRST_WORD for token in used)]


def read_file(path: Path) -> QwenFile:
    """Shape and vocabulary; the order of the words must be that of the merges."""
    reader = _reader(path)

    def field(name: str) -> Any:
        return reader.fields[name].contents()

    tokens: list[str] = field("tokenizer.ggml.tokens")
    merges: list[str] = field("tokenizer.ggml.merges")
    joined = ["".join(merge.split(" ")) for merge in merges]
    if tokens[BYTES : BYTES + len(joined)] != joined:
        raise ValueError(f"the words of {path.name} are not in the order of its merges")
    letters = byte_letters()
    words = [bytes(letters[letter] for letter in word) for word in tokens[: BYTES + len(joined)]]
    shape = {
        "layers": field("qwen2.block_count"),
        "width": field("qwen2.embedding_length"),
        "inner": field("qwen2.feed_forward_length"),
        "heads": field("qwen2.attention.head_count"),
        "key_heads": field("qwen2.attention.head_count_kv"),
        "turns": field("qwen2.rope.freq_base"),
    }
    borrowed = tuple(tokens.index(name, len(words)) for name in BORROWED)
    return QwenFile(path, shape, words, borrowed)


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
