"""SQLite is spoken to in three places only."""

import ast
from pathlib import Path

import pytest

import assay

SOURCE = Path(str(assay.__file__)).parent
ALLOWED = ("store", "knowledge", "llm/cache.py", "core/locking.py")
MODULES = ("sqlite3", "_sqlite3", "sqlalchemy.dialects.sqlite.pysqlite")


def imports_sqlite(code: str) -> bool:
    """Whether a module imports sqlite3, in whatever form."""
    return any(_names_sqlite(node) for node in ast.walk(ast.parse(code)))


def _names_sqlite(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(_is_sqlite(each.name) for each in node.names)
    if isinstance(node, ast.ImportFrom):
        return not node.level and _is_sqlite(node.module or "")
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
        name = called.id if isinstance(called, ast.Name) else called
        first = node.args[0].value
        return name in ("import_module", "__import__") and _is_sqlite(str(first))
    return False


def _is_sqlite(module: str) -> bool:
    return module in MODULES or module.startswith("sqlite3.")


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


def test_nothing_outside_the_store_the_knowledge_the_cache_and_the_locks_imports_sqlite() -> None:
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if imports_sqlite(path.read_text(encoding="utf-8"))
    }
    assert found  # the guard sees what there is
    assert not {each for each in found if not each.startswith(ALLOWED)}
