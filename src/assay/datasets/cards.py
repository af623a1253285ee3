"""What a corpus is: where it comes from, under which licence, and what its labels mean."""

from dataclasses import dataclass

from assay.core.units import UnitKind


@dataclass(frozen=True, slots=True)
class File:
    """A file of a corpus below its folder, as released; `sha256` pins its content."""

    path: str
    sha256: str = ""
    upstream: str = ""  # its path in the origin's repository, if it is there as it is
    revision: str = ""  # where it is not that of the card


@dataclass(frozen=True, slots=True)
class Card:
    """The card of a corpus. `revision` pins the release; a corrected release gets a new name."""

    name: str
    title: str
    origin: str
    revision: str
    licence: str
    taxonomy: str
    unit_kind: UnitKind
    splits: tuple[str, ...]
    folder: str
    files: tuple[File, ...]
    loader: str
    paper: str = ""
    labels: str = ""  # how the release's labels become verdicts, in words
    defects: tuple[str, ...] = ()
    notes: str = ""  # what the released files look like, and how to get them
    may_train: bool = False
