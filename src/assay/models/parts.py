"""The beginning of a file that is being fetched: it stays, and the rest can follow another day."""

import errno
import json
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Self

from assay.core.errors import InputError
from assay.core.files import replacing
from assay.models.cache import Watch, discard_part, part_path, record_path

_CHUNK = 1 << 22


class Part:
    """Bytes on disk, their digest, and the version of the file that they belong to (its ETag)."""

    def __init__(self, whole: Path) -> None:
        self._whole = whole
        self.path = part_path(whole)
        self.tag = ""
        self.size = 0
        self._digest = sha256()

    def __enter__(self) -> Self:
        try:
            self._file = self.path.open("a+b")
        except OSError as error:
            raise InputError(f"cannot write {self.path}: {error.strerror or error}") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        with suppress(OSError):  # what could not be written is simply not there
            self._file.close()
        if not self.size:
            discard_part(self._whole)

    @property
    def digest(self) -> str:
        """The sha256 of all that is here."""
        return self._digest.hexdigest()

    def read(self, watch: Watch) -> None:
        """Reads what is here of an earlier time, for its digest."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            self.tag = str(json.loads(record_path(self.path).read_bytes())["tag"])
        self._file.seek(0)
        while chunk := self._file.read(_CHUNK):
            self._digest.update(chunk)
            self.size += len(chunk)
            watch("checking", self.size)

    def begin(self, tag: str) -> None:
        """Begins with the first byte, of some version of the file."""
        self._file.seek(0)
        self._file.truncate()
        self.tag, self.size, self._digest = tag, 0, sha256()
        with replacing(record_path(self.path)) as record:
            record.write_text(json.dumps({"tag": tag}), encoding="utf-8")

    def add(self, chunk: bytes) -> None:
        """Writes what comes next."""
        try:
            self._file.write(chunk)
            self._file.flush()
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            raise InputError(
                f"cannot write {self.path}: {error.strerror or error}",
                code="disk-full" if full else "",
            ) from None
        self._digest.update(chunk)
        self.size += len(chunk)

    def finish(self) -> int:
        """Gives the file its name; returns when it was last modified, for the record."""
        try:
            os.fsync(self._file.fileno())
            self._file.close()
            self.path.replace(self._whole)
            record_path(self.path).unlink(missing_ok=True)
            return self._whole.stat().st_mtime_ns
        except OSError as error:
            raise InputError(f"cannot write {self._whole}: {error.strerror or error}") from None
