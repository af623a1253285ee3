"""The large network in numpy against its twin in PyTorch, and what must not change its answers."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gguf")

from assay.core.errors import InputError
from assay.detectors.embedded import network as module
from assay.detectors.embedded.large.detector import LargeModel
from assay.detectors.embedded.network import NetworkOutput
from assay.detectors.embedded.tokens import FIRST_WORD, TokenRow, lay_out
from tests.detectors.embedded.large.conftest import (
    RANK,
    TinyLarge,
    adapter_arrays,
    write_adapter,
)
from tests.detectors.embedded.large.tiny_base import HEADS, LAYERS, MERGES

WORDS = FIRST_WORD + 256 + len(MERGES)


def row(source: int = 150, sentences: tuple[int, ...] = (7, 0, 12), seed: int = 2) -> TokenRow:
    random = np.random.default_rng(seed)

    def drawn(count: int) -> np.ndarray:
        return random.integers(FIRST_WORD, WORDS, count).astype(np.int32)

    return lay_out(drawn(3), drawn(source), [drawn(count) for count in sentences])


def assert_like(one: NetworkOutput, other: NetworkOutput) -> None:
    np.testing.assert_allclose(one.logits, other.logits, atol=1e-4)
    assert one.words is not None
    assert other.words is not None
    np.testing.assert_allclose(one.words, other.words, atol=1e-4)
    for layer in range(LAYERS):
        np.testing.assert_allclose(one.attention[layer], other.attention[layer], atol=1e-5)


@pytest.mark.parametrize("bits", [4, 6, 8])
def test_it_agrees_with_its_twin_in_pytorch(
    tiny_large: TinyLarge, tmp_path: Path, bits: int
) -> None:
    torch = pytest.importorskip("torch")
    from training.adapter import load_adapter, load_large
    from training.arrays import save_arrays
    from training.qwen import packed_weights, read_file

    model, own = tiny_large((0.5, -0.25, 1.0), bits), row()
    file = read_file(model.file)
    save_arrays(tmp_path / "base.npz", packed_weights(file, file.numbers(range(4, WORDS))))
    (tmp_path / "shape.json").write_text(json.dumps(file.shape))
    (model.folder / "adapter.npz").rename(tmp_path / "adapter-0.npz")
    twin = load_large(tmp_path, RANK, torch.device("cpu"))
    load_adapter(twin, tmp_path)
    (tmp_path / "adapter-0.npz").rename(model.folder / "adapter.npz")
    places = np.arange(own.source.stop + 1, len(own.tokens))
    owners = np.repeat(np.arange(len(own.marks)), np.diff(own.marks, prepend=own.source.stop))
    inputs = (own.tokens.astype(np.int64)[None], own.marks, places, owners)
    with torch.no_grad():
        expected = twin(*map(torch.from_numpy, inputs))
    found = model.network.forward(own)
    assert found.words is not None
    np.testing.assert_allclose(found.logits, expected.logits.numpy(), atol=1e-3)
    np.testing.assert_allclose(found.words, expected.words.numpy(), atol=1e-3)
    assert np.ptp(found.logits) > 0.5


def test_rows_that_are_read_together_are_as_if_alone(
    tiny_large: TinyLarge, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = tiny_large().network
    rows = [row(source=size, seed=size) for size in (40, 700, 0, 300)]
    alone = [network.forward(each, range(LAYERS)) for each in rows]
    for most in (16_384, 400):  # all at once, and in several groups
        monkeypatch.setattr(module, "MOST_TOGETHER", most)
        for found, expected in zip(network.forward_all(rows, range(LAYERS)), alone, strict=True):
            assert_like(found, expected)


def test_parts_of_a_row_change_nothing(
    tiny_large: TinyLarge, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = tiny_large().network
    whole = network.forward(row(source=600), range(LAYERS))
    assert whole.attention[1].shape == (HEADS, 3, 600)
    monkeypatch.setattr(module, "LARGEST_PART", 130)
    assert_like(network.forward(row(source=600), range(LAYERS)), whole)


def test_layers_are_expanded_once_for_rows_that_are_read_together(tiny_large: TinyLarge) -> None:
    network = tiny_large().network
    asked: list[int] = []

    class Counted:
        kept = None

        def __len__(self) -> int:
            return LAYERS

        def __iter__(self) -> Iterator[object]:
            for number, layer in enumerate(layers):
                asked.append(number)
                yield layer

    layers, network.layers = network.layers, Counted()  # type: ignore[assignment]
    network.forward_all([row(), row(source=10), row(source=3)])
    assert asked == list(range(LAYERS))


@pytest.mark.parametrize("change", ["left out", "of another rank", "of another width"])
def test_adapter_that_does_not_fit_the_base_is_damaged(
    tmp_path: Path, base_path: Path, change: str
) -> None:
    arrays, name = adapter_arrays(), "layers.1.down.wide.codes"
    if change == "left out":
        del arrays[name]
    else:
        arrays[name] = arrays[name][1:] if change == "of another rank" else arrays[name][:, 1:]
    model = LargeModel(write_adapter(tmp_path, arrays), base_path)
    with pytest.raises(InputError, match=r"adapter\.npz is damaged: install assay again"):
        _ = model.network


def test_sentence_does_not_see_what_comes_after_it(tiny_large: TinyLarge) -> None:
    network = tiny_large().network
    long = row(sentences=(7, 12, 30))
    short = replace(long, tokens=long.tokens[: long.marks[1] + 1], marks=long.marks[:2])
    both = network.forward(short), network.forward(long)
    np.testing.assert_allclose(both[0].logits, both[1].logits[:2], atol=1e-5)
