"""Data sets in parts: a folder or a pattern of files that are read as one, in a stable order.

Files are ordered by their paths, 2 before 10. Those whose name begins with a dot or an underscore,
and those of other forms than lines, CSV, Parquet and Arrow, are no parts. Folders below are looked
into if they are named as in `split=test`, which gives their files the field `split`.

What Assay wrote has a manifest, `_assay.json`, which says when it is complete: a folder that was
not written to its end is refused, and so is one from which a part is missing.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from glob import glob
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

import msgspec

from assay.core.codec import Reader, encode
from assay.core.errors import InputError
from assay.core.system.files import is_file, writing
from assay.core.system.object_stores import find_objects, is_remote
from assay.core.wire import DocumentRecord
from assay.datasets.columnar import ColumnFile, is_columnar, open_columns, refuse_other_columns
from assay.datasets.encodings import open_binary

MANIFEST = "_assay.json"
PARTS_SCHEMA = "urn:assay:parts:1"
_FORMS = {
    "lines": (".jsonl", ".ndjson"),
    "CSV": (".csv", ".tsv"),
    "Parquet": (".parquet",),
    "Arrow": (".arrow", ".feather"),
}
_NOTHING = "__HIVE_DEFAULT_PARTITION__"  # the value of a partition without one
_KEY = re.compile(r"([A-Za-z_][\w.-]*)=(.*)")
_LARGEST = 2**26  # bytes of a manifest


class PartRecord(msgspec.Struct):
    """A file of a data set in parts, and its rows."""

    name: str
    rows: int


class PartsRecord(msgspec.Struct):
    """The manifest of a folder that Assay writes: `writing` till the last part is there.

    A set of judgements has its `document`, without the judgements, which are in the parts.
    """

    schema: str
    state: Literal["writing", "complete"]
    parts: list[PartRecord] = []
    document: DocumentRecord | None = None


_manifests = Reader(PartsRecord)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of a data set, and the fields that its folders give to all of its rows."""

    path: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DataFiles:
    """The files of a data set in their order; `manifest` is there if Assay wrote them."""

    name: str
    files: tuple[DataFile, ...]
    manifest: PartsRecord | None = None

    @property
    def rows(self) -> int | None:
        """The number of rows, where the manifest says so."""
        return sum(each.rows for each in self.manifest.parts) if self.manifest else None


def is_in_parts(name: str) -> bool:
    """True if a name is of several files: a folder or a pattern."""
    if is_remote(name):
        return name.endswith("/") or _is_pattern(name)
    return name != "-" and (Path(name).is_dir() or (_is_pattern(name) and not Path(name).exists()))


def has_parts(folder: str) -> bool:
    """True if there is any file in a folder that could be a part, or a manifest of parts."""
    root = _root(folder)
    below = (each.removeprefix(root) for each in _files(folder))
    return any(each == MANIFEST or _is_part(each) for each in below)


def find_parts(name: str) -> DataFiles:
    """The files of a data set in parts; none at all, or an unfinished or mixed one, raises."""
    root = _root(name)
    names = [each for each in _files(name) if _is_part(each.removeprefix(root))]
    manifest = None if _is_pattern(name) else read_manifest(name)
    if manifest:
        _require_all(manifest, [each.removeprefix(root) for each in names], root)
    elif not names:
        raise InputError(f"{name} has no files of examples", code="no-parts", field="dataset")
    forms = dict[str, str]()
    for each in names:
        forms.setdefault(_form(each), each)
    if len(forms) > 1:
        (one, first), (other, second), *_ = forms.items()
        raise InputError(
            f"the parts of one data set have one form, but {first} is {one} and {second} is "
            f"{other}; name those that are meant by a pattern, as in {root}*.parquet",
            code="other-forms",
            field="dataset",
        )
    return DataFiles(name, tuple(_part(each, root) for each in sorted(names, key=_order)), manifest)


def require_same_columns(parts: DataFiles) -> None:
    """Raises where Parquet or Arrow files of one data set differ in their columns."""
    first: ColumnFile | None = None
    for each in parts.files:
        if not is_columnar(each.path):
            return
        file = open_columns(each.path)
        if first is not None:
            refuse_other_columns(first, file)
        first = first or file


def write_manifest(folder: str, manifest: PartsRecord) -> None:
    """Writes what is known of a folder of parts: first that it is begun, last that it is whole."""
    with writing(f"{folder}{MANIFEST}") as file:
        file.write(encode(manifest) + b"\n")


def require_new_folder(folder: str) -> None:
    """Raises unless there is nothing yet in the folder of that name."""
    if _files(folder):
        raise InputError(
            f"{folder} is not empty; write the parts to a new folder", code="not-empty", field="to"
        )


def read_manifest(folder: str) -> PartsRecord | None:
    """The manifest of a folder of parts, None if there is none; one that is not whole raises."""
    root = _root(folder)
    path = f"{root}{MANIFEST}"
    return _read_manifest(path, root) if is_file(path) else None


def _read_manifest(path: str, root: str) -> PartsRecord:
    with open_binary(path) as file:
        found = _manifests.read(file.read(_LARGEST), path)
    if found.schema != PARTS_SCHEMA:
        raise InputError(f"{path} has the form '{found.schema}'; this version reads {PARTS_SCHEMA}")
    if found.state != "complete":
        raise InputError(
            f"{root} was not written to its end: delete it, and write it again",
            code="unfinished-parts",
            field="dataset",
        )
    return found


def _require_all(manifest: PartsRecord, names: list[str], root: str) -> None:
    """Raises where a part is missing, or where something came later."""
    known = [each.name for each in manifest.parts]
    for name in known:
        if name not in names:
            raise InputError(f"{root} is damaged: its part {name} is missing", code="damaged")
    for name in names:
        if name not in known:
            raise InputError(
                f"{root}{name} is no part of what was written to {root}; take it out, or name "
                "the files that are meant by a pattern",
                code="damaged",
            )


def _files(name: str) -> list[str]:
    """The paths of the files of a folder or a pattern; none where there is no such folder."""
    root = _root(name)
    if is_remote(name):
        found = find_objects(root)
        if not _is_pattern(name):
            return [each for each in found if _is_below(each.removeprefix(root))]
        wanted = _relative(name).split("/")
        return [each for each in found if _is_meant(each.removeprefix(root).split("/"), wanted)]
    if _is_pattern(name):
        return [
            Path(each).as_posix() for each in glob(name, recursive=True) if Path(each).is_file()
        ]
    inside: list[str] = []
    for folder, below, files in os.walk(root):
        below[:] = [each for each in below if _KEY.fullmatch(each)]
        inside += [f"{Path(folder).as_posix()}/{each}" for each in files]
    return inside


def _is_below(relative: str) -> bool:
    return all(_KEY.fullmatch(each) for each in relative.split("/")[:-1])


def _is_meant(names: list[str], patterns: list[str]) -> bool:
    """True if the folders and the name of a path fit those of a pattern; `**` is any folders."""
    if not patterns or not names:
        return not names and all(each == "**" for each in patterns)
    if patterns[0] == "**":
        return _is_meant(names, patterns[1:]) or _is_meant(names[1:], patterns)
    return fnmatchcase(names[0], patterns[0]) and _is_meant(names[1:], patterns[1:])


def _root(name: str) -> str:
    """The folder above all files, ending in a slash: what comes before the first wild card."""
    if _is_pattern(name):
        fixed = name[: min(name.index(mark) for mark in "*?[" if mark in name)]
        name = fixed.rpartition("/")[0] or "."
    if is_remote(name):
        return name.rstrip("/") + "/"
    return f"{Path(name).as_posix().rstrip('/')}/"


def _relative(name: str) -> str:
    """The pattern of paths below its folder."""
    fixed = name[: min(name.index(mark) for mark in "*?[" if mark in name)]
    return name[len(fixed.rpartition("/")[0]) :].lstrip("/")


def _is_pattern(name: str) -> bool:
    return any(mark in name for mark in "*?[")


def _is_part(relative: str) -> bool:
    hidden = any(each.startswith((".", "_")) for each in relative.split("/"))
    return not hidden and _form(relative) != ""


def _form(path: str) -> str:
    plain = path.lower().removesuffix(".gz")
    return next((form for form, endings in _FORMS.items() if plain.endswith(endings)), "")


def _order(path: str) -> list[tuple[int, str]]:
    """Folders and files by name, with the numbers in them as numbers."""
    pieces = re.split(r"(\d+)", path)
    return [(int(each[:18]), each) if each.isdecimal() else (-1, each) for each in pieces]


def _part(path: str, root: str) -> DataFile:
    fields = dict[str, str]()
    for folder in path.removeprefix(root).split("/")[:-1]:
        if (found := _KEY.fullmatch(folder)) and found[2] != _NOTHING:
            fields[found[1]] = unquote(found[2])
    return DataFile(path, fields)
