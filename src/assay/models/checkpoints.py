"""Checkpoints of published detectors: whose they are, how large, and where they are kept.

A checkpoint is a folder of weights, configuration and tokenizer. One from a hub lies in the cache
that `huggingface_hub` keeps for all programs of the user; `pull_checkpoint` alone fetches.
`HF_HOME` names another place for it, and `HF_ENDPOINT` another server.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import Any

from assay.core.errors import AssayError, InputError, MissingExtraError, UnknownNameError
from assay.models.catalogue import amount

_WEIGHTS = (".safetensors", ".bin", ".ckpt", ".pt", ".gguf")
_PATTERNS = ("*.json", "*.safetensors", "*.txt", "*.model", "*.jinja")
TOKENIZER_FILES = (
    "config.json",
    "special_tokens_map.json",
    "spiece.model",
    "tokenizer.json",
    "tokenizer_config.json",
)
_END = 1 << 20  # bytes at the beginning and the end of a large file that its digest is of


@dataclass(frozen=True, slots=True)
class HubModel:
    """The checkpoint of a published detector, by its authors.

    `size` is about what is fetched, in bytes; no digest of it is known.
    """

    name: str  # of ours, for `assay models pull`
    repository: str  # on the hub
    size: int
    parameters: str
    licence: str
    languages: str
    context: int  # tokens that it reads at once; 0 if there is no limit
    used_by: str  # the detector that it is for
    patterns: tuple[str, ...] = _PATTERNS
    needs: tuple[str, ...] = ()  # others, without which it does not run

    @property
    def address(self) -> str:
        """Its page on the hub."""
        return f"https://huggingface.co/{self.repository}"


@dataclass(frozen=True)
class CheckpointFolder:
    """A checkpoint on this machine: as the user calls it, and its folder.

    `gguf` names the file of the folder that alone is the checkpoint, where that is its form.
    """

    name: str
    path: Path
    gguf: str = ""

    @cached_property
    def digest(self) -> str:
        """A digest of the names and sizes of its files, and of what they contain.

        Of large files only both ends are read.
        """
        whole = blake2b(digest_size=6)
        for file in self.files():
            size = file.stat().st_size
            whole.update(f"{file.relative_to(self.path)} {size}\n".encode())
            with file.open("rb") as content:
                whole.update(content.read(_END))
                if size > _END:
                    content.seek(max(_END, size - _END))
                    whole.update(content.read(_END))
        return whole.hexdigest()

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """Its configuration; a folder without one is no checkpoint, and raises."""
        try:
            found = json.loads((self.path / "config.json").read_bytes())
        except OSError:
            raise self._no_checkpoint("it has no config.json") from None
        except ValueError:
            raise self._no_checkpoint("its config.json is not JSON") from None
        if not isinstance(found, dict):
            raise self._no_checkpoint("its config.json is no object")
        return found

    @property
    def model_type(self) -> str:
        """The architecture that its configuration names; empty if it names none."""
        return str(self.config.get("model_type", ""))

    def _no_checkpoint(self, why: str) -> InputError:
        return InputError(
            f"{self.name} is no checkpoint: {why}", field="detector", code="checkpoint"
        )

    def files(self) -> Iterator[Path]:
        """Its files that decide what it says, in order."""
        if self.gguf:
            return iter([self.path / self.gguf])
        wanted = (*_WEIGHTS, ".json", ".txt", ".model", ".jinja")
        return iter(sorted(each for each in self.path.rglob("*") if each.suffix in wanted))


def find_hub_model(name: str) -> HubModel:
    """The published checkpoint of that name."""
    try:
        return HUB_MODELS[name]
    except KeyError:
        raise UnknownNameError("model", name, HUB_MODELS, field="name") from None


def open_folder(given: str, known: HubModel | None = None) -> CheckpointFolder:
    """The folder of a checkpoint: a folder or GGUF file of the user's, or a hub name in the cache.

    One that is not here raises, and says what to fetch and how large it is.
    """
    folder = Path(given).expanduser()
    if folder.is_dir():
        return CheckpointFolder(given, folder.resolve())
    if folder.suffix == ".gguf" and folder.is_file():
        return CheckpointFolder(given, folder.resolve().parent, folder.resolve().name)
    if folder.is_absolute() or given.startswith((".", "~")) or given.count("/") != 1:
        raise InputError(f"there is no folder {given}", field="detector", code="checkpoint")
    found = cached(given, known.patterns if known else _PATTERNS)
    if found is None:
        raise _absent(given, known)
    return CheckpointFolder(known.name if known else given, found)


def cached(repository: str, patterns: tuple[str, ...] = _PATTERNS) -> Path | None:
    """The folder of a repository in the hub's cache; None if it is not there."""
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
    except ImportError:
        raise MissingExtraError("a published detector", "hf") from None
    try:
        found = snapshot_download(repository, local_files_only=True, allow_patterns=list(patterns))
    except (LocalEntryNotFoundError, HFValidationError):
        return None
    named = [pattern for pattern in patterns if "*" not in pattern]
    return Path(found) if all((Path(found) / each).is_file() for each in named) else None


def pull_checkpoint(model: HubModel, *, quiet: bool = False) -> Path:
    """Fetches a checkpoint and those it needs into the hub's cache, and gives its folder.

    What is there already is not fetched again, and a file that came in part goes on.
    """
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
        from huggingface_hub.utils import disable_progress_bars, enable_progress_bars
    except ImportError:
        raise MissingExtraError("fetching a published model", "hf") from None
    (disable_progress_bars if quiet else enable_progress_bars)()
    try:
        for needed in map(find_hub_model, model.needs):
            snapshot_download(needed.repository, allow_patterns=list(needed.patterns))
        return Path(snapshot_download(model.repository, allow_patterns=list(model.patterns)))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(
            f"cannot fetch {model.address}: {said[0]}", code="hub-not-fetched"
        ) from None


def remove_checkpoint(model: HubModel) -> int:
    """Removes a checkpoint from the hub's cache, and gives the bytes that are free now."""
    if cached(model.repository, model.patterns) is None:
        raise InputError(f"nothing of {model.name} is here", field="name")
    from huggingface_hub import scan_cache_dir

    found = scan_cache_dir()
    revisions = [
        revision.commit_hash
        for repository in found.repos
        if repository.repo_id == model.repository and repository.repo_type == "model"
        for revision in repository.revisions
    ]
    deletion = found.delete_revisions(*revisions)
    deletion.execute()
    return int(deletion.expected_freed_size)


def _absent(given: str, known: HubModel | None) -> AssayError:
    if known is None:
        return InputError(
            f"{given} is neither a folder nor in the hub's cache on this machine;"
            f" 'hf download {given}' fetches it",
            field="detector",
            code="checkpoint",
        )
    return InputError(
        f"{known.repository} is not on this machine: 'assay models pull {known.name}' fetches about"
        f" {amount(known.size)} ({known.licence})",
        field="detector",
        code="checkpoint",
        subject=known.name,
    )


def _read_catalogue() -> dict[str, HubModel]:
    """The checkpoints of `checkpoints.toml`, by their names."""
    said = files("assay.models").joinpath("checkpoints.toml").read_text(encoding="utf-8")
    return {
        name: HubModel(
            name,
            patterns=tuple(each.pop("files", _PATTERNS)),
            needs=tuple(each.pop("needs", ())),
            **each,
        )
        for name, each in tomllib.loads(said).items()
    }


HUB_MODELS = _read_catalogue()
