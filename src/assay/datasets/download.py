"""Fetches the files of a corpus from the repository it was released in, at the pinned revision.

Only files that the repository has as they are: what was converted, joined or cut has no address.
A file is checked by its sha256 before it gets its name.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from http.client import HTTPException
from itertools import chain
from pathlib import Path
from typing import Literal
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from assay.core.errors import InputError
from assay.core.writing import replacing
from assay.datasets.cards import Card, File
from assay.datasets.corpus import data_root
from assay.datasets.presence import state_of

Result = Literal["fetched", "fetched, no checksum on the card", "already here", "not to be fetched"]

SECONDS = 30.0
_CHUNK = 1 << 20
# A kind of place -> where it serves files, and what stands between repository and revision.
_PLACES = {
    "https://github.com/": ("https://raw.githubusercontent.com", ""),
    "https://huggingface.co/": ("https://huggingface.co", "resolve/"),
}


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
    """Where a file is served from; ASSAY_DOWNLOAD_BASE takes the place of the usual server."""
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
            f"{path} is here, but not as the card pins it; remove it, or fetch into another "
            "folder with --to"
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
    chunks = _read(url)
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


def _read(url: str) -> Iterator[bytes]:
    try:
        with urlopen(Request(url, headers={"User-Agent": "assay"}), timeout=SECONDS) as reply:
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
