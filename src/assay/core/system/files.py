"""Files that appear whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assay.core.errors import InputError


def part_beside(target: str | Path) -> tuple[Path, Path]:
    """The real path of the target, and a new name beside it for what is not finished yet."""
    whole = Path(os.path.realpath(target))
    # os.replace would put a file in the place of a device or a pipe.
    if whole.exists() and not whole.is_file():
        raise InputError(f"cannot write {target}: it is not a file")
    return whole, whole.with_name(f".assay-{secrets.token_hex(8)}.part")


@contextmanager
def replacing(target: str | Path) -> Iterator[Path]:
    """A place beside the target to write to; it takes the target's place if nothing goes wrong.

    Whatever ends the writing early, the unfinished file is removed and an older one stays.
    """
    whole, part = part_beside(target)
    try:
        yield part
        os.replace(part, whole)
    except OSError as error:
        raise InputError(f"cannot write {target}: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            part.unlink()


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
    _, part = part_beside(target)
    try:
        part.touch()
        part.unlink()
    except OSError as error:
        raise InputError(f"cannot write {target}: {error.strerror or error}") from None
