"""Prose of the code and of the documentation is plain English."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted((ROOT / "src" / "assay").rglob("*.py"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
# A docstring says what something is or does; it is no half of a question.
_QUESTION = re.compile(r"(?:What|Whether|Who|Whose|How|Why)\b")
# Words that only sound like English.
_TRANSLATED = re.compile(r"\bbelongs? into\b|\bheld against\b|\bwho gates\b", re.IGNORECASE)


def docstrings(code: str) -> Iterator[str]:
    """The docstrings of a module, its classes and its functions."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)):
            yield text


def test_docstrings_are_statements() -> None:
    found = {
        str(path.relative_to(ROOT)): text
        for path in MODULES
        for text in docstrings(path.read_text(encoding="utf-8"))
        if _QUESTION.match(text)
    }
    assert found == {}


def test_no_phrase_is_translated_word_by_word() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in (*MODULES, *PAGES)}
    found = {str(path): _TRANSLATED.findall(text) for path, text in texts.items()}
    assert {path: phrases for path, phrases in found.items() if phrases} == {}


def test_half_a_question_is_noticed() -> None:
    code = 'def f() -> bool:\n    """Whether it rains."""\n'
    assert [bool(_QUESTION.match(text)) for text in docstrings(code)] == [True]
