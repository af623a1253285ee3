"""Settings files and their tables; anything wrong in one raises an error of one clear line."""

import os
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, UnknownNameError

Kinds = Mapping[str, type]

# Bytes of a file and of a line: parsers take time by the square of a line, and a working folder may
# come from anybody.
LARGEST = 2**16
LONGEST_LINE = 2**12
# A pipe or a device is opened without waiting for whoever writes to it.
_OPENING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

_NOUNS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list of texts",
    dict: "a table",
}


def read_toml(path: Path, *, field: str = "", most: int = LARGEST) -> dict[str, Any]:
    """The contents of a TOML file; `field` is the option that names it, if one does."""
    try:
        return tomllib.loads(read_text(path, field=field, most=most))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path} is not valid TOML: {error}", field=field) from None


def read_text(path: Path, *, field: str = "", most: int = LARGEST) -> str:
    """The text of a file, which must be a regular one of a reasonable size."""
    try:
        with open(os.open(path, _OPENING), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InputError(f"{path} is not a regular file", field=field)
            raw = file.read(most + 1)
        if len(raw) > most:
            raise InputError(f"{path} is larger than {most // 2**10:,} KiB", field=field)
        if any(len(line) > LONGEST_LINE for line in raw.splitlines()):
            problem = f"{path} has a line of more than {LONGEST_LINE:,} bytes"
            raise InputError(problem, field=field)
        return raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(path, error, field=field) from None


def unreadable(path: Path, error: OSError | UnicodeDecodeError, *, field: str = "") -> InputError:
    """The error for a file that cannot be read as text, in words."""
    if isinstance(error, UnicodeDecodeError):
        return InputError(f"{path} is not UTF-8 text", field=field)
    return InputError(f"cannot read {path}: {error.strerror or error}", field=field)


def read_table(table: object, where: str) -> dict[str, Any]:
    """The table; raises if the value is anything else."""
    if not isinstance(table, dict):
        raise InputError(f"{where} must be a table, not {table!r}")
    return table


def read_fields(table: object, kinds: Kinds, where: str) -> dict[str, Any]:
    """The values of a table, all with known names and of the right kind."""
    fields = read_table(table, where)
    for name, value in fields.items():
        if name not in kinds:
            raise InputError(f"{where}: {UnknownNameError('setting', name, kinds)}")
        check_kind(name, value, kinds[name], f"{where}: ")
    return fields


def check_kind(name: str, value: object, kind: type, where: str = "") -> None:
    """Raises if a value is not of its kind; whole numbers are numbers, truth values are not."""
    if not _is_kind(value, kind):
        problem = f"{where}{name} must be {_NOUNS[kind]}, not {value!r}"
        raise InputError(problem, field="" if where else name)


def _is_kind(value: object, kind: type) -> bool:
    if kind is list:
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if isinstance(value, bool) or kind is bool:
        return isinstance(value, bool) and kind is bool
    return isinstance(value, kind) or (kind is float and isinstance(value, int))
