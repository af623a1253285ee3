"""Which files of a corpus are here, and whether they are those that the card pins."""

from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Literal

from assay.core.errors import InputError
from assay.datasets.cards import Card, File
from assay.datasets.corpora.tables import find_tables
from assay.datasets.corpus import data_root

Presence = Literal["here", "in part", "absent"]
State = Literal["fits", "differs", "unpinned", "missing"]
STATES: dict[State, str] = {
    "fits": "here, checksum fits",
    "differs": "here, checksum DIFFERS from the card",
    "unpinned": "here, no checksum on the card",
    "missing": "not here",
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
    """Whether the files of a corpus are below a folder of corpora; nothing of them is read."""
    folder = data_root(root) / card.folder
    found = [(folder / file.path).is_file() for file in card.files] or [bool(_tables(folder))]
    if all(found):
        return "here"
    return "in part" if any(found) else "absent"


def state_of(file: File, folder: Path) -> State:
    """How a file compares with the card; one that cannot be read raises."""
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
