"""The network on torch says what the network in numpy says, and a GPU that is missing is told."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.core.errors import InputError, MissingExtraError
from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.texts import Response
from assay.core.verdicts import Verdict
from assay.detectors.embedded.detector import EmbeddedDetector, load_model
from assay.detectors.embedded.large.detector import LargeModel
from assay.detectors.embedded.network import Network, NetworkOutput
from assay.detectors.embedded.tokens import TokenRow, lay_out
from assay.detectors.local import LocalOptions
from tests.detectors.embedded.conftest import WIDTH, TinyModel
from tests.detectors.embedded.large.conftest import adapter_arrays, write_adapter
from tests.detectors.embedded.large.tiny_base import write_base

torch = pytest.importorskip("torch")

from assay.detectors.embedded import on_torch  # noqa: E402 - only where torch is
from assay.detectors.embedded.on_torch import TorchNetwork, batches  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    """Threads of torch wait for each other, and so for other tests, longer than they compute."""
    count = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(count)


def row(question: int, source: int, *sentences: int) -> TokenRow:
    """A row with so many tokens of each."""
    drawn = np.random.default_rng(source)
    sizes = (question, source, *sentences)
    asked, given, *said = (drawn.integers(4, 200, size).astype(np.int32) for size in sizes)
    return lay_out(asked, given, said)


ROWS = [
    row(0, 30, 3, 4),
    row(5, 300, 20, 1, 0, 40),
    row(2, 130, 9),
    replace(row(3, 70, 6, 6), pieces=row(3, 70, 6, 6).marks[-1:]),
    row(0, 0, 5),
]


def assert_same(
    found: Sequence[NetworkOutput], expected: Sequence[NetworkOutput], within: float
) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.logits, other.logits, atol=within)
        assert (one.words is None) == (other.words is None)
        if one.words is not None and other.words is not None:
            np.testing.assert_allclose(one.words, other.words, atol=within)
        assert one.attention.keys() == other.attention.keys()
        for layer, looks in other.attention.items():
            np.testing.assert_allclose(one.attention[layer], looks, atol=within)


@pytest.fixture
def small(tiny_model: TinyModel) -> Network:
    """A small network with a word head."""
    words = np.random.default_rng(3).normal(0, 0.3, (3, WIDTH)).astype(np.float32)
    network = load_model(tiny_model((0.0, 0.0, 0.0), words=words)).ready.network
    assert isinstance(network, Network)
    return network


def test_small_network_is_the_same(small: Network) -> None:
    assert_same(
        TorchNetwork(small, CPU).forward_all(ROWS, (0, 1)), small.forward_all(ROWS, (0, 1)), 2e-5
    )


def test_a_settled_source_is_the_same(tiny_model: TinyModel) -> None:
    folder = tiny_model()
    network = load_model(folder).ready.network
    assert isinstance(network, Network)
    network.source_layers = 0
    found, expected = TorchNetwork(network, CPU), network
    assert_same(found.forward_all(ROWS, (0, 1)), expected.forward_all(ROWS, (0, 1)), 2e-5)


def test_large_network_with_biases_and_an_adapter_is_the_same(tmp_path: Path) -> None:
    base = write_base(tmp_path / "base.gguf")
    network = LargeModel(write_adapter(tmp_path / "large", adapter_arrays()), base).network
    assert_same(
        TorchNetwork(network, CPU).forward_all(ROWS, (1,)), network.forward_all(ROWS, (1,)), 2e-4
    )


def test_sixteen_bits_differ_little(small: Network) -> None:
    found = TorchNetwork(small, CPU, torch.bfloat16).forward_all(ROWS, (1,))
    assert_same(found, small.forward_all(ROWS, (1,)), 0.15)


def test_rows_do_not_depend_on_their_neighbours(
    small: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = TorchNetwork(small, CPU)
    together = network.forward_all(ROWS, (0,))
    monkeypatch.setattr(on_torch, "MOST_TOGETHER", 1)
    assert_same(network.forward_all(ROWS, (0,)), together, 1e-5)
    assert network.forward_all([]) == []


def test_batches_have_rows_of_like_lengths_and_hold_them_all() -> None:
    lengths = [700, 30_000, 650, 20_000, 3, 40_000, 600]
    found = list(batches(lengths))
    assert found == [[5], [1], [3], [0, 2, 6, 4]]
    assert max(len(batch) * max(lengths[n] for n in batch) for batch in found[1:]) <= 32_768


def test_batch_without_room_on_the_gpu_is_read_in_halves(
    small: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = TorchNetwork(small, CPU)
    whole, sizes = network._pass, []

    def limited(rows: Sequence[TokenRow], attention: object) -> list[NetworkOutput]:
        sizes.append(len(rows))
        if len(rows) > most:
            raise torch.OutOfMemoryError
        return whole(rows, ())

    monkeypatch.setattr(network, "_pass", limited)
    most = 2
    assert_same(network.forward_all(ROWS), small.forward_all(ROWS), 2e-5)
    assert sizes == [5, 2, 3, 1, 2]
    most = 0
    with pytest.raises(InputError, match="the memory of this GPU is not enough"):
        network.forward_all(ROWS)


def judged(folder: Path, device: str) -> list[object]:
    detector = EmbeddedDetector(str(folder), LocalOptions(device=device))
    source = read_source("The ferry left at nine. It sank off the coast in 1994.")
    example = Example("1", source, Response("The ferry sank in 1994. Nobody was rescued."))
    (judgement,) = detector.judge_batch([example])
    outcomes = [each.outcome for each in judgement.findings]
    verdicts = [each for each in outcomes if isinstance(each, Verdict)]
    assert len(verdicts) == len(outcomes) == 2
    return [(str(each.label), round(each.score or 0.0, 4), each.evidence) for each in verdicts]


def test_detector_judges_alike_on_a_device(
    tiny_model: TinyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tiny_model((0.2, 0.0, 0.1))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(
        on_torch, "_copied", lambda network, device: TorchNetwork(network, CPU, torch.float32)
    )
    assert judged(folder, "cuda") == judged(folder, "cpu")
    with pytest.raises(InputError, match="cuda:1: this machine has 1 GPU, counted from 0"):
        judged(folder, "cuda:1")


def test_missing_gpu_and_missing_torch_are_told(
    tiny_model: TinyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tiny_model()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="finds no GPU on this machine") as caught:
        judged(folder, "cuda")
    assert caught.value.field == "device"
    monkeypatch.setitem(sys.modules, "assay.detectors.embedded.on_torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'assay-faith\[gpu\]'"):
        judged(folder, "cuda")
