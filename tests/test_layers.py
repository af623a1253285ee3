"""Who may import whom, what `import assay` costs, and how long a file may get."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import assay

SOURCE = Path(__file__).resolve().parents[1] / "src"
PACKAGE = SOURCE / "assay"
MODULES = sorted(PACKAGE.rglob("*.py"))
PACKAGES = sorted(each.parent.name for each in PACKAGE.glob("*/__init__.py"))

_DETECTORS = {"core", "text", "llm", "knowledge", "models"}
_ENGINE = {*_DETECTORS, "detectors", "datasets", "store"}
_EVALUATION = {*_DETECTORS, "detectors", "datasets", "metrics", "store"}
_MADE = {"decisions", "bench", "audit", "board", "error_analysis"}
_FOLDING = {
    "core",
    "text",
    "metrics",
    "datasets",
    "llm",
    "detectors",
    "evaluation",
    "decisions",
}

# What each package may import of ours, beside itself (DESIGN.md, section 2; decision 10).
LAYERS: dict[str, set[str]] = {
    "core": set(),
    "text": {"core"},
    "metrics": set(),
    "datasets": {"core"},
    "llm": {"core"},
    "models": {"core"},
    "knowledge": {"core", "text"},
    "store": {"core"},
    "detectors": _DETECTORS,
    "engine": _ENGINE,
    "evaluation": _EVALUATION,
    "decisions": {"core", "metrics"},  # what people decide about proposals
    "error_analysis": {*_EVALUATION, "evaluation", "decisions"},  # what detectors miss, and why
    "annotation": {*_ENGINE, *_EVALUATION, "engine", "evaluation", *_MADE},
    "bench": _FOLDING,
    "audit": _FOLDING,
    "board": _FOLDING,
    "report": {"core", "text", "metrics", "datasets", "evaluation", "engine", *_MADE},
    "app": {*_ENGINE, *_EVALUATION, "engine", "evaluation", "report", *_MADE, "annotation"},
    "web": {"core"},  # what the studio and the service share
    "studio": {"core", "app", "annotation", "report", "web"},
    "service": {"core", "app", "report", "web"},
    "client": {"core", "datasets", "app"},
    "integrations": {"core", "app"},
    "cli": {"core", "app", "annotation", "report", "service", "studio"},
    "testing": {"core", "app", "report"},
}
# Translators may also import what every user may: the public names of `assay` itself.
TRANSLATORS = {"cli", "integrations", "service", "studio", "testing"}

# Packages beyond the standard library that core needs, and only where.
CORE_NEEDS = {name: {"msgspec"} for name in ("codec.py", "records.py", "wire.py")}
for name in ("exporting.py", "traces.py"):
    CORE_NEEDS[name] = {"opentelemetry"}  # only where the user has it, or asks for it
CORE_NEEDS["object_stores.py"] = {"fsspec"}  # only where a name is of an object store

HEAVY = {
    "fsspec",
    "aiohttp",
    "alembic",
    "asyncio",
    "bm25s",
    "click",
    "fastapi",
    "haystack",
    "jinja2",
    "langchain_core",
    "llama_index",
    "msgspec",
    "numpy",
    "opentelemetry",
    "prometheus_client",
    "pyarrow",
    "ray",
    "rich",
    "scipy",
    "sentencex",
    "sqlalchemy",
    "threadpoolctl",
    "tiktoken",
    "torch",
}
MOST_LINES = 400
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def imported(tree: ast.AST) -> Iterator[str]:
    """The dotted names that some code imports, in whatever form, at the top or inside."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and _name_of(node.func) in ("import_module", "__import__"):
            yield from _beginnings(node.args[:1])


def _name_of(function: ast.expr) -> str:
    return getattr(function, "id", "") or getattr(function, "attr", "")


def _beginnings(arguments: Iterable[ast.expr]) -> Iterator[str]:
    """The text of an argument, or how a formatted one begins."""
    for each in arguments:
        first = each.values[0] if isinstance(each, ast.JoinedStr) and each.values else each
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value


def packages_of(names: Iterable[str], *, is_translator: bool = False) -> set[str]:
    """Our packages among some imported names; a public name of `assay` counts as its home."""
    found = set()
    for name in names:
        root, _, rest = name.partition(".")
        if root != "assay" or not rest:
            continue
        home = assay._HOMES.get(rest)
        if home is None:
            found.add(rest.split(".")[0])
        elif not is_translator:
            found.add(home.split(".")[0])
    return found - {"__version__"}


def breaches(package: str, code: str) -> set[str]:
    """The packages that code of one package imports and may not."""
    names = imported(ast.parse(code))
    found = packages_of(names, is_translator=package in TRANSLATORS)
    return found - LAYERS[package] - {package}


def top_level_imports(tree: ast.Module) -> Iterator[ast.stmt]:
    """The imports that run when a module is imported: not those of functions or for types."""
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node


def import_graph(files: dict[str, str]) -> dict[str, set[str]]:
    """Which of some modules, by dotted name, import which others when they are imported."""
    graph: dict[str, set[str]] = {}
    for name, code in files.items():
        names = set()
        for node in top_level_imports(ast.parse(code)):
            for each in imported(node):
                module = each
                while module and module not in files:
                    module = module.rpartition(".")[0]
                if module and module != name:
                    names.add(module)
        graph[name] = names
    return graph


def circle_in(graph: dict[str, set[str]]) -> list[str]:
    """The modules of one circle of imports, or nothing."""
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> list[str]:
        if name in path:
            return path[path.index(name) :]
        if name in done:
            return []
        for other in sorted(graph[name]):
            found = visit(other, [*path, name])
            if found:
                return found
        done.add(name)
        return []

    return next((found for name in sorted(graph) if (found := visit(name, []))), [])


def test_every_package_has_its_layer() -> None:
    assert set(PACKAGES) == set(LAYERS)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_module_imports_only_the_layers_below(path: Path) -> None:
    package = path.relative_to(PACKAGE).parts[0]
    if package in PACKAGES:
        assert breaches(package, path.read_text("utf-8")) == set()


@pytest.mark.parametrize(
    "code",
    [
        "import assay.cli",
        "import assay.cli.check as it",
        "from assay import cli",
        "from assay import cli, report",
        "from assay import check",
        "from assay.report import page",
        "from assay.report.pages.page import PageWriter",
        "def f():\n    from assay.app import check",
        "if TYPE_CHECKING:\n    from assay.evaluation import gold",
        "import_module('assay.cli.check')",
        "importlib.import_module(f'assay.cli.{name}')",
        "__import__('assay.datasets')",
    ],
)
def test_every_form_of_import_from_a_layer_above_is_noticed(code: str) -> None:
    assert breaches("core", code)


def test_translator_may_import_public_names_and_no_other_package() -> None:
    assert breaches("cli", "from assay import DataChoice, check, __version__") == set()
    assert breaches("cli", "from assay.datasets.selection import DataChoice") == {"datasets"}
    assert breaches("cli", "from assay import datasets") == {"datasets"}


def test_layers_have_no_circle() -> None:
    assert circle_in(LAYERS) == []


def test_modules_import_each_other_in_no_circle() -> None:
    files = {_dotted(path): path.read_text("utf-8") for path in MODULES}
    assert circle_in(import_graph(files)) == []


def test_circle_of_modules_is_noticed() -> None:
    files = {
        "assay.core.a": "from assay.core import b",
        "assay.core.b": "import assay.core.c",
        "assay.core.c": "from assay.core.a import x",
        "assay.core.d": "def f():\n    import assay.core.d",
    }
    found = circle_in(import_graph(files))
    assert sorted(found) == ["assay.core.a", "assay.core.b", "assay.core.c"]


def _dotted(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def test_core_needs_only_the_standard_library_and_the_codec_msgspec() -> None:
    for path in (PACKAGE / "core").rglob("*.py"):
        roots = {name.split(".")[0] for name in imported(ast.parse(path.read_text("utf-8")))}
        others = roots - {"assay"} - sys.stdlib_module_names
        assert others <= CORE_NEEDS.get(path.name, set()), path


def test_import_of_assay_loads_nothing_heavy() -> None:
    code = "import sys, assay; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert HEAVY & set(run.stdout.split()) == set()


def test_public_names_can_be_imported_and_are_all_there() -> None:
    assert all(getattr(assay, name) is not None for name in dir(assay))
    with pytest.raises(AttributeError, match="has no attribute 'chek'"):
        _ = assay.chek  # type: ignore[attr-defined]


def test_no_file_grows_too_long() -> None:
    lengths = {str(path): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {path: lines for path, lines in lengths.items() if lines > MOST_LINES} == {}


def test_every_module_says_what_it_is() -> None:
    silent = [path for path in MODULES if not ast.get_docstring(ast.parse(path.read_text("utf-8")))]
    assert silent == []


def test_no_message_below_the_command_line_names_an_option() -> None:
    named = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}: {node.value}"
        for path in MODULES
        if path.relative_to(PACKAGE).parts[0] not in ("cli", "testing")
        for node in ast.walk(_without_docstrings(ast.parse(path.read_text("utf-8"))))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if _OPTION.search(node.value)
    ]
    assert named == []


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                first.value = ast.Constant(value=None)
    return tree
