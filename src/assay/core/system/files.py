"""Files that appear whole or not at all, here or in an object store."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from assay.core.errors import InputError
from assay.core.system.object_stores import (
    is_remote,
    object_exists,
    remove_object,
    writing_object,
)

_CHUNK = 2**20


def part_beside(target: str | Path) -> tuple[Path, Path]:
    """The real path of the target, and a new name beside it for what is not finished yet."""
    whole = Path(os.path.realpath(target))
    # os.replace would put a file in the place of a device or a pipe.
    if whole.exists() and not whole.is_file():
        raise InputError(f"cannot write {target}: it is not a file")
    return whole, whole.with_name(_unfinished())


def _unfinished() -> str:
    return f".assay-{secrets.token_hex(8)}.part"


@contextmanager
def replacing(target: str | Path) -> Iterator[Path]:
    """A place to write to; what is there takes the target's place if nothing goes wrong.

    Whatever ends the writing early, the unfinished file is removed and an older one stays. What
    goes to an object store is written here first; `writing` does without.
    """
    if is_remote(target):
        with TemporaryDirectory() as folder:
            part = Path(folder) / Path(target).name
            yield part
            with part.open("rb") as made, writing_object(str(target)) as file:
                while chunk := made.read(_CHUNK):
                    file.write(chunk)
        return
    whole, part = part_beside(target)
    try:
        yield part
        os.replace(part, whole)
    except OSError as error:
        raise InputError(f"cannot write {target}: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            part.unlink()


@contextmanager
def writing(target: str | Path) -> Iterator[BinaryIO]:
    """The same as a stream, which goes to an object store as it is written."""
    if is_remote(target):
        with writing_object(str(target)) as stream:
            yield stream
        return
    with replacing(target) as part, part.open("wb") as file:
        yield file


def is_file(name: str | Path) -> bool:
    """True if there is a file of that name, here or in an object store."""
    return object_exists(str(name)) if is_remote(name) else Path(name).is_file()


def refuse_as_output(target: str | Path, *inputs: str | Path | None) -> None:
    """Raises if writing the target would take the place of something that is read."""
    for each in inputs:
        if each and is_same(each, target):
            raise InputError(f"{target} is an input and would be lost; write to another file")


def is_same(one: str | Path, other: str | Path) -> bool:
    """True if two names are of one file, also through links of either kind."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return os.path.samefile(one, other)
    except OSError:  # one of them is not there
        return False


def require_writable(target: str | Path) -> None:
    """Raises if the target cannot be written, before long work is done for it."""
    if is_remote(target):
        name = f"{str(target).rpartition('/')[0]}/{_unfinished()}"
        with writing_object(name):
            pass
        remove_object(name)
        return
    _, part = part_beside(target)
    try:
        part.touch()
        part.unlink()
    except OSError as error:
        raise InputError(f"cannot write {target}: {error.strerror or error}") from None
