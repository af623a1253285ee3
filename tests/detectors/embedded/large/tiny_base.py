"""A tiny base of the large model's family, written as a GGUF file."""

from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter, quantize
from numpy.typing import NDArray

from assay.detectors.embedded.large.base import BORROWED, byte_letters

WIDTH, INNER, LAYERS, HEADS, KEY_HEADS = 64, 96, 2, 4, 2
KEYS = WIDTH // HEADS * KEY_HEADS
MERGES = ["t h", "th e", "i n", "Ġ the", "e r", "o n"]


def tokens() -> list[str]:
    letters = {byte: letter for letter, byte in byte_letters().items()}
    return [
        *(letters[byte] for byte in range(256)),
        *(merge.replace(" ", "") for merge in MERGES),
        "<|endoftext|>",
        *BORROWED,
    ]


def weights() -> dict[str, NDArray[np.float32]]:
    random_ = np.random.default_rng(3)

    def drawn(*size: int) -> NDArray[np.float32]:
        return random_.normal(0, 0.3, size).astype(np.float32)

    found = {"token_embd.weight": drawn(len(tokens()), WIDTH)}
    found["output.weight"] = drawn(len(tokens()), WIDTH)
    found["output_norm.weight"] = 1 + drawn(WIDTH)
    for layer in range(LAYERS):
        place = f"blk.{layer}"
        for name in ("attn_norm", "ffn_norm"):
            found[f"{place}.{name}.weight"] = 1 + drawn(WIDTH)
        for name, rows in (("attn_q", WIDTH), ("attn_k", KEYS), ("attn_v", KEYS)):
            found[f"{place}.{name}.weight"] = drawn(rows, WIDTH)
            found[f"{place}.{name}.bias"] = drawn(rows)
        found[f"{place}.attn_output.weight"] = drawn(WIDTH, WIDTH)
        found[f"{place}.ffn_gate.weight"] = drawn(INNER, WIDTH)
        found[f"{place}.ffn_up.weight"] = drawn(INNER, WIDTH)
        found[f"{place}.ffn_down.weight"] = drawn(WIDTH, INNER)
    return found


def write_base(path: Path, merges: list[str] | None = None) -> Path:
    """The file; matrices are packed in eight bits."""
    writer = GGUFWriter(path, "qwen2")
    writer.add_block_count(LAYERS)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_rope_freq_base(1_000_000.0)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_token_list(tokens())
    writer.add_token_merges(MERGES if merges is None else merges)
    kind = GGMLQuantizationType.Q8_0
    for name, weight in weights().items():
        if weight.ndim == 1:
            writer.add_tensor(name, weight)
        else:
            writer.add_tensor(name, quantize(weight, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
