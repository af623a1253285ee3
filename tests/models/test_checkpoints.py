"""Checkpoints of published detectors: found, fetched from a hub on loopback, and removed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.models.checkpoints import (
    HUB_MODELS,
    CheckpointFolder,
    find_hub_model,
    open_folder,
)
from tests.models.hub_server import COMMIT, hub_of

pytest.importorskip("huggingface_hub", reason="needs the extra hf")
NAME = "minicheck-roberta-large"
FILES = {
    "config.json": b'{"model_type": "roberta"}',
    "model.safetensors": bytes(5_000),
    "pytorch_model.bin": b"not wanted",
}


@pytest.fixture
def no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the hub."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def assay(home: Path, hub: str, *words: str) -> subprocess.CompletedProcess[str]:
    """The command with a hub of its own; the library reads its address when it is imported."""
    places = {"HF_HOME": str(home), "HF_ENDPOINT": hub, "NO_PROXY": "127.0.0.1"}
    return subprocess.run(
        [sys.executable, "-m", "assay", *words],
        env={**os.environ, **places, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_pull_brings_what_the_detector_needs_and_says_what_it_is(tmp_path: Path) -> None:
    with hub_of(find_hub_model(NAME).repository, FILES) as hub:
        done = assay(tmp_path, hub, "models", "pull", NAME)
        assert done.returncode == 0, done.stderr
        for fact in ("lytang/MiniCheck-RoBERTa-Large", "about 1.42 GB", "MIT", "fetched: "):
            assert fact in done.stdout
        folder = Path(done.stdout.rpartition("fetched: ")[2].strip())
        assert {each.name for each in folder.iterdir()} == {"config.json", "model.safetensors"}
        again = json.loads(assay(tmp_path, hub, "models", "pull", NAME, "--json").stdout)
    assert (again["result"], again["state"]) == ("already here", "ready")
    assert again["path"].endswith(COMMIT)
    # From now on no hub is needed, and there is none.
    listed = json.loads(assay(tmp_path, "http://127.0.0.1:1", "models", "list", "--json").stdout)
    states = {each["name"]: each["state"] for each in listed}
    assert (states[NAME], states["minicheck-flan-t5-large"]) == ("ready", "absent")
    removed = json.loads(assay(tmp_path, hub, "models", "remove", NAME, "--json").stdout)
    assert removed["name"] == NAME
    assert removed["bytes"] >= 5_000
    assert not folder.exists()


@pytest.mark.slow
def test_pull_without_a_hub_says_so_in_one_line(tmp_path: Path) -> None:
    done = assay(tmp_path, "http://127.0.0.1:1", "models", "pull", NAME, "--quiet")
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("assay: cannot fetch https://huggingface.co/lytang/")


def test_absent_checkpoint_says_what_to_fetch_and_how_large_it_is(no_cache: Path) -> None:
    known = find_hub_model(NAME)
    with pytest.raises(InputError) as told:
        open_folder(known.repository, known)
    assert f"'assay models pull {NAME}' fetches about 1.42 GB (MIT)" in str(told.value)


def test_absent_checkpoint_of_a_hub_name_says_how_it_is_fetched(no_cache: Path) -> None:
    with pytest.raises(InputError, match="'hf download who/what' fetches it"):
        open_folder("who/what")


@pytest.mark.parametrize("given", ["./nowhere", "/no/where", "a/b/c", "nowhere"])
def test_folder_that_is_not_there_is_told(given: str, no_cache: Path) -> None:
    with pytest.raises(InputError, match=f"there is no folder {given}"):
        open_folder(given)


def test_digest_changes_with_weights_and_configuration(tmp_path: Path) -> None:
    def write(weights: bytes, config: str) -> str:
        (tmp_path / "model.safetensors").write_bytes(weights)
        (tmp_path / "config.json").write_text(config)
        return CheckpointFolder("mine", tmp_path).digest

    large = bytes(3 << 20)
    assert write(large, "{}") == write(large, "{}")
    assert len({write(large, "{}"), write(large + b"1", "{}"), write(large, '{"a": 1}')}) == 3


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "has no config.json"), ("{", "is not JSON"), ("[]", "is no object")],
)
def test_folder_without_a_configuration_is_no_checkpoint(
    content: str | None, why: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "config.json").write_text(content)
    with pytest.raises(InputError, match=why):
        _ = CheckpointFolder("mine", tmp_path).config


def test_names_of_checkpoints_are_those_of_their_detectors() -> None:
    for name, model in HUB_MODELS.items():
        assert name == model.name
        assert model.repository.count("/") == 1
        assert model.size > 10**6
        assert model.licence
        assert model.languages
