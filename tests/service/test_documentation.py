"""The page about the service says what the service does, and its examples work."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from assay.core.options import declared
from assay.service.request import ServiceLimits
from tests.service.serving import asked, served
from tests.service.test_openapi import PATHS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
SHELL = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
BLOCKS = [block for block in SHELL if "docker" not in block]  # which needs an engine
# With -f, which an example may have itself, curl refuses --fail-with-body.
FAILING = """set -euo pipefail
curl() {
  [[ $1 == -sf ]] || set -- --fail-with-body "$@"
  command curl --max-time 60 "$@"
}
"""


def test_there_are_examples() -> None:
    assert len(BLOCKS) == 5


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split("/v1/")[-1][:12])
def test_examples_with_curl_work(tmp_path: Path, block: str) -> None:
    shutil.copy(ROOT / "examples" / "answers.jsonl", tmp_path)
    with served(asked(tmp_path)) as real:
        commands = FAILING + block.replace("127.0.0.1:8766", f"127.0.0.1:{real.port}")
        done = subprocess.run(
            ["bash", "-c", commands], cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout


def test_every_path_has_a_row() -> None:
    rows = re.findall(r"^\| `(?:GET|POST|DELETE) (/[^`]*)`", PAGE, re.MULTILINE)
    assert set(rows) == PATHS | {"/"}


@pytest.mark.parametrize("each", declared(ServiceLimits), ids=lambda each: each.name)
def test_every_limit_has_a_row_with_its_default(each: object) -> None:
    words, default = each.words, each.default  # type: ignore[attr-defined]
    shown = "any number" if default is None else f"{default:,}" if default > 9999 else str(default)
    assert re.search(rf"^\| `--{words} \w+` \|.*\| {shown} \|$", PAGE, re.MULTILINE)
