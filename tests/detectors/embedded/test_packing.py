"""Matrices in four, six and eight bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.detectors.embedded.packing import FORMS, pack, stated_form

MATRICES = arrays(
    np.float32, st.tuples(st.integers(1, 4), st.just(64)), elements=st.floats(-8, 8, width=16)
)


BITS = st.sampled_from(sorted(FORMS))


@given(MATRICES, BITS)
def test_no_weight_moves_by_more_than_about_half_a_step(matrix: np.ndarray, bits: int) -> None:
    steps = (matrix.max(axis=1) - matrix.min(axis=1)) / (2**bits - 1)
    error = np.abs(pack(matrix, bits=bits).unpack() - matrix).max(axis=1)
    assert (error <= 0.51 * steps + 0.02 * np.abs(matrix).max(axis=1) + 1e-6).all()


@given(MATRICES, BITS)
def test_packing_again_changes_little_and_rows_are_rows_of_the_whole(
    matrix: np.ndarray, bits: int
) -> None:
    packed = pack(matrix, bits=bits)
    whole = packed.unpack()
    numbers = np.array([len(matrix) - 1, 0], dtype=np.int32)
    assert np.array_equal(packed.rows(numbers), whole[numbers])


@pytest.mark.parametrize("bits", FORMS)
def test_a_weight_takes_half_a_bit_more_than_its_code(bits: int) -> None:
    packed = pack(np.random.default_rng(1).normal(size=(32, 128)).astype(np.float32), bits=bits)
    assert sum(part.nbytes for part in packed) * 8 / (32 * 128) == bits + 0.5


def test_file_that_names_no_bits_has_four_and_others_than_ours_are_refused() -> None:
    assert stated_form({})[0] == 4
    assert stated_form({"bits": np.array([6], dtype=np.uint8)}) == (6, FORMS[6])
    with pytest.raises(ValueError, match="5 bits"):
        stated_form({"bits": np.array([5], dtype=np.uint8)})


def test_equal_weights_stay_as_they_are() -> None:
    assert pack(np.full((1, 64), 0.25, dtype=np.float32)).unpack() == pytest.approx(0.25)


@pytest.mark.parametrize("bits", FORMS)
def test_codes_keep_the_order_of_the_columns(bits: int) -> None:
    matrix = np.linspace(-1, 1, 64, dtype=np.float32)[None]
    assert (np.diff(pack(matrix, bits=bits).unpack()[0]) >= 0).all()
