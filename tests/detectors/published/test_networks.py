"""Networks of published detectors: loading, batches, and what is refused."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra hf")
pytest.importorskip("transformers", reason="needs the extra hf")

from assay.core.errors import InputError  # noqa: E402
from assay.detectors.local import LocalOptions  # noqa: E402
from assay.detectors.published.networks import (  # noqa: E402
    OutOfMemoryError,
    TextNetwork,
    load_network,
)
from assay.models.checkpoints import CheckpointFolder  # noqa: E402
from tests.detectors.published.checkpoints import roberta, roberta_tokenizer, t5  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small RoBERTa."""
    return roberta(tmp_path_factory.mktemp("roberta"))


@pytest.fixture(scope="module")
def network(folder: Path) -> TextNetwork:
    """The same, loaded."""
    return load_network(CheckpointFolder("mine", folder), "pairs", LocalOptions(batch_size=4))


class Tokenizer:
    """Pads by hand, so that a test sees which rows are read together."""

    def pad(self, rows: list[Mapping[str, list[int]]], return_tensors: str) -> dict[str, Any]:
        most = max(len(row["input_ids"]) for row in rows)
        padded = [row["input_ids"] + [0] * (most - len(row["input_ids"])) for row in rows]
        return {"input_ids": torch.tensor(padded)}


def sums(room: int, seen: list[int]) -> Any:
    """A network that adds tokens up, and has memory for so many texts."""

    def forward(_: object, batch: Mapping[str, Any]) -> Any:
        count = len(batch["input_ids"])
        if count > room:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory")
        seen.append(count)
        return batch["input_ids"].sum(dim=-1)

    return forward


ROWS = [{"input_ids": list(range(1, n + 1))} for n in (3, 1, 4, 1, 5, 9, 2, 6)]
WANTED = [sum(row["input_ids"]) for row in ROWS]


def small(batch: int) -> TextNetwork:
    """A network of the tokenizer above."""
    return TextNetwork(None, Tokenizer(), torch.device("cpu"), batch)


@pytest.mark.parametrize("batch", [1, 3, 8, 100])
def test_results_come_in_the_order_of_the_rows(batch: int) -> None:
    found = small(batch).run(ROWS, sums(100, []))
    assert [int(each) for each in found] == WANTED


def test_batch_halves_itself_where_memory_is_short() -> None:
    seen: list[int] = []
    found = small(8).run(ROWS, sums(3, seen))
    assert [int(each) for each in found] == WANTED
    assert seen == [2, 2, 2, 2]  # eight, then four, did not fit


def test_single_text_that_needs_too_much_memory_is_told() -> None:
    with pytest.raises(OutOfMemoryError, match="a text of 9 tokens needs more memory than cpu"):
        small(8).run(ROWS, sums(0, []))


def test_other_errors_of_a_network_are_raised_as_they_are() -> None:
    def fail(*_: object) -> Any:
        raise RuntimeError("shape mismatch")

    with pytest.raises(RuntimeError, match="shape mismatch"):
        small(8).run(ROWS, fail)


def test_size_of_batches_changes_no_score(network: TextNetwork) -> None:
    rows = [dict(network.tokenizer("The ferry " * n, "It sank.")) for n in (1, 20, 3, 12, 40)]
    one = TextNetwork(network.model, network.tokenizer, network.device, 1)
    forward = lambda model, batch: model(**batch).logits  # noqa: E731
    for alone, together in zip(one.run(rows, forward), network.run(rows, forward), strict=True):
        assert torch.allclose(alone, together, atol=1e-4)


def test_checkpoint_of_another_kind_is_refused(tmp_path: Path) -> None:
    folder = CheckpointFolder("mine", t5(tmp_path))
    with pytest.raises(InputError, match="mine"):
        load_network(folder, "tokens", LocalOptions())


def test_weights_that_are_missing_are_refused(folder: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    kept = {name: each for name, each in weights.items() if not name.startswith("classifier")}
    save_file(kept, tmp_path / "model.safetensors", metadata={"format": "pt"})
    for file in folder.glob("*.json"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    with pytest.raises(
        InputError, match=r"it has no classifier\.dense\.bias that fits, nor 3 more"
    ):
        load_network(CheckpointFolder("mine", tmp_path), "pairs", LocalOptions())


def test_checkpoint_without_weights_is_refused(tmp_path: Path) -> None:
    roberta_tokenizer(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "roberta"}')
    with pytest.raises(InputError, match="mine cannot be loaded: "):
        load_network(CheckpointFolder("mine", tmp_path), "pairs", LocalOptions())


def test_checkpoint_without_a_tokenizer_is_refused(folder: Path, tmp_path: Path) -> None:
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    with pytest.raises(InputError, match=r"mine has no tokenizer: none of tokenizer\.json"):
        load_network(CheckpointFolder("mine", tmp_path), "pairs", LocalOptions())


def test_checkpoint_that_brings_code_is_not_run(folder: Path, tmp_path: Path) -> None:
    import json

    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    config |= {"model_type": "strange", "auto_map": {"AutoConfig": "code.Config"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "code.py").write_text("raise SystemExit('code of a checkpoint was run')\n")
    with pytest.raises(InputError, match="mine "):
        load_network(CheckpointFolder("mine", tmp_path), "pairs", LocalOptions())


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_gpu_that_is_not_there_is_told(folder: Path) -> None:
    with pytest.raises(InputError, match="torch finds no GPU here; use the device cpu"):
        load_network(CheckpointFolder("mine", folder), "pairs", LocalOptions(device="cuda"))
