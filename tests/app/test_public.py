"""The public names of `assay`."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import assay

TREE = ast.parse(Path(str(assay.__file__)).read_text(encoding="utf-8"))


def declared() -> dict[str, str]:
    """What type checkers see: the names imported under TYPE_CHECKING, and from where."""
    found: dict[str, str] = {}
    for node in TREE.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for each in node.body:
                assert isinstance(each, ast.ImportFrom)
                if each.module == "types":
                    continue
                home = str(each.module).removeprefix("assay.")
                found.update({alias.asname or alias.name: home for alias in each.names})
    return found


def test_type_checkers_and_programs_see_the_same_names() -> None:
    assert declared() == assay._HOMES
    assert vars(assay)["__all__"] == sorted((*assay._HOMES, "__version__"))


def test_dir_shows_the_public_names_and_nothing_else() -> None:
    assert dir(assay) == vars(assay)["__all__"]
    assert {"check", "acheck", "check_each", "run", "evaluate", "compare", "localize"} <= set(
        dir(assay)
    )


@pytest.mark.parametrize("name", dir(assay))
def test_every_public_name_is_there_and_says_what_it_is(name: str) -> None:
    found = getattr(assay, name)
    if name not in ("__version__", "Outcome"):
        assert found.__doc__


def test_names_come_from_where_they_are_defined() -> None:
    for name, home in assay._HOMES.items():
        module = getattr(getattr(assay, name), "__module__", f"assay.{home}")
        if module.startswith("assay."):
            assert module in (f"assay.{home}", "assay.engine.request"), name


def test_unknown_name_is_an_ordinary_error() -> None:
    with pytest.raises(AttributeError, match="module 'assay' has no attribute 'chek'"):
        assay.chek  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(assay, "core_things")


def test_importing_the_package_imports_nothing_of_it() -> None:
    code = "import sys, assay; print(sorted(m for m in sys.modules if m.startswith('assay')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['assay']"


def test_functions_stay_functions_when_packages_of_their_names_are_imported() -> None:
    code = """
import assay, importlib, types
for name in ("engine.session", "evaluation.references", "app.localize"):
    importlib.import_module(f"assay.{name}")
from assay import compare, evaluate, localize, run
from assay.engine import session
from assay.evaluation.references import open_judgements
for each in (assay.run, assay.evaluate, run, evaluate, compare, localize):
    assert isinstance(each, types.FunctionType), each
assert isinstance(session, types.ModuleType)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_version_is_that_of_the_distribution() -> None:
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    assert f'version = "{assay.__version__}"' in project.read_text(encoding="utf-8")
