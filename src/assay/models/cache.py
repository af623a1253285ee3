"""The user's folder of model files: what is in it, and which of it may be used.

A file is read in whole, and its sha256 compared, when it comes into the folder. Beside it a record
says which sha256 was found and when the file had last been modified, so that a detector can see
without reading the file that it is the one that was checked.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from assay.core.errors import InputError
from assay.core.system.files import replacing
from assay.core.system.locks import LockError, hold
from assay.models.catalogue import MODELS, PublicModel, amount, find_model

State = Literal["ready", "unchecked", "differs", "in part", "absent"]
Watch = Callable[[str, int], None]  # what is being done, and of how many bytes it is done

_CHUNK = 1 << 22


@dataclass(frozen=True, slots=True)
class Kept:
    """A model file in the folder: its path, its state and its size in bytes."""

    model: PublicModel
    path: Path
    state: State
    size: int


def models_folder() -> Path:
    """The folder of model files: ASSAY_MODELS, or one in the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "assay" / "models"
    return Path(os.environ.get("ASSAY_MODELS") or cache)


def look(model: PublicModel) -> Kept:
    """The state of a model's file, which is not read for it."""
    path = models_folder() / model.file
    try:
        found = path.stat()
    except OSError:
        size = _size(part_path(path))
        return Kept(model, path, "absent" if size is None else "in part", size or 0)
    if found.st_size != model.size:
        return Kept(model, path, "differs", found.st_size)
    checked = _read_record(path) == _record(model, found.st_mtime_ns)
    return Kept(model, path, "ready" if checked else "unchecked", found.st_size)


def look_at_all() -> list[Kept]:
    """The state of every model file that detectors know."""
    return [look(model) for model in MODELS.values()]


def base_file(name: str) -> Path:
    """The file of a model, for the detector that builds on it; raises if it must not be used."""
    model = find_model(name)
    kept = look(model)
    if kept.state == "ready":
        return kept.path
    pull, remove = f"'assay models pull {name}'", f"'assay models remove {name}'"
    about = f"{model.used_by} needs the base model {model.file} ({amount(model.size)})"
    problems = {
        "absent": f"which is not at {kept.path.parent}: run {pull}",
        "in part": f"of which {amount(kept.size)} have been fetched: run {pull}, which goes on",
        "unchecked": f"and the file at {kept.path} has not been checked, or has changed since: "
        f"run {pull}, which checks it",
        "differs": f"and {kept.path} is another file: run {remove}, then {pull}",
    }
    raise InputError(f"{about}, {problems[kept.state]}", code="no-base-model", subject=name)


def part_path(path: Path) -> Path:
    """The path of a partly fetched file."""
    return path.with_name(f"{path.name}.part")


def copy_path(path: Path) -> Path:
    """The path of a copied file until it has been checked."""
    return path.with_name(f".{path.name}.copy")


def discard_part(path: Path) -> None:
    """Removes what is here of a file that has not come in whole, fetched or copied."""
    part = part_path(path)
    for each in (record_path(part), part, copy_path(path)):
        _unlink(each)


def digest_of(path: Path, watch: Watch) -> str:
    """The sha256 of a file."""
    digest, done = sha256(), 0
    try:
        with path.open("rb") as content:
            while chunk := content.read(_CHUNK):
                digest.update(chunk)
                done += len(chunk)
                watch("checking", done)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    return digest.hexdigest()


def mark_as_checked(model: PublicModel, path: Path, modified: int) -> None:
    """Notes that the file had the right sha256 when it was as it is now."""
    with replacing(record_path(path)) as part:
        part.write_text(json.dumps(_record(model, modified)), encoding="utf-8")


def remove(model: PublicModel) -> Kept:
    """Removes all that there is of a model, and returns what there was."""
    kept = look(model)
    if kept.state == "absent" and _size(copy_path(kept.path)) is None:
        raise InputError(f"nothing of '{model.name}' is at {models_folder()}", code="no-model-file")
    with held(model):
        kept = look(model)
        for path in (record_path(kept.path), kept.path):
            _unlink(path)
        discard_part(kept.path)
        return kept


@contextmanager
def held(model: PublicModel) -> Iterator[None]:
    """Keeps other processes from changing what there is of a model; raises where one does."""
    folder = models_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        connection = hold(folder / f".{model.name}.lock")
    except (OSError, LockError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"cannot keep models at {folder}: {reason}; name another folder with ASSAY_MODELS"
        ) from None
    if connection is None:
        raise InputError(
            f"'{model.name}' is being fetched or removed by another process; wait for its end",
            code="model-locked",
        )
    try:
        yield
    finally:
        connection.close()


def record_path(path: Path) -> Path:
    """The record beside a file, or beside its beginning."""
    return path.with_name(f"{path.name}.json")


def _record(model: PublicModel, modified: int) -> dict[str, str | int]:
    return {"sha256": model.sha256, "modified": modified}


def _read_record(path: Path) -> object:
    with suppress(OSError, ValueError):
        return json.loads(record_path(path).read_bytes())
    return None


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot remove {path}: {error.strerror or error}") from None
