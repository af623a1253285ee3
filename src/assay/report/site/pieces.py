"""The files that a page without a server loads one by one: scripts that hand it one value each.

A page opened from disk may load scripts and nothing else, so every piece calls one known function.
"""

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from assay.core.texts import Source
from assay.report.reading import Edit, Reading

Json = dict[str, Any]

MOST_ROWS = 100
MOST_CHARACTERS = 128 * 1024

# What ends a script element or a line of a script, and halves of characters, which are no UTF-8.
_UNSAFE = re.compile("[<\u2028\u2029\ud800-\udfff]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def literal(value: object) -> str:
    """A value as JavaScript that may stand anywhere in a script, also inside a page.

    >>> literal(["</script>", None])
    '["\\\\u003c/script>",null]'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class Folder:
    """A folder of pieces, with a digest of all that was written to it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._digest = blake2b(digest_size=6)
        self.files = 0
        self.size = 0

    def piece(self, name: str, value: str) -> None:
        """Writes a value, which is JavaScript already, under a name that the page asks for."""
        self.write(f"data/{name}.js", f"piece({literal(name)},{value});\n")

    def write(self, name: str, text: str) -> None:
        """Writes a file."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = text.encode("utf-8")
        path.write_bytes(content)
        self._digest.update(content)
        self.files += 1
        self.size += len(content)

    @property
    def digest(self) -> str:
        """Tells this site from any other, so that a browser mixes no two of them."""
        return self._digest.hexdigest()


class Places:
    """Counts places in a text as a browser does: in UTF-16 units."""

    def __init__(self, text: str) -> None:
        self._wide = [] if text.isascii() else [each.start() for each in _ASTRAL.finditer(text)]

    def __call__(self, place: int) -> int:
        """Where a browser finds the code point of that number."""
        return place + bisect_left(self._wide, place) if self._wide else place


class _Block:
    """Pieces of some length, one after the other: the last one is still in memory."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.starts = [0]  # the number of the first value of each piece
        self.held: list[str] = []
        self.size = 0

    def add(self, text: str, folder: Folder) -> tuple[int, int]:
        """Takes a value; tells the number of its piece and its place in it."""
        is_full = len(self.held) == MOST_ROWS or self.size + len(text) > MOST_CHARACTERS
        if self.held and is_full:
            self.starts.append(self.starts[-1] + len(self.held))
            self._write(len(self.starts) - 2, folder)
        self.held.append(text)
        self.size += len(text)
        return len(self.starts) - 1, len(self.held) - 1

    def close(self, folder: Folder) -> None:
        """Writes what is left."""
        if self.held:
            self._write(len(self.starts) - 1, folder)

    def _write(self, number: int, folder: Folder) -> None:
        folder.piece(f"{self.name}{number}", f"[{','.join(self.held)}]")
        self.held, self.size = [], 0


class Sources:
    """The sources, each text once, in blocks; a row names the block and the place in it."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._block = _Block("sources/")
        self._known: dict[bytes, tuple[int, int]] = {}
        self._marked_up: set[tuple[int, int]] = set()

    def place(self, source: Source, reading: Reading) -> tuple[int, int]:
        """Where the source is, which is written unless it is known."""
        content = f"{source.id}\0{source.text}".encode("utf-8", "surrogatepass")
        key = blake2b(content, digest_size=16).digest()
        if key not in self._known:
            record = _source_record(source, reading.edits)
            self._known[key] = self._block.add(literal(record), self._folder)
            if reading.edits:
                self._marked_up.add(self._known[key])
        return self._known[key]

    def edits(self, place: tuple[int, int], reading: Reading) -> tuple[Edit, ...]:
        """What a reader does not see as written; nearly always nothing."""
        return reading.edits if place in self._marked_up else ()

    def close(self) -> None:
        """Writes what is left."""
        self._block.close(self._folder)

    def __len__(self) -> int:
        return len(self._known)


def _source_record(source: Source, edits: tuple[Edit, ...]) -> Json:
    at = Places(source.text)
    record: Json = {"id": source.id, "text": source.text}
    if len(source.passages) > 1:
        record["passages"] = [[e.name, at(e.start), at(e.end)] for e in source.passages]
    if edits:
        record["edits"] = [[at(each.start), at(each.end), each.seen] for each in edits]
    return record


@dataclass(frozen=True, slots=True)
class Entry:
    """What the list of an LLM's rows has of one, so that the page finds those that it is to show.

    `classes` are, for each judge, what the row counts as at each level, a letter each; `labels` the
    number of the badge that each judge gave it, from 1, and 0 where it said nothing.
    """

    id: str
    task: int
    classes: Sequence[str]
    labels: Sequence[int]


class Rows:
    """The rows of each LLM in pieces, and a list of them; `judges` and `levels` are how many.

    Only the lists and the last piece of each LLM are in memory.
    """

    def __init__(self, folder: Folder, models: int, judges: int, levels: int) -> None:
        self._folder = folder
        self._lists = [_List(number, judges, levels) for number in range(models)]

    def add(self, model: int, entry: Entry, row: Json) -> None:
        """Takes a row of the LLM of that number."""
        self._lists[model].add(entry, literal(row), self._folder)

    def close(self) -> list[int]:
        """Writes what is left, and tells how many rows each LLM has."""
        for each in self._lists:
            each.close(self._folder)
        return [len(each.ids) for each in self._lists]


class _List:
    """The rows of one LLM."""

    def __init__(self, model: int, judges: int, levels: int) -> None:
        self.ids: list[str] = []
        self._name = f"rows/{model}"
        self._block = _Block(f"{self._name}-")
        self._tasks = array("H")
        self._classes = [[bytearray() for _ in range(levels)] for _ in range(judges)]
        self._labels = [array("H") for _ in range(judges)]

    def add(self, entry: Entry, text: str, folder: Folder) -> None:
        self._block.add(text, folder)
        self.ids.append(entry.id)
        self._tasks.append(entry.task)
        for own, letters in zip(self._classes, entry.classes, strict=True):
            for level, each in zip(own, letters.encode("ascii"), strict=True):
                level.append(each)
        for mine, label in zip(self._labels, entry.labels, strict=True):
            mine.append(label)

    def close(self, folder: Folder) -> None:
        self._block.close(folder)
        record = {
            "ids": self.ids,
            "starts": self._block.starts,
            "tasks": self._tasks.tolist(),
            "classes": [[each.decode("ascii") for each in own] for own in self._classes],
            "labels": [each.tolist() for each in self._labels],
        }
        folder.piece(self._name, literal(record))
