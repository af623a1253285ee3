"""No public class name stands for two things in the whole of `assay`."""

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "src" / "assay"


def repeated(modules: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The public class names that several modules define, from names and texts of modules."""
    homes = defaultdict(list)
    for name, text in modules:
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name)
    return {name: found for name, found in homes.items() if len(found) > 1}


def test_no_public_class_name_exists_twice() -> None:
    modules = sorted(SOURCES.rglob("*.py"))
    assert len(modules) > 300
    texts = [(str(each.relative_to(SOURCES)), each.read_text("utf-8")) for each in modules]
    assert repeated(texts) == {}


def test_a_name_in_two_modules_is_found_and_a_private_one_is_not() -> None:
    first = "class Vote: ...\nclass _Item: ...\nclass Ballot: ...\n"
    second = "class _Item: ...\nclass Vote(list[int]): ...\ndef Ballot() -> None: ...\n"
    assert repeated([("a.py", first), ("b.py", second)]) == {"Vote": ["a.py", "b.py"]}
