"""The types of what scripts read, made from the classes of which it is the JSON."""

import json
import shutil
import subprocess
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from assay.report.evaluation.page import ListedItem, ListedVerdict
from assay.report.pages.badges import Badge
from assay.report.pages.page import IndexRow
from assay.report.pages.responses import PageResponse
from assay.report.pages.texts import Gap, PageSource, Replaced
from assay.report.pages.views import (
    ExternalView,
    FailureView,
    InterpretationView,
    PersonView,
    Quote,
    UnitView,
)
from assay.report.site.records import JudgementView, SiteRow, SourcePlace

RECORDS = (
    Badge, ExternalView, FailureView, Gap, InterpretationView, JudgementView, PageResponse,
    PageSource, PersonView, Quote, Replaced, SiteRow, SourcePlace, UnitView,
)  # fmt: skip
ROWS = (IndexRow, ListedItem, ListedVerdict)
_PLAIN = {str: "string", int: "number", float: "number", bool: "1", Badge: "number"}


def declarations() -> str:
    """TypeScript for all records: what has its default is left out; and rows, which have it all."""
    whole = [f"interface {each.__name__} {{{_members(each, '?')}}}" for each in RECORDS]
    rows = [f"interface {each.__name__} {{{_members(each, '')}}}" for each in ROWS]
    return "\n".join((*whole, *rows))


def _members(kind: Any, mark: str) -> str:
    hints = get_type_hints(kind)
    if is_dataclass(kind):
        sent = [each for each in fields(kind) if each.metadata.get("sent", True)]
        optional = {each.name: each.default is not MISSING for each in sent}
    else:
        optional = {name: name in kind._field_defaults for name in kind._fields}
    return " ".join(
        f"{name}{mark if can_lack else ''}: {_type(hints[name], can_lack)};"
        for name, can_lack in optional.items()
    )


def _type(hint: Any, can_lack: bool) -> str:
    if get_origin(hint) is tuple:
        parts = get_args(hint)
        if parts[-1] is Ellipsis:
            return f"({_type(parts[0], False)})[]"
        return f"[{', '.join(_type(each, False) for each in parts)}]"
    if isinstance(hint, UnionType):
        wanted = (each for each in get_args(hint) if each is not NoneType or not can_lack)
        return " | ".join(_type(each, False) for each in wanted)
    if hint is NoneType:
        return "null"
    return _PLAIN.get(hint) or str(hint.__name__)


def complaints(scripts: list[Path], folder: Path) -> str:
    """What the TypeScript compiler says of scripts that are read one after the other."""
    compiler = shutil.which("tsc")
    if compiler is None:
        pytest.skip("there is no TypeScript compiler here: npm install --global typescript")
    options = {
        "allowJs": True,
        "checkJs": True,
        "noEmit": True,
        "strict": True,
        "target": "es2024",
        "lib": ["es2024", "dom", "dom.iterable"],
        "types": [],
    }
    types = folder / "records.d.ts"
    types.write_text(declarations())
    config = folder / "tsconfig.json"
    names = [str(each) for each in (types, *scripts)]
    config.write_text(json.dumps({"compilerOptions": options, "files": names}))
    asked = [compiler, "--project", str(config)]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout
