"""A tiny large model: a base of two layers in a GGUF file, and an adapter with random weights."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.detectors.embedded.large.detector import LargeModel
from assay.detectors.embedded.packing import pack
from tests.detectors.embedded.large.tiny_base import INNER, KEYS, LAYERS, WIDTH, write_base

RANK = 3
SIZES = {
    "qkv": (WIDTH + 2 * KEYS, WIDTH),
    "out": (WIDTH, WIDTH),
    "gate_up": (2 * INNER, WIDTH),
    "down": (WIDTH, INNER),
}


def adapter_arrays(
    bias: tuple[float, ...] = (0.0, 0.0, 0.0), bits: int = 4
) -> dict[str, np.ndarray]:
    """An adapter as `training.adapter.packed_adapter` writes it."""
    drawn = np.random.default_rng(5).normal
    arrays: dict[str, np.ndarray] = {
        "last_norm": drawn(1, 0.2, WIDTH),
        "query": drawn(0, 0.5, WIDTH),
        "head": drawn(0, 0.3, (3, 2 * WIDTH)),
        "bias": np.array(bias),
        "words": drawn(0, 0.3, (3, WIDTH)),
        "words_bias": drawn(0, 1, 1),
    }
    for layer in range(LAYERS):
        for name in ("attention_norm", "inner_norm"):
            arrays[f"layers.{layer}.{name}"] = drawn(1, 0.2, WIDTH)
        for name, (rows, columns) in SIZES.items():
            for part, size in (("narrow", columns), ("wide", rows)):
                packed = pack(drawn(0, 0.2, (RANK, size)).astype(np.float32), 32, bits)
                prefix = f"layers.{layer}.{name}.{part}"
                arrays |= {f"{prefix}.{key}": value for key, value in packed._asdict().items()}
    found = {
        name: each if name.endswith(("codes", "scale", "low")) else each.astype(np.float16)
        for name, each in arrays.items()
    }
    return found | ({} if bits == 4 else {"bits": np.array([bits], dtype=np.uint8)})


def write_adapter(folder: Path, arrays: dict[str, np.ndarray]) -> Path:
    """The folder of an adapter with its card."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "adapter.npz", allow_pickle=False, **arrays)
    card = {
        "name": "tiny",
        "layers": LAYERS,
        "parameters": 1,
        "base": {"sha256": "0" * 64},
        "files": {"adapter.npz": sha256(folder / "adapter.npz")},
        "calibration": {"scale": 1.0, "shift": 0.0},
        "evidence": {"heads": [[1, 0, 1.0]]},
    }
    (folder / "model.json").write_text(json.dumps(card))
    return folder


def sha256(path: Path) -> str:
    """The checksum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


TinyLarge = Callable[..., LargeModel]


@pytest.fixture(scope="session")
def base_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a tiny base."""
    return write_base(tmp_path_factory.mktemp("base") / "base.gguf")


@pytest.fixture
def tiny_large(tmp_path: Path, base_path: Path) -> TinyLarge:
    """Makes a tiny large model whose bias says what it is inclined to answer."""
    return lambda *bias: LargeModel(
        write_adapter(tmp_path / "large", adapter_arrays(*bias)), base_path
    )
