"""The documentation names everything that a user can name, and says what the code says."""

import re
from pathlib import Path

import pytest
import typer

from assay.cli.application import app
from assay.core.decision import QUESTIONS
from assay.core.readings import READINGS
from assay.core.taxonomies import TAXONOMIES
from assay.core.verdicts import FailureReason
from assay.datasets.fields import ALIASES
from assay.detectors.registry import DETECTORS

DOCS = Path(__file__).resolve().parents[1] / "docs"
README = DOCS.parent / "README.md"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def taxonomy_tables() -> str:
    """The tables of docs/labels.md as the code has them."""
    parts = []
    for menu in TAXONOMIES.values():
        parts += [f"### {menu.name}", "", f"{menu.title}.", ""]
        parts += ["| rank | label | coarse reading | meaning |", "|---|---|---|---|"]
        parts += [f"| {x.rank} | `{x.name}` | {x.coarse} | {x.meaning} |" for x in menu]
        parts.append("")
    return "\n".join(parts).rstrip()


def reading_table() -> str:
    """The table of readings in docs/labels.md as the code has it."""
    rows = ["| reading | from | to | meaning |", "|---|---|---|---|"]
    rows += [f"| `{m.name}` | {m.origin} | {m.target} | {m.meaning} |" for m in READINGS.values()]
    return "\n".join(rows)


def test_taxonomies_are_documented_as_they_are() -> None:
    assert taxonomy_tables() in page("labels.md")


def test_readings_are_documented_as_they_are() -> None:
    assert reading_table() in page("labels.md")


def test_questions_of_the_tree_are_documented() -> None:
    assert [q for q in QUESTIONS.values() if q not in page("labels.md")] == []


@pytest.mark.parametrize("name", DETECTORS)
def test_every_detector_has_a_row_and_a_section(name: str) -> None:
    assert f"| `{name}` |" in page("detectors.md")
    assert f"## {name}\n" in page("detectors.md")


def test_every_option_of_every_command_is_documented() -> None:
    group = typer.main.get_command(app)
    commands = group.commands  # type: ignore[attr-defined]
    text = "".join(path.read_text(encoding="utf-8") for path in (README, *DOCS.glob("*.md")))
    for name, command in commands.items():
        assert f"assay {name}" in text
        options = [o for p in command.params for o in p.opts if o.startswith("--")]
        assert [o for o in options if o != "--help" and o not in text] == []


def test_every_field_alias_is_documented() -> None:
    names = [name for names in ALIASES.values() for name in names]
    assert [name for name in names if f"`{name}`" not in page("guide.md")] == []


def test_every_failure_reason_is_documented() -> None:
    reasons = FailureReason.__args__  # type: ignore[attr-defined]
    assert [reason for reason in reasons if f"`{reason}`" not in page("json.md")] == []


@pytest.mark.parametrize("path", [README, *sorted(DOCS.rglob("*.md"))], ids=lambda p: p.name)
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)[^)]*\)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []
