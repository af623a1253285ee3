"""Documents from the files of a corpus: plain text, Markdown, web pages, JSON and JSON lines.

What cannot be read becomes an `Unreadable` with its place; reading goes on after it.
"""

import gzip
import json
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.system.lines import decode, why_not_json
from assay.knowledge.sources import encodable
from assay.text.html import readable_page

LARGEST = 64 * 2**20  # bytes of a file that is read whole; JSON lines may have any size
LONGEST_LINE = 16 * 2**20
# A pipe or a device is opened without waiting for whoever writes to it.
_OPENING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

FIELDS: dict[str, tuple[str, ...]] = {
    "text": ("text", "content", "contents", "body", "passage", "page_content"),
    "title": ("title", "name", "heading"),
    "address": ("address", "url", "link", "uri"),
    "time": ("time", "date", "timestamp", "published", "last_modified"),
}
_HEADING = re.compile(r"^[^\S\n]{0,3}#{1,6}[^\S\n]++(\S.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its title, address and time; `size` is its share of the file in bytes."""

    text: str
    title: str
    address: str
    time: str
    size: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file, or a row of one, that could not be read; if it `breaks_off`, more may follow."""

    where: str
    message: str
    size: int = 0
    breaks_off: bool = False

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file to read; `address` is that of its documents that have no address of their own.

    `root` is the folder that it was found in, links resolved; None if the user named the file.
    """

    path: Path
    address: str
    root: Path | None = None

    def open(self) -> BufferedReader:
        """The content; raises for what is no regular file, and for a link out of the folder."""
        content = os.fdopen(os.open(self.path, _OPENING), "rb")
        try:
            self._check(os.fstat(content.fileno()))
        except BaseException:
            content.close()
            raise
        return content

    def _check(self, opened: os.stat_result) -> None:
        """Compares what was opened with what is in the folder, whatever has changed meanwhile."""
        if not stat.S_ISREG(opened.st_mode):
            raise InputError("it is not a regular file")
        if self.root is None:
            return
        real = os.path.realpath(self.path)
        if not Path(real).is_relative_to(self.root):
            raise InputError(f"it is a link out of the folder, to {real}")
        if not os.path.samestat(os.stat(real), opened):
            raise InputError("it was replaced while it was opened")

    @property
    def time(self) -> str:
        """The time of the file's last change."""
        changed = datetime.fromtimestamp(self.path.stat().st_mtime, UTC)
        return changed.strftime("%Y-%m-%dT%H:%M:%SZ")


_Items = Iterator[Document | Unreadable]


def read_documents(file: CorpusFile) -> _Items:
    """The documents of a file, one by one."""
    is_empty = True
    try:
        for item in READERS[suffix_of(file.path)](file):
            is_empty = False
            yield item
        if is_empty:
            yield Unreadable(file.address, "it has no rows")
    except InputError as error:
        yield Unreadable(file.address, str(error))
    except (ValueError, OverflowError, RecursionError, MemoryError) as error:
        what = " ".join(str(error).split()) or type(error).__name__
        yield Unreadable(file.address, f"it cannot be understood: {what}")
    except (OSError, EOFError, zlib.error) as error:
        yield Unreadable(file.address, f"it cannot be read: {error}", breaks_off=True)


def suffix_of(path: Path) -> str:
    """The extension that tells the kind of a file, without the `.gz` of compressed JSON lines.

    >>> suffix_of(Path("dump.JSONL.gz"))
    '.jsonl'
    """
    name = path.name.lower()
    return Path(name.removesuffix(".gz")).suffix if ".jsonl" in name else Path(name).suffix


def _text(file: CorpusFile) -> _Items:
    yield _whole_file(file, _read(file), file.path.stem)


def _markdown(file: CorpusFile) -> _Items:
    text = _read(file)
    heading = _HEADING.search(text)
    title = _unmarked(heading[1]) if heading else ""
    yield _whole_file(file, text, title or file.path.stem)


def _unmarked(heading: str) -> str:
    """A heading without the hash signs that may close it, as in `# Ferries #`."""
    bare = heading.rstrip().rstrip("#")
    return bare.rstrip() if bare.endswith((" ", "\t")) or not bare else heading.rstrip()


def _html(file: CorpusFile) -> _Items:
    page = readable_page(_read(file))
    yield _whole_file(file, page.text, page.title or file.path.stem)


def _whole_file(file: CorpusFile, text: str, title: str) -> Document | Unreadable:
    size = file.path.stat().st_size
    if not text.strip():
        return Unreadable(file.address, "it has no text", size)
    return Document(encodable(text), encodable(title), file.address, file.time, size)


def _json(file: CorpusFile) -> _Items:
    try:
        value = json.loads(_read(file))
    except (ValueError, RecursionError) as error:
        hint = (
            "; rename it to .jsonl if each line is an object" if "Extra data" in str(error) else ""
        )
        raise InputError(f"it is not JSON: {why_not_json(error)}{hint}") from None
    rows = value if isinstance(value, list) else [value]
    size = file.path.stat().st_size // max(len(rows), 1)
    for number, row in enumerate(rows, 1):
        yield _row(file, row, number, size)


def _json_lines(file: CorpusFile) -> _Items:
    packed = file.path.name.lower().endswith(".gz")
    number = 0
    with file.open() as raw_file, gzip.open(raw_file) if packed else raw_file as lines:
        while raw := lines.readline(LONGEST_LINE + 1):
            number += 1
            size = 0 if packed else len(raw)
            if len(raw) > LONGEST_LINE:
                raise InputError(f"line {number} is longer than {LONGEST_LINE // 2**20} MiB")
            if not raw.isspace():
                yield _line(file, raw, number, size)


def _line(file: CorpusFile, raw: bytes, number: int, size: int) -> Document | Unreadable:
    try:
        row = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return Unreadable(
            f"{file.address}#{number}", f"it is not JSON: {why_not_json(error)}", size
        )
    return _row(file, row, number, size)


def _row(file: CorpusFile, row: object, number: int, size: int) -> Document | Unreadable:
    """The document of a JSON object; without an address it goes by file and number."""
    where = f"{file.address}#{number}"
    if isinstance(row, str):
        row = {"text": row}
    if not isinstance(row, dict):
        return Unreadable(
            where, f"a row must be an object with a 'text', not {type(row).__name__}", size
        )
    found = {name: _field(row, name) for name in FIELDS}
    if not found["text"].strip():
        fields = ", ".join(map(str, list(row)[:8]))
        return Unreadable(
            where, f"none of its fields contains text; its fields: {fields or 'none'}", size
        )
    address = found["address"] or where
    return Document(found["text"], found["title"], address, found["time"], size)


def _field(row: dict[str, Any], kind: str) -> str:
    """The first field of its kind that is not empty; a number may be a title, but not a text."""
    for name in FIELDS[kind]:
        value = row.get(name)
        if isinstance(value, str) and value.strip():
            return encodable(value)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and kind != "text":
            return str(value)
    return ""


def _read(file: CorpusFile) -> str:
    with file.open() as content:
        if (size := os.fstat(content.fileno()).st_size) > LARGEST:
            most = f"{LARGEST // 2**20} MiB"
            raise InputError(f"it has {size / 2**20:,.0f} MiB; one document may have up to {most}")
        raw = content.read(LARGEST)  # and no more, if it grows meanwhile
    return decode(raw, "it")


READERS: dict[str, Callable[[CorpusFile], _Items]] = {
    ".txt": _text,
    ".md": _markdown,
    ".html": _html,
    ".htm": _html,
    ".json": _json,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
}


def find_files(target: Path) -> Iterator[CorpusFile | Unreadable]:
    """The files to index: this one, or those of a folder in order, without hidden ones.

    What is no regular file, or leads out of the folder, is reported when it is read. Links to
    folders are not followed: where they lead into the folder, the files are found without them.
    """
    kinds = ", ".join(READERS)
    if target.is_file():
        if suffix_of(target) not in READERS:
            raise InputError(
                f"cannot tell the format of {target} from its name; supported are {kinds}"
            )
        yield CorpusFile(target, target.name)
        return
    if not target.is_dir():
        raise InputError(f"there is no file or folder at {target}")
    root, found, unread = Path(os.path.realpath(target)), False, list[OSError]()
    for folder, folders, names in os.walk(target, onerror=unread.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for path in (Path(folder, name) for name in folders):
            real = os.path.realpath(path)
            if path.is_symlink() and not Path(real).is_relative_to(root):
                where = path.relative_to(target).as_posix()
                yield Unreadable(where, f"it is a link out of the folder, to {real}")
        for path in (Path(folder, name) for name in sorted(names)):
            if suffix_of(path) in READERS and not path.name.startswith("."):
                found = True
                yield CorpusFile(path, path.relative_to(target).as_posix(), root)
    for error in unread:
        where = os.path.relpath(str(error.filename), target)
        yield Unreadable(where, f"it cannot be read: {error.strerror}")
    if not found:
        raise InputError(f"there is nothing to index in {target}: no file name ends in {kinds}")
