"""The scripts of the site: short, without HTML in texts, and with types that hold."""

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from assay.report.site.site import SCRIPTS

STATIC = Path(str(files("assay.report") / "site" / "static"))


def test_scripts_are_short_and_make_no_html() -> None:
    assert sorted(each.name for each in STATIC.glob("*.js")) == sorted(SCRIPTS)
    for name in SCRIPTS:
        text = (STATIC / name).read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 250, name
        for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "fetch("):
            assert forbidden not in text, name


@pytest.mark.slow
def test_types_of_the_scripts_hold(tmp_path: Path) -> None:
    compiler = shutil.which("tsc")
    if compiler is None:
        pytest.skip("there is no TypeScript compiler here: npm install --global typescript")
    options = {
        "allowJs": True,
        "checkJs": True,
        "noEmit": True,
        "strict": True,
        "target": "es2024",
        "lib": ["es2024", "dom", "dom.iterable"],
        "types": [],
    }
    config = tmp_path / "tsconfig.json"
    scripts = [str(STATIC / name) for name in SCRIPTS]
    config.write_text(json.dumps({"compilerOptions": options, "files": scripts}))
    asked = [compiler, "--project", str(config)]
    assert subprocess.run(asked, capture_output=True, text=True, check=False).stdout == ""
