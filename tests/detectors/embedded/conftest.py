"""A tiny model with random weights: enough for everything but good verdicts."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.detectors.embedded.packing import pack
from assay.detectors.embedded.tokens import FIRST_WORD

WIDTH, INNER, LAYERS = 64, 128, 2
WORDS = [bytes([number]) for number in range(256)] + [b" t", b"he", b" the", b"in", b"er"]


def write_tiny_model(
    folder: Path,
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0),
    words: np.ndarray | None = None,
) -> Path:
    """A model folder; the bias says what it is inclined to answer, `words` is its word head."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(7)

    def matrix(rows: int, columns: int) -> np.ndarray:
        return random.normal(0, 0.05, (rows, columns)).astype(np.float32)

    arrays: dict[str, np.ndarray] = {}
    matrices = {"embedding": matrix(FIRST_WORD + len(WORDS), WIDTH)}
    for layer in range(LAYERS):
        matrices[f"{layer}.qkv"] = matrix(3 * WIDTH, WIDTH)
        matrices[f"{layer}.out"] = matrix(WIDTH, WIDTH)
        matrices[f"{layer}.gate_up"] = matrix(2 * INNER, WIDTH)
        matrices[f"{layer}.down"] = matrix(WIDTH, INNER)
        arrays[f"{layer}.attention_norm"] = np.ones(WIDTH, dtype=np.float32)
        arrays[f"{layer}.inner_norm"] = np.ones(WIDTH, dtype=np.float32)
    for name, values in matrices.items():
        packed = pack(values)
        arrays |= {f"{name}.{field}": getattr(packed, field) for field in packed._fields}
    arrays["last_norm"] = np.ones(WIDTH, dtype=np.float32)
    arrays["query"] = matrix(1, WIDTH)[0]
    arrays["head"] = matrix(3, 2 * WIDTH)
    arrays["bias"] = np.array(bias, dtype=np.float32)
    if words is not None:
        arrays |= {"words": words, "words_bias": np.zeros(1, dtype=np.float32)}
    np.savez(folder / "weights.npz", allow_pickle=False, **arrays)
    (folder / "vocabulary.txt").write_bytes(b"\n".join(map(b64encode, WORDS)) + b"\n")
    files = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in ("weights.npz", "vocabulary.txt")
    }
    card = {
        "name": "tiny",
        "layers": LAYERS,
        "parameters": 1,
        "files": files,
        "calibration": {"scale": 1.0, "shift": 0.0},
        "evidence": {"heads": [[1, 0, 1.0]]},
        **({} if words is None else {"marks": {"cut": 0.5, "join": 1}}),
    }
    (folder / "model.json").write_text(json.dumps(card))
    return folder


TinyModel = Callable[..., Path]


@pytest.fixture
def tiny_model(tmp_path: Path) -> TinyModel:
    """Makes a tiny model in a fresh folder."""
    return lambda *bias, **parts: write_tiny_model(tmp_path / "model", *bias, **parts)
