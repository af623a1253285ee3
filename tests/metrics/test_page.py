"""docs/metrics.md names every metric, and nothing else of ours is imported."""

import ast
from pathlib import Path

import pytest

import assay.metrics

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
MODULES = sorted((ROOT / "src" / "assay" / "metrics").glob("*.py"))


@pytest.mark.parametrize("name", assay.metrics.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert f"`{name}" in PAGE


@pytest.mark.parametrize("name", [x for x in vars(assay.metrics.rates) if x[0].islower()])
def test_every_rate_is_documented(name: str) -> None:
    function = getattr(assay.metrics.rates, name)
    if getattr(function, "__module__", "") == "assay.metrics.rates":
        assert f"`{name}`" in PAGE


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_metrics_import_numpy_and_themselves_only(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    froms = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = [a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names]
    roots = {".".join(name.split(".")[:2]) for name in froms + names}
    ours = {name for name in roots if name.startswith("assay")}
    assert ours <= {"assay.metrics"}
    assert not roots & {"scipy", "sklearn", "krippendorff", "pandas"}
