"""Who may import whom, what `import assay` costs, and how long a file may get."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "assay"
MODULES = sorted(PACKAGE.rglob("*.py"))

# What each package may import of ours, beside itself (DESIGN.md, section 2).
LAYERS: dict[str, set[str]] = {
    "core": set(),
    "text": {"core"},
    "metrics": set(),
    "datasets": {"core"},
    "llm": {"core"},
    "knowledge": {"core"},
    "store": {"core"},
    "detectors": {"core", "text", "llm", "knowledge"},
    "checking": {"core", "text", "datasets", "llm", "detectors"},
    "evaluate": {
        "core",
        "text",
        "metrics",
        "datasets",
        "llm",
        "knowledge",
        "store",
        "detectors",
        "checking",
    },
    "report": {"core", "metrics", "checking", "evaluate"},
    "cli": {
        "core",
        "text",
        "metrics",
        "datasets",
        "llm",
        "knowledge",
        "store",
        "detectors",
        "checking",
        "evaluate",
        "report",
    },
}
PACKAGES = sorted(each.parent.name for each in PACKAGE.glob("*/__init__.py"))
HEAVY = {
    "aiohttp",
    "bm25s",
    "jinja2",
    "numpy",
    "pyarrow",
    "rich",
    "sentencex",
    "tiktoken",
    "threadpoolctl",
    "typer",
}
MOST_LINES = 400


def imports(path: Path) -> Iterator[str]:
    """The full names of all modules that a file imports, at the top or inside."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield node.module or ""


def imported_packages(package: str) -> dict[str, Path]:
    """Our other packages that a package imports, each with a file that does."""
    found: dict[str, Path] = {}
    for path in (PACKAGE / package).rglob("*.py"):
        for name in imports(path):
            if name.startswith("assay."):
                found.setdefault(name.split(".")[1], path)
    found.pop(package, None)
    return found


def test_every_package_has_its_layer() -> None:
    assert set(PACKAGES) <= set(LAYERS)


@pytest.mark.parametrize("package", PACKAGES)
def test_package_imports_only_the_layers_below(package: str) -> None:
    found = imported_packages(package)
    above = {name: str(path) for name, path in found.items() if name not in LAYERS[package]}
    assert above == {}


def test_layers_have_no_circle() -> None:
    for package, below in LAYERS.items():
        assert all(package not in LAYERS[other] for other in below)


def test_core_needs_only_the_standard_library() -> None:
    roots = {
        name.split(".")[0] for path in (PACKAGE / "core").rglob("*.py") for name in imports(path)
    }
    assert roots - {"assay"} <= sys.stdlib_module_names


def test_import_of_assay_loads_nothing_heavy() -> None:
    code = "import sys, assay; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert HEAVY & set(run.stdout.split()) == set()


def test_public_names_can_be_imported_and_are_all_there() -> None:
    import assay

    assert all(getattr(assay, name) is not None for name in assay.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'chek'"):
        _ = assay.chek


def test_no_file_grows_too_long() -> None:
    lengths = {str(path): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {path: lines for path, lines in lengths.items() if lines > MOST_LINES} == {}


def test_every_module_says_what_it_is() -> None:
    silent = [path for path in MODULES if not ast.get_docstring(ast.parse(path.read_text("utf-8")))]
    assert silent == []
