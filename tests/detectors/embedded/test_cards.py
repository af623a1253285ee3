"""Cards of models with settings that make no sense."""

import json
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.detectors.registry import DetectorSpec, open_detector
from tests.detectors.embedded.conftest import TinyModel


@pytest.mark.parametrize(
    "wrong",
    [
        *({"calibration": each} for each in ("", None, 1)),
        {"calibration": [1]},
        *({"source_layers": each} for each in (0, -1, 99, 1.0, "1", True, None)),
        *({"languages": each} for each in ("en", {"en": 1}, [], ["en", 1], None)),
        {"evidence": {"heads": [[float("inf"), 0, 1]]}},
        {"marks": []},
    ],
)
def test_card_with_a_wrong_setting_is_damaged(tiny_model: TinyModel, wrong: dict[str, Any]) -> None:
    path = tiny_model() / "model.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | wrong))
    with pytest.raises(InputError, match=r"model\.json is damaged: install assay again"):
        open_detector(DetectorSpec(f"embedded:{path.parent}"))


def test_source_goes_through_as_many_layers_as_the_card_says(tiny_model: TinyModel) -> None:
    path = tiny_model() / "model.json"
    card = json.loads(path.read_text())
    path.write_text(json.dumps(card | {"source_layers": card["layers"]}))
    assert open_detector(DetectorSpec(f"embedded:{path.parent}")).author.name == "embedded"
