"""What docs/papers.md names exists: modules, functions, commands, options, detectors, corpora."""

import importlib
import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from assay.datasets.corpus import CORPORA
from assay.detectors.registry import DetectorSpec
from assay.evaluation.reproduce import TABLES
from tests.test_documentation import COMMANDS, ROOT, page

ROWS = [
    [cell.strip() for cell in line.strip("| ").split(" | ")]
    for line in page("papers.md").splitlines()
    if line.startswith("| ") and not line.startswith("| what")
]
CODE = re.compile(r"`([^`]+)`")
CALLS = sorted({code for row in ROWS for code in CODE.findall(row[2]) if code.startswith("assay ")})
EVERY_CALL = sorted({each for each in CODE.findall(page("papers.md")) if each.startswith("assay ")})
NAMES = sorted({code for row in ROWS for code in CODE.findall(row[2]) if "(" in code})
PLACES = sorted({code for row in ROWS for code in CODE.findall(row[1])})
STAND_INS = ("DATA", "FILE", "PROMPT", "M", "M2")
PROMPT = "prompt=PROMPT"


def test_every_row_has_four_cells_and_says_how_or_that_it_is_missing() -> None:
    assert len(ROWS) > 80
    assert [row for row in ROWS if len(row) != 4 or not all(row)] == []
    unsaid = [row for row in ROWS if not CODE.search(row[2]) and row[2] != "not yet"]
    assert [row for row in unsaid if "plugins.md" not in row[2]] == []


@pytest.mark.parametrize("place", PLACES)
def test_every_module_exists(place: str) -> None:
    assert (ROOT / "src" / "assay" / place).exists() or Path(ROOT / place).exists()


@pytest.mark.parametrize("call", NAMES)
def test_every_function_exists(call: str) -> None:
    module, _, name = call.partition("(")[0].rpartition(".")
    assert callable(getattr(importlib.import_module(module), name))


def command_of(call: str) -> str:
    return max((each for each in COMMANDS if f"{call} ".startswith(f"{each} ")), key=len)


@pytest.mark.parametrize("call", EVERY_CALL)
def test_every_command_is_complete(call: str) -> None:
    name = command_of(call)
    given = shlex.split(call)[len(name.split()) :]
    COMMANDS[name].make_context(name, given).close()  # raises for what is missing or unknown


def test_a_command_without_its_arguments_is_not_complete() -> None:
    with pytest.raises(Exception, match="Missing parameter: dataset"):
        test_every_command_is_complete("assay audit flag --preset annotation-errors")
    with pytest.raises(Exception, match="No such option"):
        test_every_command_is_complete("assay audit flag DATA overlap --presets x")


@pytest.mark.parametrize("call", CALLS)
def test_every_command_exists_with_its_options_and_names(call: str) -> None:
    words = shlex.split(call)
    name = command_of(call)
    options = {option for each in COMMANDS[name].params for option in each.opts}
    given = words[len(name.split()) :]
    assert [word for word in given if word.startswith("--") and word not in options] == []
    after = dict(pairwise(given))
    for option in ("--detector", "--binary"):
        if detector := after.get(option):
            assert DetectorSpec(detector.replace(PROMPT, "").rstrip(":,")).capabilities
    assert after.get("--dataset", "verigray") in CORPORA
    if name in ("assay run", "assay data stats", "assay data show", "assay data changes"):
        corpora = [word for word in given if not word.startswith("-")][:1]
        assert all(word in CORPORA or word in STAND_INS for word in corpora)
    if name == "assay reproduce":
        assert set(given) <= set(TABLES)
