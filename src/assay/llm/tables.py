"""TOML files and their tables, with one clear line for whatever is wrong in them."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.core.errors import InputError, UnknownNameError

Kinds = Mapping[str, type]

_WORDS = {
    str: "a text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list of texts",
}


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file holds."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not valid TOML: {error}") from None


def read_table(table: object, where: str) -> dict[str, Any]:
    """The table itself; anything else in its place raises."""
    if not isinstance(table, dict):
        raise InputError(f"{where} must be a table, not {table!r}")
    return table


def read_fields(table: object, kinds: Kinds, where: str) -> dict[str, Any]:
    """The values of a table, all of them known and of their kind; a whole number is a number."""
    fields = read_table(table, where)
    for name, value in fields.items():
        if name not in kinds:
            raise InputError(f"{where}: {UnknownNameError('setting', name, kinds)}")
        if not _is_kind(value, kinds[name]):
            raise InputError(f"{where}: '{name}' must be {_WORDS[kinds[name]]}, not {value!r}")
    return fields


def _is_kind(value: object, kind: type) -> bool:
    if kind is list:
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if isinstance(value, bool) or kind is bool:
        return isinstance(value, bool) and kind is bool
    return isinstance(value, kind) or (kind is float and isinstance(value, int))
