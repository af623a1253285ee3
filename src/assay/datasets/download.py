"""The files of a corpus: which are here, and how the others are fetched.

Files come from the repository that the corpus was released in, at the pinned revision, and only
those that the repository has as they are: what was converted, joined or cut has no address. A file
is checked by its sha256 before it gets its name. A redirect never leads from HTTPS to plain HTTP,
and to another host only for a file whose sha256 is known.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import file_digest, sha256
from http.client import HTTPException
from itertools import chain
from pathlib import Path
from typing import Any, Literal
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from assay.core.errors import InputError
from assay.core.system.files import replacing
from assay.datasets.corpora.raw_files import find_tables
from assay.datasets.corpus import Card, File, data_root

Presence = Literal["here", "in part", "absent"]
State = Literal["fits", "differs", "unpinned", "missing"]
STATES: dict[State, str] = {
    "fits": "here, checksum fits",
    "differs": "here, checksum DIFFERS from the card",
    "unpinned": "here, no checksum on the card",
    "missing": "not here",
}
Result = Literal["fetched", "fetched, no checksum on the card", "already here", "not to be fetched"]

SECONDS = 30.0
_CHUNK = 1 << 20
# A kind of place -> where it serves files, and what stands between repository and revision.
_PLACES = {
    "https://github.com/": ("https://raw.githubusercontent.com", ""),
    "https://huggingface.co/": ("https://huggingface.co", "resolve/"),
}


@dataclass(frozen=True, slots=True)
class FileState:
    """A file of a corpus, its size in bytes if it is here, and how it compares with the card."""

    path: str
    size: int | None
    state: State
    can_be_fetched: bool


def file_states(card: Card, root: str | Path | None = None) -> tuple[FileState, ...]:
    """The state of each file that the card names; of files it does not name, those found."""
    folder = data_root(root) / card.folder
    found = [] if card.files else [File(str(path.relative_to(folder))) for path in _tables(folder)]
    return tuple(
        FileState(file.path, _size(folder / file.path), state_of(file, folder), bool(file.upstream))
        for file in (*card.files, *found)
    )


def presence(card: Card, root: str | Path | None = None) -> Presence:
    """The presence of a corpus's files below a folder of corpora; nothing of them is read."""
    folder = data_root(root) / card.folder
    found = [(folder / file.path).is_file() for file in card.files] or [bool(_tables(folder))]
    if all(found):
        return "here"
    return "in part" if any(found) else "absent"


def state_of(file: File, folder: Path) -> State:
    """The state of a file compared with the card; one that cannot be read raises."""
    path = folder / file.path
    if not path.is_file():
        return "missing"
    if not file.sha256:
        return "unpinned"
    try:
        with path.open("rb") as content:
            return (
                "fits" if file_digest(content, "sha256").hexdigest() == file.sha256 else "differs"
            )
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None


def _tables(folder: Path) -> list[Path]:
    try:
        return find_tables(folder)
    except InputError:
        return []


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file of a corpus and what became of it; `reason` says why it cannot be fetched."""

    path: Path
    result: Result
    reason: str = ""


def download(card: Card, root: str | Path | None = None) -> Iterator[Fetched]:
    """Fetches what is missing below a folder of corpora, file by file."""
    folder = data_root(root) / card.folder
    for file in card.files:
        yield _fetch_missing(card, file, folder)
    if not card.files:
        yield Fetched(folder, "not to be fetched", "the card names no files of the release")


def address(card: Card, file: File) -> str:
    """The address of a file; ASSAY_DOWNLOAD_BASE takes the place of the usual server."""
    start = next((start for start in _PLACES if card.origin.startswith(start)), None)
    if start is None:
        raise InputError(f"{card.name} cannot be fetched from {card.origin}: not a known server")
    server, between = _PLACES[start]
    server = os.environ.get("ASSAY_DOWNLOAD_BASE", server).rstrip("/")
    if urlsplit(server).scheme not in ("http", "https"):
        raise InputError(f"ASSAY_DOWNLOAD_BASE must be an http(s) address, not '{server}'")
    repository = card.origin.removeprefix(start).strip("/")
    revision = file.revision or card.revision
    return f"{server}/{repository}/{between}{revision}/{quote(file.upstream)}"


def _fetch_missing(card: Card, file: File, folder: Path) -> Fetched:
    path = folder / file.path
    state = state_of(file, folder)
    if state == "differs":
        raise InputError(
            f"{path} is here, but not as the card pins it; remove it, or fetch into another folder",
            code="file-differs",
            field="to",
        )
    if state != "missing":
        return Fetched(path, "already here")
    if not file.upstream:
        return Fetched(
            path,
            "not to be fetched",
            "the released repository does not have it in this form (converted, joined or cut)",
        )
    _fetch(address(card, file), path, file.sha256)
    return Fetched(path, "fetched" if file.sha256 else "fetched, no checksum on the card")


def _fetch(url: str, path: Path, checksum: str) -> None:
    chunks = _read(url, is_pinned=bool(checksum))
    first = next(chunks, b"")  # no folder is made for what is not served
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    digest = sha256()
    with replacing(path) as part, part.open("xb") as target:
        for chunk in chain((first,), chunks):
            digest.update(chunk)
            target.write(chunk)
        if checksum and digest.hexdigest() != checksum:
            raise InputError(
                f"{url} has the sha256 {digest.hexdigest()}, but the card pins {checksum}; "
                "nothing was kept"
            )


class _Redirects(HTTPRedirectHandler):
    """Follows a redirect only where what comes back can be trusted."""

    def __init__(self, *, is_pinned: bool) -> None:
        self._is_pinned = is_pinned

    def redirect_request(self, req: Request, fp: Any, *more: Any) -> Request | None:
        """The next request; raises where it must not be made."""
        *_, target = more
        here, there = urlsplit(req.full_url), urlsplit(target)
        problem = ""
        if there.scheme not in ("https", here.scheme):
            problem = "which is not secure"
        elif there.netloc != here.netloc and not self._is_pinned:
            problem = "and no checksum on the card tells whether the file is the same"
        if problem:
            fp.close()
            other = f"{there.scheme}://{there.netloc}"
            raise InputError(f"cannot fetch {req.full_url}: it redirects to {other}, {problem}")
        return super().redirect_request(req, fp, *more)


def _read(url: str, *, is_pinned: bool) -> Iterator[bytes]:
    request = Request(url, headers={"User-Agent": "assay"})
    try:
        opener = build_opener(_Redirects(is_pinned=is_pinned))
        with opener.open(request, timeout=SECONDS) as reply:
            expected, read = int(reply.headers.get("Content-Length") or 0), 0
            while chunk := reply.read(_CHUNK):
                read += len(chunk)
                yield chunk
    except HTTPError as error:
        with error:
            raise InputError(
                f"cannot fetch {url}: the server says {error.code} {error.reason}"
            ) from None
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", "") or error
        raise InputError(f"cannot fetch {url}: {reason}") from None
    if read < expected:
        raise InputError(f"cannot fetch {url}: it broke off after {read:,} of {expected:,} bytes")
