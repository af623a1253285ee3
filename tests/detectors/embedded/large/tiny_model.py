"""A tiny `embedded-large` in the place of the real one, for tests of those who use it by name."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.detectors.embedded.large import detector
from assay.models import catalogue
from assay.models.cache import mark_as_checked
from assay.models.catalogue import PublicModel
from tests.detectors.embedded.large.conftest import adapter_arrays, sha256, write_adapter
from tests.detectors.embedded.large.tiny_base import write_base


def replace_large(folder: Path, patch: pytest.MonkeyPatch) -> PublicModel:
    """Makes a tiny base and its adapter the large model, in a folder of model files of its own."""
    folder.mkdir(exist_ok=True)
    base = write_base(folder / "base.gguf")
    digest = sha256(base)
    usual = catalogue.MODELS["large"]
    model = replace(usual, file=base.name, size=base.stat().st_size, sha256=digest)
    adapter = write_adapter(folder / "adapter", adapter_arrays((0.0, 0.0, 9.0)))
    card = adapter / "model.json"
    card.write_text(json.dumps(json.loads(card.read_text()) | {"base": {"sha256": digest}}))
    patch.setitem(catalogue.MODELS, "large", model)
    patch.setattr(detector, "SHIPPED", adapter)
    patch.setenv("ASSAY_MODELS", str(folder))
    mark_as_checked(model, base, base.stat().st_mtime_ns)
    return model
