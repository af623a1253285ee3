"""Brings a model file into the user's folder: from its server, or from a file that is there.

Nothing is used that was not read in whole and compared with its sha256; a file gets its name only
then. What was fetched before a connection broke stays, and the rest follows when it is asked for
again: of the same version of the file where the server tells versions apart, and in any case only
what fits the digest is kept.
"""

import asyncio
import errno
import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from assay.core.errors import InputError
from assay.core.system import bridge
from assay.core.system.files import replacing
from assay.core.system.notices import notify, warn
from assay.models.cache import (
    Kept,
    Watch,
    copy_path,
    digest_of,
    discard_part,
    held,
    look,
    mark_as_checked,
    part_path,
    record_path,
)
from assay.models.catalogue import PublicModel, amount, shown_address
from assay.models.serving import (
    BrokenOffError,
    FileAnswer,
    NotThereError,
    UnreachedError,
    ask,
    open_session,
)

_CHUNK = 1 << 22


class PartFile:
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


Result = Literal["already here", "checked", "fetched", "linked", "copied"]

ATTEMPTS = 6  # in a row that bring nothing new
PAUSE = 1.0  # seconds after the first of them, and twice as many after each
_SPARE = 1 << 20  # bytes that the disk is left with


@dataclass(frozen=True, slots=True)
class Pulled:
    """A model's path, and how the file came there."""

    model: PublicModel
    path: Path
    result: Result


def pull(model: PublicModel, watch: Watch, mirror: str | None = None) -> Pulled:
    """Fetches a model from where its authors publish it or from a mirror, unless it is here."""
    address = model.address if mirror is None else model.address_at(mirror)
    if (kept := look(model)).state == "ready":
        return Pulled(model, kept.path, "already here")
    with held(model):
        kept = look(model)
        if kept.state in ("absent", "in part"):
            _fetch(model, address, kept.path, watch)
            return Pulled(model, kept.path, "fetched")
        return _check(kept, watch)


def take(model: PublicModel, file: str | Path, watch: Watch) -> Pulled:
    """Takes a model from a file that is there: linked where the disk allows it, or else copied."""
    given = Path(os.path.realpath(file))
    if not given.is_file():
        why = "it is not a file" if given.exists() else "there is no such file"
        raise InputError(f"cannot read {file}: {why}", field="from_file")
    if (kept := look(model)).state == "ready":
        return Pulled(model, kept.path, "already here")
    with held(model):
        kept = look(model)
        if kept.state == "ready" or given == Path(os.path.realpath(kept.path)):
            return _check(kept, watch)
        size = given.stat().st_size
        if size != model.size:
            raise InputError(
                f"{file} has {size:,} bytes, but {model.file} has {model.size:,}",
                code="not-the-model",
            )
        return Pulled(model, kept.path, _link_or_copy(model, given, kept.path, watch))


def _check(kept: Kept, watch: Watch) -> Pulled:
    """Reads a file that is in its place; one that was read before and has not changed is fine."""
    model, path = kept.model, kept.path
    if kept.state == "ready":
        return Pulled(model, path, "already here")
    modified = path.stat().st_mtime_ns
    if kept.state == "differs" or digest_of(path, watch) != model.sha256:
        raise InputError(
            f"{path} is not {model.file} as published: its size or its sha256 differs",
            code="model-differs",
            subject=model.name,
        )
    mark_as_checked(model, path, modified)
    return Pulled(model, path, "checked")


def _link_or_copy(model: PublicModel, given: Path, path: Path, watch: Watch) -> Result:
    beside = copy_path(path)
    result: Result = "linked"
    try:
        beside.unlink(missing_ok=True)  # of a process that was killed; nobody else is at it
        modified = given.stat().st_mtime_ns  # before it is read, so that no later change is missed
        try:
            os.link(given, beside)
            found = digest_of(beside, watch)
        except OSError:  # another disk, or one that has no links
            _require_room(path.parent, model.size)
            result, found = "copied", _copy(given, beside, watch)
            modified = beside.stat().st_mtime_ns
        if found != model.sha256:
            raise InputError(
                f"{given} has the sha256 {found}, but {model.file} has {model.sha256}",
                code="not-the-model",
            )
        beside.replace(path)
    except OSError as error:
        raise InputError(f"cannot copy {given} to {path}: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
    mark_as_checked(model, path, modified)
    discard_part(path)
    return result


def _copy(given: Path, beside: Path, watch: Watch) -> str:
    digest, done = sha256(), 0
    with given.open("rb") as content, beside.open("xb") as target:
        while chunk := content.read(_CHUNK):
            digest.update(chunk)
            target.write(chunk)
            done += len(chunk)
            watch("copying", done)
        target.flush()
        os.fsync(target.fileno())
    return digest.hexdigest()


def _fetch(model: PublicModel, address: str, path: Path, watch: Watch) -> None:
    with suppress(OSError):
        copy_path(path).unlink(missing_ok=True)  # of a process that was killed
    with PartFile(path) as part:
        part.read(watch)
        if part.size > model.size:
            part.begin("")
        _require_room(path.parent, model.size - part.size)
        is_of_before = part.size > 0
        bridge.run(_complete(model, address, part, watch))
        if part.digest != model.sha256 and is_of_before:
            warn("what was here of an earlier time does not fit; all of it is fetched again")
            part.begin("")
            bridge.run(_complete(model, address, part, watch))
        if part.digest != model.sha256:
            found = part.digest
            part.begin("")
            raise InputError(
                f"{shown_address(address)} has the sha256 {found}, but {model.sha256} is expected; "
                "nothing was kept",
                code="not-the-model",
            )
        modified = part.finish()
    mark_as_checked(model, path, modified)


async def _complete(model: PublicModel, address: str, part: PartFile, watch: Watch) -> None:
    """Fetches what is missing; a connection that breaks is made again as long as more comes."""
    most, in_vain, reached = part.size, 0, False
    async with open_session() as session:
        while part.size < model.size:
            try:
                async with ask(session, address, part.size, part.tag) as answer:
                    reached = True
                    await _receive(answer, model, part, watch)
            except BrokenOffError as error:
                if isinstance(error, NotThereError):
                    part.begin("")
                in_vain = 1 if part.size > most else in_vain + 1
                most = max(most, part.size)
                passing = error.passing or (reached and isinstance(error, UnreachedError))
                if not passing or in_vain == ATTEMPTS:
                    raise _given_up(model, address, part, error) from None
                notify(f"{shown_address(address)}: {error}; trying again")
                await asyncio.sleep(max(error.rest, PAUSE * 2 ** (in_vain - 1)))


async def _receive(answer: FileAnswer, model: PublicModel, part: PartFile, watch: Watch) -> None:
    if answer.total not in (None, model.size):
        raise BrokenOffError(
            f"the file there has {answer.total:,} bytes, not {model.size:,}", passing=False
        )
    if part.size and answer.start != part.size:
        said = "it does not send parts of files, or has another version"
        notify(f"the server begins again with the first byte: {said}")
    if answer.start != part.size or not part.size:
        part.begin(answer.tag)
    async for chunk in answer.chunks():
        part.add(chunk[: model.size - part.size])
        watch("fetching", part.size)
        if part.size == model.size:
            return
    raise BrokenOffError("the connection broke off", passing=True)


def _given_up(
    model: PublicModel, address: str, part: PartFile, error: BrokenOffError
) -> InputError:
    message = f"cannot fetch {shown_address(address)}: {error}"
    if not part.size:
        return InputError(message, code="not-fetched")
    kept = f"{amount(part.size)} of {amount(model.size)} are kept"
    return InputError(f"{message}; {kept}", code="fetched-in-part")


def _require_room(folder: Path, needed: int) -> None:
    try:
        free = shutil.disk_usage(folder).free
    except OSError:  # nobody can say
        return
    if free < needed + _SPARE:
        raise InputError(
            f"not enough room at {folder}: {amount(needed)} are needed and {amount(free)} are "
            "free; name another folder with ASSAY_MODELS",
            code="no-room",
        )
