"""Matrices in four bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.detectors.embedded.packing import pack

MATRICES = arrays(
    np.float32, st.tuples(st.integers(1, 4), st.just(64)), elements=st.floats(-8, 8, width=16)
)


@given(MATRICES)
def test_no_weight_moves_by_more_than_about_half_a_step(matrix: np.ndarray) -> None:
    steps = (matrix.max(axis=1) - matrix.min(axis=1)) / 15
    error = np.abs(pack(matrix).unpack() - matrix).max(axis=1)
    assert (error <= 0.51 * steps + 0.02 * np.abs(matrix).max(axis=1) + 1e-6).all()


@given(MATRICES)
def test_packing_again_changes_little_and_rows_are_rows_of_the_whole(matrix: np.ndarray) -> None:
    packed = pack(matrix)
    whole = packed.unpack()
    numbers = np.array([len(matrix) - 1, 0], dtype=np.int32)
    assert np.array_equal(packed.rows(numbers), whole[numbers])


def test_a_weight_takes_four_and_a_half_bits() -> None:
    packed = pack(np.random.default_rng(1).normal(size=(32, 128)).astype(np.float32))
    assert sum(part.nbytes for part in packed) * 8 / (32 * 128) == 4.5


def test_equal_weights_stay_as_they_are() -> None:
    assert pack(np.full((1, 64), 0.25, dtype=np.float32)).unpack() == pytest.approx(0.25)


def test_codes_keep_the_order_of_the_columns() -> None:
    matrix = np.linspace(-1, 1, 64, dtype=np.float32)[None]
    assert (np.diff(pack(matrix).unpack()[0]) >= 0).all()
