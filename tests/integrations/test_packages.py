"""What is said where a framework is not installed, and examples as users run them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = {
    "haystack": ("haystack", "haystack"),
    "langchain": ("langchain_core", "langchain"),
    "langsmith": ("langsmith", "langchain"),
    "llama_index": ("llama_index", "llama-index"),
}
SAID = {
    "guard": ["answered after 2", "abstained (unfaithful) after 2", "removed: Ada Lovelace was"],
    "haystack_rag": ["score 0.0", "(life.pdf)", "born in 1815. (2 attempts)"],
    "langchain_rag": ["-> unfaithful", "(life.pdf)", "born in 1815. (2 attempts)"],
    "llama_index_rag": ["passing: False", "(life.pdf)", "born in 1815. (2 attempts, faithful)"],
}


def test_every_integration_and_example_is_tested_here() -> None:
    modules = {each.stem for each in (ROOT / "src/assay/integrations").glob("*.py")}
    assert modules - {"__init__", "run_trees"} == set(EXTRAS)
    assert {each.stem for each in (ROOT / "examples").glob("*.py")} == set(SAID)


@pytest.mark.parametrize("name", EXTRAS)
def test_without_its_framework_a_module_says_what_to_install(name: str) -> None:
    framework, extra = EXTRAS[name]
    code = f"import sys; sys.modules['{framework}'] = None; import assay.integrations.{name}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"assay.core.errors.MissingExtraError: assay.integrations.{name} needs an optional "
        f"package: pip install 'assay-faith[{extra}]'"
    )


@pytest.mark.parametrize("name", SAID)
def test_example_runs_without_a_network_or_a_key(name: str, tmp_path: Path) -> None:
    path = ROOT / "examples" / f"{name}.py"
    done = subprocess.run(
        [sys.executable, str(path)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert [words for words in SAID[name] if words not in done.stdout] == []
    assert done.stderr == ""


SAMPLES = [
    (page, number, code)
    for page in ("integrations", "traces")
    for number, code in enumerate(
        re.findall(
            r"^```python\n(.*?)^```",
            (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8"),
            re.MULTILINE | re.DOTALL,
        ),
        start=1,
    )
]


@pytest.mark.parametrize(
    ("page", "number", "code"), SAMPLES, ids=[f"{page}-{number}" for page, number, _ in SAMPLES]
)
def test_sample_of_the_pages_says_what_its_comments_say(
    page: str, number: int, code: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    said = re.findall(r"^(?:print\(.*\)  )?# (.*)$", code, re.MULTILINE)
    for words in (each.rstrip("…").strip() for each in said if "evaluate(" not in each):
        assert words in done.stdout
    assert done.stderr == ""
