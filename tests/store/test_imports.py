"""SQLite is spoken to in three places only, and SQLAlchemy in the store only."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import assay

SOURCE = Path(str(assay.__file__)).parent
ALLOWED = (
    "store",
    "knowledge",
    "llm/calls/cache.py",
    "core/system/locks.py",
    "evaluation/set_aside.py",
)
MODULES = ("sqlite3", "_sqlite3", "sqlalchemy.dialects.sqlite.pysqlite")


def imported(code: str) -> Iterator[str]:
    """The modules and names that some code imports, in whatever form."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
            name = called.id if isinstance(called, ast.Name) else called
            if name in ("import_module", "__import__"):
                yield str(node.args[0].value)


def imports_sqlite(code: str) -> bool:
    return any(each in MODULES or each.startswith("sqlite3.") for each in imported(code))


def imports_sqlalchemy(code: str) -> bool:
    return any(each.partition(".")[0] == "sqlalchemy" for each in imported(code))


def importing(imports: Callable[[str], bool]) -> set[str]:
    return {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if imports(path.read_text(encoding="utf-8"))
    }


@pytest.mark.parametrize(
    "code",
    [
        "import sqlite3",
        "import os, sqlite3 as database",
        "from sqlite3 import connect",
        "import sqlite3.dbapi2",
        "def f():\n    import sqlite3",
        "from importlib import import_module\nimport_module('sqlite3')",
        "import importlib\nimportlib.import_module('sqlite3')",
        "__import__('sqlite3')",
    ],
)
def test_every_form_of_import_is_noticed(code: str) -> None:
    assert imports_sqlite(code)


@pytest.mark.parametrize("code", ["from .sqlite3 import x", "import os", "print('sqlite3')"])
def test_what_is_no_import_of_it_is_not(code: str) -> None:
    assert not imports_sqlite(code)


def test_nothing_but_stores_caches_locks_and_what_is_set_aside_imports_sqlite() -> None:
    found = importing(imports_sqlite)
    assert found  # the guard sees what there is
    assert not {each for each in found if not each.startswith(ALLOWED)}


@pytest.mark.parametrize(
    "code",
    [
        "import sqlalchemy as sa",
        "from sqlalchemy import select",
        "from sqlalchemy.dialects import sqlite",
        "def f():\n    from sqlalchemy import Row",
        "if TYPE_CHECKING:\n    from sqlalchemy import Connection",
    ],
)
def test_every_import_of_sqlalchemy_is_noticed(code: str) -> None:
    assert imports_sqlalchemy(code)


def test_nothing_outside_the_store_imports_sqlalchemy_or_its_tables() -> None:
    found = importing(imports_sqlalchemy)
    assert found
    assert not {each for each in found if not each.startswith("store/")}
    tables = {"assay.store.tables", "assay.store.annotation.tables"}
    reaching = importing(lambda code: not tables.isdisjoint(imported(code)))
    assert not {each for each in reaching if not each.startswith("store/")}
