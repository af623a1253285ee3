"""What docstrings and the training page say can be run: doctests, and the options of commands."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.soak

pytest.importorskip("torch", reason="training needs the 'train' extra: pip install 'assay[train]'")

FOLDER = Path(__file__).resolve().parents[2] / "training"
MODULES = sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))
COMMANDS = sorted(p.stem for p in FOLDER.glob("*.py") if "def main(" in p.read_text("utf-8"))


@pytest.mark.parametrize("name", MODULES)
def test_doctests_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"training.{name}")).failed == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_documented_options_exist(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module = importlib.import_module(f"training.{name}")
    with pytest.raises(SystemExit):
        module.main(["--help"])
    usage = capsys.readouterr().out.split("\n\n")[0]
    page = (FOLDER / "README.md").read_text("utf-8")
    documented = [module.__doc__ or "", *re.findall(rf"`python -m training\.{name} (.*?)`", page)]
    assert len(documented) == 2 + 2 * (name == "train")
    assert f"python -m training.{name} " in documented[0]
    for option in re.findall(r"--[a-z-]+", " ".join(documented)):
        assert re.search(rf"{option}\b", usage), option
