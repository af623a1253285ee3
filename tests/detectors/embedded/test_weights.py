"""The files of the model are checked before they are used."""

import json
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.detectors.embedded.weights import SHIPPED, Model
from assay.detectors.registry import DetectorSpec, open_detector
from tests.detectors.embedded.conftest import TinyModel


@pytest.mark.parametrize("name", ["weights.npz", "vocabulary.txt", "model.json"])
def test_missing_file_is_named_with_what_to_do(tiny_model: TinyModel, name: str) -> None:
    folder = tiny_model()
    (folder / name).unlink()
    with pytest.raises(InputError, match=rf"{name} cannot be read .*install assay again"):
        open_detector(DetectorSpec(f"embedded:{folder}"))


@pytest.mark.parametrize("name", ["weights.npz", "vocabulary.txt"])
@pytest.mark.parametrize("how", ["cut", "changed"])
def test_damaged_file_is_noticed(tiny_model: TinyModel, name: str, how: str) -> None:
    path = tiny_model() / name
    data = bytearray(path.read_bytes())
    if how == "cut":
        del data[len(data) // 2 :]
    else:
        data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match=f"{name} is damaged: install assay again"):
        open_detector(DetectorSpec(f"embedded:{path.parent}"))


@pytest.mark.parametrize("card", ["{", "{}", "[]", '{"files": {}}', '{"files": {}, "evidence": 1}'])
def test_damaged_card_is_noticed(tiny_model: TinyModel, card: str) -> None:
    path = tiny_model() / "model.json"
    path.write_text(card)
    with pytest.raises(InputError, match=r"model\.json is damaged"):
        open_detector(DetectorSpec(f"embedded:{path.parent}"))


def test_weights_that_fit_their_checksum_but_are_no_weights_are_noticed(
    tiny_model: TinyModel,
) -> None:
    import hashlib

    folder = tiny_model()
    (folder / "weights.npz").write_bytes(b"no weights")
    card = json.loads((folder / "model.json").read_text())
    card["files"]["weights.npz"] = hashlib.sha256(b"no weights").hexdigest()
    (folder / "model.json").write_text(json.dumps(card))
    with pytest.raises(InputError, match=r"weights\.npz is damaged"):
        open_detector(DetectorSpec(f"embedded:{folder}"))


def test_shipped_model_is_whole_and_small() -> None:
    model = Model(SHIPPED)
    assert model.network
    assert model.tokenizer
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) <= 90_000_000


def test_shipped_folder_has_its_licence() -> None:
    assert "Apache License" in (SHIPPED / "LICENSE").read_text(encoding="utf-8")
    assert "SmolLM2" in (SHIPPED / "NOTICE").read_text(encoding="utf-8")
    assert Path(SHIPPED).is_dir()
