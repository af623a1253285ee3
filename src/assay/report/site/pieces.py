"""The files that a page without a server loads one by one: scripts that hand it one value each.

A page opened from disk may load scripts and nothing else, so every piece calls one known function.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from assay.core.texts import Source
from assay.report.pages.records import Json, Numbers, literal, record
from assay.report.pages.texts import SeenEdit, SeenTexts, ShownSource
from assay.report.site.records import SourcePlace

MOST_ROWS = 100
MOST_CHARACTERS = 128 * 1024


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


class _Block:
    """Pieces of some length, one after the other: the last one is still in memory."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.starts = [0]  # the number of the first value of each piece
        self.held: list[str] = []
        self.size = 0

    def add(self, text: str, folder: Folder) -> SourcePlace:
        """Takes a value; tells the number of its piece and its place in it."""
        is_full = len(self.held) == MOST_ROWS or self.size + len(text) > MOST_CHARACTERS
        if self.held and is_full:
            self.starts.append(self.starts[-1] + len(self.held))
            self._write(len(self.starts) - 2, folder)
        self.held.append(text)
        self.size += len(text)
        return SourcePlace(len(self.starts) - 1, len(self.held) - 1)

    def close(self, folder: Folder) -> None:
        """Writes what is left."""
        if self.held:
            self._write(len(self.starts) - 1, folder)

    def _write(self, number: int, folder: Folder) -> None:
        folder.piece(f"{self.name}{number}", f"[{','.join(self.held)}]")
        self.held, self.size = [], 0


class SourcePieces:
    """The sources, each text once, in blocks; a row names the block and the place in it."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._block = _Block("sources/")
        self._known: dict[bytes, SourcePlace] = {}
        self._marked_up: set[SourcePlace] = set()

    def place(self, source: Source, seen: SeenTexts) -> SourcePlace:
        """The place of a source, which is written unless it is known."""
        content = f"{source.id}\0{source.text}".encode("utf-8", "surrogatepass")
        key = blake2b(content, digest_size=16).digest()
        if key not in self._known:
            shown = ShownSource(source.text, seen.edits).view(source.id)
            text = literal(record(shown, Numbers()))
            self._known[key] = self._block.add(text, self._folder)
            if seen.edits:
                self._marked_up.add(self._known[key])
        return self._known[key]

    def edits(self, place: SourcePlace, seen: SeenTexts) -> tuple[SeenEdit, ...]:
        """The ranges that a reader does not see as written; nearly always none."""
        return seen.edits if place in self._marked_up else ()

    def close(self) -> None:
        """Writes what is left."""
        self._block.close(self._folder)

    def __len__(self) -> int:
        return len(self._known)


@dataclass(frozen=True, slots=True)
class RowEntry:
    """A row in the list of an LLM's rows, with what tells whether the page is to show it.

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

    def add(self, model: int, entry: RowEntry, row: Json) -> None:
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

    def add(self, entry: RowEntry, text: str, folder: Folder) -> None:
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
