"""Files in object stores, by names such as `s3://bucket/key`: read by ranges, written as a stream.

fsspec knows the stores. Each store's own library finds its address and credentials where its tools
do, in the environment and in the user's home: nothing of a working folder is read for them, and
Assay neither takes nor shows any.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from assay.core.errors import InputError, MissingExtraError

SCHEMES = ("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "hdfs", "memory")
_REMOTE = re.compile(rf"(?:{'|'.join(SCHEMES)})://")
_STREAM = 2**22  # bytes that are asked for at a time where a file is read from end to end
_Doing = Literal["read", "write"]


def is_remote(name: str | Path) -> bool:
    """True if a name is of an object store, and not of a file here."""
    return isinstance(name, str) and bool(_REMOTE.match(name))


def open_object(name: str, *, by_ranges: bool = False) -> BinaryIO:
    """An object to read from: as a stream, or only those ranges that are asked for."""
    with _in_words(name, "read"):
        system, path = _system(name)
        file = system.open(path, "rb", cache_type="none")
        raw = cast(io.RawIOBase, _Told(file, name))
        return io.BufferedReader(raw, io.DEFAULT_BUFFER_SIZE if by_ranges else _STREAM)


@contextmanager
def writing_object(name: str) -> Iterator[BinaryIO]:
    """An object to write to, which appears when all of it is there; an older one stays till then.

    Whatever ends the writing early, what was sent is thrown away by the store.
    """
    with _in_words(name, "write"):
        system, path = _system(name, shared=False)  # what is begun here is ended here
        system.start_transaction()
        file = system.open(path, "wb")
    try:
        yield cast(BinaryIO, _Told(file, name))
        with _in_words(name, "write"):
            file.close()
            system.end_transaction()
    except BaseException:
        with suppress(Exception):  # the first error is what is told
            file.discard()
            file.closed = True  # or it would be sent when it is collected
        raise


def object_exists(name: str) -> bool:
    """True if there is an object of that name; no right to look raises."""
    with _in_words(name, "read"):
        system, path = _system(name)
        return bool(system.isfile(path))


def find_objects(name: str) -> dict[str, int]:
    """The names of all objects below a folder, with their sizes."""
    with _in_words(name, "read"):
        system, path = _system(name)
        system.invalidate_cache()
        found = system.find(path, detail=True)
        scheme = name.partition("://")[0]
        return {_named(scheme, each): int(about["size"] or 0) for each, about in found.items()}


def remove_object(name: str) -> None:
    """Deletes an object, if that is allowed."""
    with suppress(Exception):  # it is in nobody's way
        system, path = _system(name)
        system.rm_file(path)


def _named(scheme: str, path: str) -> str:
    return f"{scheme}://{path.lstrip('/')}"


def _system(name: str, *, shared: bool = True) -> tuple[Any, str]:
    """The store of a name, and the path in it."""
    scheme, _, rest = name.partition("://")
    if "@" in rest.partition("/")[0] and not scheme.startswith("abfs"):
        raise InputError(
            f"a name of the form {scheme}://BUCKET/KEY has no credentials in it; the store's own "
            "library takes them from the environment"
        )
    if not rest.strip("/"):
        raise InputError(f"'{name}' names no object; write {scheme}://BUCKET/KEY")
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingExtraError(f"a name such as {scheme}://", "remote") from None
    try:
        system, path = url_to_fs(name, **({} if shared else {"skip_instance_cache": True}))
    except ImportError as error:
        if scheme in ("s3", "s3a"):
            raise MissingExtraError(f"a name such as {scheme}://", "remote") from None
        raise InputError(f"names such as {scheme}:// need another package: {error}") from None
    return system, str(path)


@contextmanager
def _in_words(name: str, doing: _Doing) -> Iterator[None]:
    """Says in one line what is wrong with an object, whatever its store raises."""
    try:
        yield
    except (InputError, MissingExtraError):
        raise
    except FileNotFoundError:
        raise InputError(
            f"cannot {doing} {name}: there is no such {'object or ' * (doing == 'read')}bucket",
            code="no-object",
        ) from None
    except PermissionError:
        raise InputError(
            f"cannot {doing} {name}: the credentials that were found have no right to {doing} it",
            code="no-rights",
        ) from None
    except Exception as error:  # noqa: BLE001 - every store has errors of its own
        said = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise InputError(f"cannot {doing} {name}: {said}", code="object-store") from None


class _Told(io.RawIOBase):
    """A file of a store, whose errors are told in words."""

    def __init__(self, file: Any, name: str) -> None:
        self._file = file
        self._name = name

    def readable(self) -> bool:
        return bool(self._file.readable())

    def writable(self) -> bool:
        return bool(self._file.writable())

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def tell(self) -> int:
        return int(self._file.tell())

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return int(self._file.seek(offset, whence))

    def readinto(self, buffer: Any, /) -> int:
        with _in_words(self._name, "read"):
            return int(self._file.readinto(buffer))

    def write(self, raw: Any, /) -> int:
        with _in_words(self._name, "write"):
            self._file.write(raw)
            return memoryview(raw).nbytes

    def close(self) -> None:
        if self._file.readable():
            self._file.close()
        super().close()
