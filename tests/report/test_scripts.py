"""The scripts of all pages: short, without HTML in texts, and with types that hold."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from assay.report.site.site import SCRIPTS, script_path
from tests.report.scripts import complaints, declarations

REPORT = Path(str(files("assay.report")))
SHARED = [REPORT / "templates/shared" / name for name in ("elements.js", "units.js")]
CHECK = [REPORT / "templates/check" / f"{name}.js" for name in ("data", "list", "response", "page")]
PAGES = {
    "check": [*SHARED, *CHECK],
    "evaluation": [SHARED[0], REPORT / "templates/evaluation/page.js"],
    "site": [Path(str(script_path(name))) for name in SCRIPTS],
}


def test_site_loads_all_its_scripts() -> None:
    own = {each.name for each in (REPORT / "site" / "static").glob("*.js")}
    assert own | {each.name for each in SHARED} == set(SCRIPTS)


@pytest.mark.parametrize("path", sorted({path for all in PAGES.values() for path in all}))
def test_scripts_are_short_and_make_no_html(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 250
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "fetch("):
        assert forbidden not in text


def test_types_come_from_the_classes() -> None:
    found = declarations()
    assert "interface Quote {at?: [number, number]; passage?: string; text?: string;}" in found
    assert re.search(r"interface FailureView {reason: string; .*cut\?: number;}", found)
    assert re.search(r"interface IndexRow {.*score: number \| null;", found)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_types_of_the_scripts_hold(page: str, tmp_path: Path) -> None:
    assert complaints(PAGES[page], tmp_path) == ""
