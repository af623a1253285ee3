"""The package of docs/plugins.md, installed as pip does it and used by its names."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.loopback import Loopback

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
ADDRESS = "https://models.example.org/v1"

# A build backend that needs nothing: pip asks it for a wheel of the one package that is here.
BACKEND = """
import tomllib, zipfile
from pathlib import Path

def build_wheel(folder, settings=None, metadata=None):
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    about = f"{name}-{version}.dist-info"
    groups = project["entry-points"].items()
    files = {str(path): path.read_text() for path in sorted(Path(name).rglob("*.py"))}
    files[f"{about}/METADATA"] = (
        f"Metadata-Version: 2.1\\nName: {project['name']}\\nVersion: {version}\\n"
    )
    files[f"{about}/WHEEL"] = (
        "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    )
    files[f"{about}/entry_points.txt"] = "\\n".join(
        f"[{group}]\\n" + "\\n".join(f"{key} = {value}" for key, value in points.items()) + "\\n"
        for group, points in groups
    )
    record = "".join(f"{path},,\\n" for path in [*files, f"{about}/RECORD"])
    files[f"{about}/RECORD"] = record
    wheel = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder, wheel), "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel
"""


def blocks(language: str) -> list[str]:
    """The code blocks of the page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def install(folder: Path, modules: dict[str, str], project: str) -> Path:
    """Builds a package, installs it into a folder of its own, and returns that."""
    package = folder / "package"
    for name, code in modules.items():
        path = package / f"{name.replace('.', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(code, encoding="utf-8")
    own = '\n[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    (package / "pyproject.toml").write_text(project + own, encoding="utf-8")
    (package / "backend.py").write_text(BACKEND, encoding="utf-8")
    target = folder / "installed"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    offline = ("--no-deps", "--no-index", "--no-build-isolation")
    done = subprocess.run(
        [*pip, *offline, "--target", str(target), str(package)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module")
def modules() -> dict[str, str]:
    """The modules of the page by name, in the order of its entry points."""
    (project,) = blocks("toml")
    groups = tomllib.loads(project)["project"]["entry-points"]
    names = [point.partition(":")[0] for group in groups.values() for point in group.values()]
    return dict(zip(names, blocks("python"), strict=True))


Call = Callable[..., str]


@pytest.fixture
def call(tmp_path: Path, modules: dict[str, str], server: Loopback) -> Call:
    """Calls Python with the package of the page; its provider is our server."""
    assert sum(ADDRESS in code for code in modules.values()) == 1
    there = {name: code.replace(ADDRESS, server.url) for name, code in modules.items()}
    installed = install(tmp_path, there, blocks("toml")[0])
    return caller(tmp_path, installed)


def caller(folder: Path, installed: Path) -> Call:
    def call(*arguments: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(installed), "ACME_KEY": "a-key"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=300,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout if code == 0 else done.stderr

    return call


def test_everything_that_a_package_offers_is_used_by_its_name(
    call: Call, server: Loopback, tmp_path: Path
) -> None:
    rows = [{"source": "The ferry sank in 1986.", "response": "It sank. " + "It sank and " * 9}]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    corpus = tmp_path / "corpora" / "acme-tickets"
    corpus.mkdir(parents=True)
    (corpus / "tickets.csv").write_text(
        "id,ticket,answer,good,who\n1,It is broken.,It is broken.,1,ann\n"
        "2,It is broken.,It works as well as it ever did.,0,ann\n3,Hm.,Hm.,,ann\n",
        encoding="utf-8",
    )
    (tmp_path / "labelled.csv").write_text(
        "source,response,light\nIt sat.,It sat.,green\nIt sat.,It ran.,red\n", encoding="utf-8"
    )

    assert "acme-length" in call("-m", "assay", "detectors", "list")
    assert "acme-tickets" in call("-m", "assay", "data", "list")
    length = ("--detector", "acme-length")
    checked = json.loads(call("-m", "assay", "check", "answers.jsonl", *length, "--json"))
    labels = [unit["verdict"]["label"] for unit in checked["judgements"][0]["units"]]
    assert labels == ["faithful", "unfaithful"]

    at = ("--data", "corpora")
    evaluated = call("-m", "assay", "evaluate", "acme-length", "--dataset", "acme-tickets", *at)
    assert "acme-length" in evaluated
    judge = ("--detector", "judge-simple", "--model", "acme/large-1", "--json", "--quiet")
    run = json.loads(call("-m", "assay", "run", "acme-tickets", *judge, *at))
    assert (run["done"], run["labels"]) == (2, {"faithful": 2})
    assert server.calls == 2
    taxonomy = ("--label-field", "light", "--label-taxonomy", "acme3")
    stats = call("-m", "assay", "data", "stats", "labelled.csv", *taxonomy)
    assert "green" in stats
    assert "red" in stats


PROGRAM = """
from assay import DataChoice, check, evaluate, reading, run, taxonomy
report = check("The cat sat.", "It sat.", detector="acme-length")
assert report.label == "faithful", report.label
assert report.detector == "acme-length"
assert taxonomy("acme3")["ok"] == "green"
assert check("The cat sat.", "It sat.", detector="judge-simple", model="acme/x").label == "faithful"
outcome = run("rows.jsonl", detector="acme-length")
assert outcome.summary.totals.labels == {"faithful": 1}, outcome.summary
"""


def test_everything_that_a_package_offers_is_used_from_python(
    call: Call, server: Loopback, tmp_path: Path
) -> None:
    row = {"source": "The cat sat.", "response": "It sat."}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    call("-c", PROGRAM)
    assert server.calls == 1


def test_plugin_that_cannot_be_used_ends_its_command_with_one_line(tmp_path: Path) -> None:
    project = (
        '[project]\nname = "bad-assay"\nversion = "1.0"\n'
        '[project.entry-points."assay.detectors"]\n'
        'broken = "bad_assay.broken:X"\nwrong = "bad_assay.wrong:X"\n'
        'overlap = "bad_assay.wrong:X"\n'
    )
    modules = {"bad_assay.broken": "import nowhere\n", "bad_assay.wrong": "X = 5\n"}
    call = caller(tmp_path, install(tmp_path, modules, project))
    row = {"source": "The cat sat.", "response": "It sat."}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    check = ("-m", "assay", "check", "rows.jsonl", "--detector")
    broken = call(*check, "broken", code=2)
    assert "the plugin 'broken' of bad-assay cannot be loaded" in broken
    assert broken.count("\n") == 1
    assert "is not a DetectorType, but of type int" in call(*check, "wrong", code=2)
    call(*check, "overlap")  # ours stays ours
