"""The pictures of the README are made from the shipped example."""

import importlib.util
import shutil
from pathlib import Path

import pytest

pytestmark = pytest.mark.soak

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "docs" / "images" / "make.py"
MOST = 200_000  # bytes


@pytest.mark.browser
def test_script_makes_a_light_and_a_dark_picture(tmp_path: Path) -> None:
    if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
        pytest.skip("there is no Chromium here: install chromium or google-chrome")
    spec = importlib.util.spec_from_file_location("make_pictures", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    light, dark = module.make_pictures(tmp_path)
    assert module.CHOSEN in (ROOT / "examples" / "summary.txt").read_text("utf-8")
    assert [light.name, dark.name] == ["check.png", "check-dark.png"]
    assert light.read_bytes() != dark.read_bytes()
    for picture in (light, dark):
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert picture.stat().st_size < MOST


def test_picture_shows_the_example_of_the_demo() -> None:
    demo = (ROOT / "Makefile").read_text("utf-8")
    script = SCRIPT.read_text("utf-8")
    for name in ("article.txt", "summary.txt"):
        assert f"examples/{name}" in demo
        assert f'EXAMPLES / "{name}"' in script
    assert "answers.jsonl" not in script


def test_pictures_are_there_and_small_and_a_command_makes_them() -> None:
    for name in ("check.png", "check-dark.png"):
        assert 10_000 < (SCRIPT.parent / name).stat().st_size < MOST
    assert "picture:" in (ROOT / "Makefile").read_text("utf-8")
