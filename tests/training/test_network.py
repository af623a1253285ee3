"""The network in training: rounding as in the shipped form, batches, losses and rates."""

import math
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the 'train' extra: pip install 'assay[train]'")

import torch

from assay.detectors.embedded import tokens
from assay.detectors.embedded.packing import pack
from training import rows
from training.arrays import save_arrays
from training.items import ENTAILED, NOT_ENTAILED, UNJUDGED, UNKNOWN
from training.network import rounded
from training.rows import LENGTHS, Rows
from training.ship import count_parameters
from training.train import loss_of, rate_at

pytestmark = pytest.mark.soak


@pytest.mark.parametrize("spread", [1e-3, 0.05, 1.0, 30.0])
def test_rounded_weights_are_those_that_are_shipped(spread: float) -> None:
    matrix = np.random.default_rng(1).normal(0, spread, (48, 192)).astype(np.float32)
    matrix[0] = 0  # a group without any spread
    ours, shipped = rounded(torch.from_numpy(matrix)).numpy(), pack(matrix).unpack()
    # `weight + (stored - weight)`, which lets gradients pass, may miss the last bit of a float.
    last_bit = np.spacing(np.maximum(np.abs(matrix), np.abs(shipped)))
    assert (np.abs(ours - shipped) <= last_bit).all()
    assert (ours == shipped).mean() > 0.95


def test_gradients_pass_through_rounding_unchanged() -> None:
    weight = torch.randn(2, 64, requires_grad=True)
    torch.autograd.backward((rounded(weight) * 3).sum())
    assert weight.grad is not None
    assert torch.equal(weight.grad, torch.full((2, 64), 3.0))


CHANCES = [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [0.9, 0.05, 0.05], [0.6, 0.3, 0.1]]
LOGITS = torch.tensor(CHANCES).log()
ROWS = torch.tensor([0, 0, 1, 1])


def test_not_entailed_is_neutral_or_contradicted() -> None:
    targets = torch.tensor([ENTAILED, NOT_ENTAILED])
    # The mean of -ln 0.5 and -ln (0.3 + 0.5).
    expected = -(math.log(0.5) + math.log(0.8)) / 2
    found = loss_of(LOGITS[:2], targets, ROWS[:2], None, 0.0).item()
    assert found == pytest.approx(expected, abs=1e-6)


def test_of_unknown_sentences_only_the_most_suspect_counts() -> None:
    targets = torch.tensor([ENTAILED, NOT_ENTAILED, UNKNOWN, UNKNOWN])
    logits = LOGITS.clone().requires_grad_()
    loss = loss_of(logits, targets, ROWS, None, 0.0)
    # Of the second row 0.05 + 0.05 < 0.3 + 0.1: three losses in all.
    expected = -(math.log(0.5) + math.log(0.8) + math.log(0.4)) / 3
    assert loss.item() == pytest.approx(expected, abs=1e-6)
    torch.autograd.backward(loss)
    assert logits.grad is not None
    assert not logits.grad[2].any()
    assert logits.grad[3].any()


def test_teacher_takes_its_share_of_the_loss() -> None:
    targets = torch.tensor([ENTAILED, ENTAILED])
    teacher = torch.tensor([[0.5, 0.5, 1e-9], [1.0, 1e-9, 1e-9]]).log()
    hard = -(math.log(0.5) + math.log(0.2)) / 2
    soft = -(0.5 * math.log(0.5) + 0.5 * math.log(0.3) + math.log(0.2)) / 2
    found = loss_of(LOGITS[:2], targets, ROWS[:2], teacher, 0.6).item()
    assert found == pytest.approx(0.4 * hard + 0.6 * soft, abs=1e-5)


def test_teacher_that_says_nothing_of_a_sentence_leaves_it_its_label() -> None:
    targets = torch.tensor([ENTAILED, ENTAILED])
    teacher = torch.tensor([[0.5, 0.5, 1e-9], [float("nan")] * 3]).log()
    soft = -(0.5 * math.log(0.5) + 0.5 * math.log(0.3))
    found = loss_of(LOGITS[:2], targets, ROWS[:2], teacher, 0.6).item()
    expected = (-0.4 * math.log(0.5) + 0.6 * soft - math.log(0.2)) / 2
    assert found == pytest.approx(expected, abs=1e-5)


def test_sentence_that_nobody_judged_is_left_to_the_teacher() -> None:
    targets = torch.tensor([ENTAILED, UNJUDGED])
    teacher = torch.tensor([[float("nan")] * 3, [1e-9, 0.5, 0.5]]).log()
    soft = -0.5 * (math.log(0.3) + math.log(0.5))
    found = loss_of(LOGITS[:2], targets, ROWS[:2], teacher, 0.6).item()
    assert found == pytest.approx((soft - math.log(0.5)) / 2, abs=1e-5)
    alone = loss_of(LOGITS[:2], targets, ROWS[:2]).item()
    assert alone == pytest.approx(-math.log(0.5), abs=1e-5)
    assert loss_of(LOGITS[:1], torch.tensor([UNJUDGED]), ROWS[:1]).item() == 0.0


def test_rate_rises_and_falls() -> None:
    # 4 of 100 steps rise; half-way the cosine gives 0.02 + 0.98 / 2.
    assert rate_at(1.0, 0, 100) == pytest.approx(0.25, abs=1e-3)
    assert rate_at(1.0, 3, 100) == pytest.approx(1.0, abs=1e-2)
    assert rate_at(2.0, 50, 100) == pytest.approx(2 * 0.51)
    assert 0.02 < rate_at(1.0, 99, 100) < 0.021


@pytest.fixture
def three_rows(tmp_path: Path) -> Rows:
    """Two short rows and a longer one; each begins its response at its second token."""
    lengths, marks = (5, 7, 200), ((2, 4), (6,), (100, 199))
    flat = [token for length in lengths for token in (0, rows.RESPONSE, *[9] * (length - 2))]
    arrays = {
        "tokens": np.array(flat, dtype=np.uint16),
        "token_ends": np.cumsum(lengths),
        "marks": np.array([mark for own in marks for mark in own], dtype=np.int32),
        "mark_ends": np.cumsum([len(own) for own in marks]),
        "groups": np.array(["fever", "ragtruth-qa"]),
        "group": np.array([0, 0, 1]),
    }
    save_arrays(tmp_path / "rows.npz", arrays)
    return Rows(tmp_path / "rows.npz")


def test_batch_says_whose_each_word_is(three_rows: Rows) -> None:
    batch = three_rows.batch(np.array([0, 1]), 2 * LENGTHS[0])
    assert batch.tokens.shape == (2, LENGTHS[0])
    second = LENGTHS[0]
    assert batch.places.tolist() == [2, 4, second + 6]
    assert batch.numbers.tolist() == [0, 1, 2]
    assert batch.words.tolist() == [2, 3, 4, *range(second + 2, second + 7)]
    assert batch.owners.tolist() == [0, 1, 1, 2, 2, 2, 2, 2]
    assert batch.lines(torch.device("cpu")).tolist() == [0, 0, 1]


def test_rows_of_like_length_are_batched_and_weighed_by_group(three_rows: Rows) -> None:
    every = three_rows.batches(np.arange(3), 256, None)
    assert [rows.tolist() for rows in every] == [[0, 1], [2]]
    chosen = three_rows.chosen(
        three_rows.wanted({"fever": 0.0, "ragtruth": 2.0}), np.random.default_rng(1)
    )
    assert chosen.tolist() == [2, 2]


def test_token_of_a_response_is_the_shipped_one() -> None:
    assert rows.RESPONSE == tokens.RESPONSE


def test_parameters_are_counted_without_scales() -> None:
    arrays = {"0.out.codes": np.zeros((4, 2)), "0.out.scale": np.zeros((4, 1)),
              "0.out.low": np.zeros((4, 1)), "bias": np.zeros(3)}  # fmt: skip
    assert count_parameters(arrays) == 2 * 4 * 2 + 3
