"""`make pythons`: the tests of what reads text, on the oldest and the newest Python found here.

The oldest gets the lowest versions of our dependencies that pyproject.toml allows, the newest the
latest. Each has an environment of its own in .venv/pythons, which is kept for the next time.
"""

import os
import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TESTS = ("core", "text", "llm", "detectors/judges", "cli/test_help.py")
EXTRAS = ("otel", "pandas")  # these tests import them
TOOLS = ("hypothesis", "jsonschema", "pytest")
# A Python built without these modules, or an unfinished one, cannot show anything.
ASK = "import sys, sqlite3, ssl, venv; print(*sys.version_info[:4])"

Version = tuple[int, ...]
Versions = Literal["lowest", "latest"]


def version(text: str) -> Version:
    """A version in the order of versions.

    >>> version("3.9") < version("3.11")
    True
    """
    return tuple(map(int, text.split(".")))


def lowest(requirement: str) -> str:
    """The lowest version that a requirement allows, as a constraint.

    >>> lowest("sentencex>=1.0.30,<2")
    'sentencex==1.0.30'
    """
    found = re.match(r"([\w.-]+)>=([\w.]+)", requirement)
    if not found:
        sys.exit(f"pyproject.toml allows any version, however old: {requirement}")
    return "{}=={}".format(*found.groups())


def find_pythons() -> dict[Version, Path]:
    """The finished Pythons of this machine that Assay promises to run on, the oldest first."""
    folders = [*os.get_exec_path(), "/usr/bin", "/usr/local/bin"]
    folders += map(str, Path.home().glob(".pyenv/versions/*/bin"))
    at_least = version(PROJECT["requires-python"].removeprefix(">="))
    found: dict[Version, Path] = {}
    for path in chain.from_iterable(Path(each).glob("python3.*") for each in folders):
        if not re.fullmatch(r"python3\.\d+", path.name) or version(path.name[6:]) < at_least:
            continue
        told = subprocess.run([path, "-c", ASK], capture_output=True, text=True, check=False)
        *numbers, level = told.stdout.split() or [""]
        if level == "final":
            found.setdefault(tuple(map(int, numbers)), path)
    return dict(sorted(found.items()))


def environment(python: Path, name: str, versions: Versions) -> Path:
    """The Python of an environment that has what the tests need, made if it is not there yet."""
    folder = ROOT / ".venv" / "pythons" / name
    optional = PROJECT["optional-dependencies"]
    ours = [*PROJECT["dependencies"], *chain.from_iterable(optional[each] for each in EXTRAS)]
    wanted = "\n".join(map(lowest, ours) if versions == "lowest" else ours)
    installed, own = folder / "installed.txt", folder / "bin" / "python"
    if installed.exists() and installed.read_text(encoding="utf-8") == wanted:
        return own
    run(python, "-m", "venv", "--clear", "--without-pip", folder)  # Debian's has no pip to give
    constraints = folder / "constraints.txt"
    constraints.write_text(wanted, encoding="utf-8")
    pip = (sys.executable, "-m", "pip", "--python", own, "--disable-pip-version-check")
    run(*pip, "install", "-q", "-c", constraints, "-e", f".[{','.join(EXTRAS)}]", *TOOLS)
    constraints.rename(installed)
    return own


def run(*command: object) -> str:
    """What a command printed; raises if it failed."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=ROOT,
        text=True,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def outcome(python: Path, name: str, versions: Versions) -> tuple[bool, str]:
    """Whether all tests pass on one Python, and the words for it."""
    who = f"Python {name} with the {versions} versions of dependencies"
    brief = ("-p", "no:cacheprovider", "--hypothesis-profile=brief")
    try:
        own = environment(python, f"{name}-{versions}", versions)
        said = run(own, "-m", "pytest", *brief, *(f"tests/{each}" for each in TESTS))
    except RuntimeError as error:
        return False, f"{who}: failed\n{error}"
    return True, f"{who}: {said.splitlines()[-1]}"


def main() -> None:
    """Runs both side by side, and says which Pythons were run and which were not found."""
    found = find_pythons()
    if not found:
        sys.exit(f"no Python {PROJECT['requires-python']} was found")
    names = {path: ".".join(map(str, each)) for each, path in found.items()}
    print(f"Found Python {', '.join(names.values())}", flush=True)
    oldest, *_, newest = [*names.items()] * 2
    with ThreadPoolExecutor(2) as both:
        runs = [
            both.submit(outcome, *oldest, "lowest"),
            both.submit(outcome, *newest, "latest"),
        ]
    for each in runs:
        print(each.result()[1])
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    missing = [each for each in promised if version(each) not in {one[:2] for one in found}]
    if missing:
        print(f"Not found on this machine: Python {', '.join(missing)}")
    sys.exit(not all(each.result()[0] for each in runs))


if __name__ == "__main__":
    main()
