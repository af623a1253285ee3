"""Packed weights against the reference implementation of the format's authors."""

import numpy as np
import pytest

pytest.importorskip("gguf")

from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, dequantize

from assay.detectors.embedded.large.gguf import PACKINGS, Bytes

BLOCKS = 50
# Where a block has scales in 16 bits, which random bytes would make infinite or no number.
HALVES = {"Q8_0": [0], "Q4_K": [0, 2], "Q6_K": [208]}


def random_blocks(kind: GGMLQuantizationType) -> Bytes:
    random = np.random.default_rng(int(kind))
    if kind.name.startswith("F"):
        return random.normal(0, 1, (BLOCKS, 1)).astype(f"<f{GGML_QUANT_SIZES[kind][1]}")
    blocks = random.integers(0, 256, (BLOCKS, GGML_QUANT_SIZES[kind][1]), dtype=np.uint8)
    for place in HALVES[kind.name]:
        scales = random.normal(0, 0.1, (BLOCKS, 1)).astype("<f2")
        blocks[:, place : place + 2] = scales.view(np.uint8)
    return blocks


@pytest.mark.parametrize("number", PACKINGS)
def test_weights_are_those_of_the_reference(number: int) -> None:
    kind, packing = GGMLQuantizationType(number), PACKINGS[number]
    assert (packing.weights, packing.bytes) == GGML_QUANT_SIZES[kind]
    blocks = random_blocks(kind)
    expected = dequantize(blocks, kind).reshape(BLOCKS, -1)
    out = np.empty((BLOCKS, packing.weights), dtype=np.float32)
    packing.unpack(blocks.view(np.uint8), out)
    np.testing.assert_array_equal(out, expected)
    assert np.ptp(out) > 0.1


def test_rows_of_several_blocks_lie_end_to_end() -> None:
    packing = PACKINGS[12]
    blocks = random_blocks(GGMLQuantizationType.Q4_K)
    single = packing.unpack(blocks, np.empty((BLOCKS, 256), dtype=np.float32))
    rows = packing.unpack(blocks.reshape(10, -1), np.empty((10, 5 * 256), dtype=np.float32))
    np.testing.assert_array_equal(rows, single.reshape(10, -1))
