"""The Python samples of the README and of the pages pass a strict type checker.

A block that cannot stand alone is marked as `python fragment`.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def samples() -> dict[str, str]:
    """The samples, by names that say which page they are on and where."""
    return {
        f"{page.stem.lower().replace('-', '_')}_sample_{number}": code
        for page in PAGES
        for number, code in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), start=1)
    }


def check_types(folder: Path, codes: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs mypy over all of them at once."""
    for name, code in codes.items():
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *sorted(map(str, folder.glob("*.py")))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
    )


def test_every_sample_passes_the_type_checker(tmp_path: Path) -> None:
    codes = samples()
    assert any(name.startswith("readme") for name in codes)
    assert len(codes) > 15
    done = check_types(tmp_path, codes)
    assert done.returncode == 0, done.stdout + done.stderr


def test_samples_with_an_error_do_not_pass(tmp_path: Path) -> None:
    wrong = "from assay import chek\n"
    done = check_types(tmp_path, {"wrong": wrong, "right": "from assay import check\n"})
    assert done.returncode == 1
    assert "wrong.py:1: error" in done.stdout
    assert "right.py" not in done.stdout


@pytest.mark.parametrize("name", ["readme_sample_1", "python_sample_1"])
def test_samples_go_through_a_text_without_verdicts(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = samples()[name]
    for english, foreign in (
        ("Ada was born in 1815.", "Die Fähre überquert seit 1986 jeden Abend die Meerenge."),
        ("Ada was born in 1852.", "Seit 1968 fährt die Fähre nachts nicht mehr über die Meerenge."),
    ):
        assert english in code
        code = code.replace(english, foreign)
    names: dict[str, Any] = {}
    exec(code, names)
    assert [each.failure.reason for each in names["report"].sentences] == ["language"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_of_python_are_samples_or_say_that_they_are_fragments(page: Path) -> None:
    marks = re.findall(r"^```(py\S*.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(marks) <= {"python", "python fragment"}
