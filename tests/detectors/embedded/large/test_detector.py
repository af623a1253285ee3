"""`embedded-large` with a tiny base and adapter: found, checked, and used like `embedded`."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("gguf")

from assay.core.errors import InputError
from assay.detectors.embedded.detector import EntailmentDetector
from assay.detectors.embedded.large import detector as weights
from assay.detectors.protocol import Detector
from assay.detectors.registry import DetectorSpec, detector_facts, open_detector
from assay.models import catalogue
from assay.models.cache import mark_as_checked
from tests.detectors.checking import check_with, only_verdict
from tests.detectors.embedded.large.conftest import (
    TinyLarge,
    adapter_arrays,
    sha256,
    write_adapter,
)

SOURCE = "The harbour of Otranto opened in 1986. Ferries cross to Albania twice a day."


@pytest.fixture
def fetched(base_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an adapter for a tiny base, which is in the user's folder of model files."""
    usual = catalogue.MODELS["large"]
    size = base_path.stat().st_size
    model = replace(usual, file=base_path.name, size=size, sha256=sha256(base_path))
    monkeypatch.setitem(catalogue.MODELS, "large", model)
    monkeypatch.setenv("ASSAY_MODELS", str(base_path.parent))
    mark_as_checked(model, base_path, base_path.stat().st_mtime_ns)
    folder = write_adapter(tmp_path / "adapter", adapter_arrays((0.0, 0.0, 9.0)))
    change_card(folder, base={"sha256": model.sha256})
    return folder


def change_card(folder: Path, **changes: object) -> None:
    path = folder / "model.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def opened(folder: Path) -> Detector:
    return open_detector(DetectorSpec(f"embedded-large:{folder}"))


def test_it_judges_like_embedded(fetched: Path) -> None:
    detector = opened(fetched)
    verdict = only_verdict(check_with(detector, SOURCE, "The harbour closed in 1986."))
    assert str(verdict.label) == "contradicting"
    assert verdict.evidence
    assert detector.author.name == "embedded-large"
    assert detector.author.version == sha256(fetched / "adapter.npz")[:16]


def test_base_is_not_read_again_for_the_next_detector(fetched: Path) -> None:
    assert weights.load_model(fetched).ready is weights.load_model(fetched).ready


def test_source_is_read_whole_where_the_small_model_reads_a_part(tiny_large: TinyLarge) -> None:
    detector = EntailmentDetector(tiny_large().ready)
    source = " ".join(f"Ship {number} left." for number in range(200))
    assert 1_200 < len(source) <= weights.WINDOW  # the tiny model has hardly more than letters
    result = check_with(detector, source, "Ship 7 left.")
    assert result.judgement.characters_read == len(source)
    result = check_with(detector, f"{source} {source}", "Ship 7 left.")
    assert result.judgement.characters_read < 2 * len(source)


@pytest.mark.parametrize("name", ["adapter.npz", "model.json"])
def test_missing_file_is_named_with_what_to_do(fetched: Path, name: str) -> None:
    (fetched / name).unlink()
    with pytest.raises(InputError, match=rf"{name} cannot be read .*install assay again"):
        opened(fetched)


def test_damaged_adapter_is_noticed(fetched: Path) -> None:
    path = fetched / "adapter.npz"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"embedded-large model's file .*adapter\.npz is damaged"):
        opened(fetched)


@pytest.mark.parametrize("base", [None, "x", {}, {"sha256": "0" * 64}])
def test_adapter_for_another_base_is_refused(fetched: Path, base: object) -> None:
    change_card(fetched, base=base)
    with pytest.raises(InputError, match=r"model\.json is damaged"):
        opened(fetched)


def test_base_that_changed_since_it_was_checked_is_refused(fetched: Path, base_path: Path) -> None:
    modified = base_path.stat().st_mtime_ns
    mark_as_checked(catalogue.MODELS["large"], base_path, modified - 1)
    with pytest.raises(InputError, match="run 'assay models pull large', which checks it"):
        opened(fetched)


def test_facts_tell_where_the_base_is(fetched: Path, base_path: Path) -> None:
    assert str(base_path) in detector_facts("embedded-large")["base"]


def test_facts_without_the_base_tell_how_to_fetch_it() -> None:
    facts = detector_facts("embedded-large")
    assert "not here; 'assay models pull large' fetches it" in facts["base"]
    assert "4,000 tokens" in facts["reads at once"]
    assert "Alibaba Cloud" in facts["licence"]


def test_shipped_folder_has_its_licence_and_names_the_base_of_the_catalogue() -> None:
    assert "Apache License" in (weights.SHIPPED / "LICENSE").read_text(encoding="utf-8")
    assert "Qwen2.5-Coder-1.5B" in (weights.SHIPPED / "NOTICE").read_text(encoding="utf-8")
    model = weights.LargeModel(weights.SHIPPED, Path("none"))
    assert model.digest_of_base == catalogue.MODELS["large"].sha256
