"""The documentation names everything that a user can name, and says what the code says."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
from click.testing import CliRunner

import assay
from assay.cli.application import app
from assay.cli.errors import HINTS
from assay.core import wire
from assay.core.decision import QUESTIONS
from assay.core.readings import READINGS
from assay.core.system.plugins import Group
from assay.core.taxonomies import TAXONOMIES
from assay.core.verdicts import FailureReason
from assay.datasets.corpus import CORPORA
from assay.datasets.fields import ALIASES, FALLBACKS
from assay.detectors.registry import DETECTORS
from assay.knowledge.corpora.tables import CORPUS
from assay.knowledge.snapshots import SNAPSHOTS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = tuple(sorted(DOCS.glob("*.md")))
SCHEMA = ROOT / "src" / "assay" / "core" / "judgements.schema.json"


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


def test_other_names_of_labels_are_documented() -> None:
    labels = [label for menu in TAXONOMIES.values() for label in menu if label.aliases]
    rows = [f"| {x.taxonomy} | `{x.name}` | `{'`, `'.join(x.aliases)}` |" for x in labels]
    assert "\n".join(rows) in page("labels.md")


def test_readings_are_documented_as_they_are() -> None:
    assert reading_table() in page("labels.md")


def test_questions_of_the_tree_are_documented() -> None:
    assert [q for q in QUESTIONS.values() if q not in page("labels.md")] == []


@pytest.mark.parametrize("name", DETECTORS)
def test_every_detector_has_a_row_and_a_section(name: str) -> None:
    assert f"| `{name}` |" in page("detectors.md")
    assert f"## {name}\n" in page("detectors.md")


def commands(command: Any, name: str = "assay") -> Iterator[tuple[str, Any]]:
    """Every command below one, with its full name; a group is one if it does something itself."""
    if not hasattr(command, "list_commands"):
        yield name, command
        return
    if command.invoke_without_command and name != "assay":
        yield name, command
    context = click.Context(command)
    for each in command.list_commands(context):
        yield from commands(command.get_command(context, each), f"{name} {each}")


COMMANDS = dict(commands(app))
SECTIONS = [
    section
    for path in PAGES
    for section in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
]


def names(text: str, word: str) -> bool:
    """Whether a text has a word, and not only as the beginning of a longer one."""
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


def test_no_command_is_overlooked() -> None:
    assert {"assay check", "assay runs show", "assay studio", "assay studio list"} <= set(COMMANDS)
    assert len(COMMANDS) >= 28


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented_in_a_section_that_names_its_command(name: str) -> None:
    about = "\n".join(section for section in SECTIONS if names(section, name))
    options = [
        option
        for each in COMMANDS[name].params
        for option in (*each.opts, *each.secondary_opts)
        if option.startswith("--") and option != "--help"
    ]
    assert about
    assert [option for option in options if not names(about, option)] == []


@pytest.mark.parametrize("name", [each for each in dir(assay) if each != "__version__"])
def test_every_public_name_is_documented(name: str) -> None:
    marked = re.findall(r"`[^`\n]+`", page("python.md"))
    assert any(names(each, name) for each in marked)


def test_every_hint_is_for_an_error_that_exists() -> None:
    source = "".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "src" / "assay").rglob("*.py")
        if path.parent.name != "cli"
    )
    lines = re.findall(r"\bcode(?:: str)? ?= ?.*", source)
    codes = {code for line in lines for code in re.findall(r'"([a-z-]+)"', line)}
    codes |= {f"no-{kind.code}" for kind in (CORPUS, SNAPSHOTS)}
    assert sorted(set(HINTS) - codes) == []


def commands_in(text: str) -> Iterator[tuple[str, set[str]]]:
    """The commands that a text tells to give, as long as they are known, with their options."""
    for line in re.findall(r"\bassay ([a-z][^\n';,(]*)", text):
        words = line.split()
        depth = 2 if f"assay {' '.join(words[:2])}" in COMMANDS else 1
        yield f"assay {' '.join(words[:depth])}", set(re.findall(r"(?<!\S)--[a-z-]+", line))


def test_every_hint_recommends_commands_and_options_that_exist() -> None:
    for hint in HINTS.values():
        for each in (hint,) if isinstance(hint, str) else hint:
            for name, options in commands_in(each):
                known = {option for given in COMMANDS[name].params for option in given.opts}
                assert options <= known, (name, options)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_command_in_a_block_exists_with_its_options(path: Path) -> None:
    blocks = re.findall(r"^```(?:sh|bash)?\n(.*?)^```", path.read_text("utf-8"), re.M | re.S)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    for line in lines:
        if line.startswith("assay "):
            ((name, options), *_) = commands_in(line.partition("  #")[0])
            known = {option for given in COMMANDS[name].params for option in given.opts}
            assert options <= known, line


def test_every_package_has_a_row_in_the_guide_for_contributors() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| `assay\.(\w+)` \|", page, flags=re.MULTILINE)
    packages = [each.parent.name for each in (ROOT / "src" / "assay").glob("*/__init__.py")]
    assert sorted(found) == sorted(packages)


@pytest.mark.parametrize("name", CORPORA)
def test_every_corpus_has_a_row(name: str) -> None:
    assert f"| `{name}` |" in page("data.md")


@pytest.mark.parametrize("group", Group.__args__)  # type: ignore[attr-defined]
def test_every_kind_of_plugin_is_documented(group: str) -> None:
    assert f'[project.entry-points."{group}"]' in page("plugins.md")


def test_schema_file_is_the_schema_of_the_codec() -> None:
    # If this fails: python -c "import json; from assay.core.wire import schema;
    # print(json.dumps(schema(), indent=2))" > src/assay/core/judgements.schema.json
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == wire.schema()


def test_documents_of_check_and_of_runs_fit_the_schema_file() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    data = str(ROOT / "examples" / "answers.jsonl")
    chosen = ("--detector", "overlap")
    assert CliRunner().invoke(app, ["run", data, *chosen, "--name", "mine"]).exit_code == 0
    for command in (["check", data, *chosen, "--json"], ["runs", "export", "mine"]):
        document = json.loads(CliRunner().invoke(app, command).stdout)
        assert [each["example"] for each in document["judgements"]] == [
            "refund-1",
            "refund-2",
            "warranty",
        ]
        jsonschema.validate(document, schema)


def test_every_field_of_the_document_is_documented() -> None:
    fields = [
        field
        for record in wire.schema()["$defs"].values()
        for field in record["properties"]
        if f"`{field}`" not in page("json.md")
    ]
    assert fields == []


def test_every_field_alias_is_documented() -> None:
    names = [name for names in (*ALIASES.values(), *FALLBACKS.values()) for name in names]
    assert [name for name in names if f"`{name}`" not in page("guide.md")] == []


def test_every_failure_reason_is_documented() -> None:
    reasons = FailureReason.__args__  # type: ignore[attr-defined]
    assert [reason for reason in reasons if f"`{reason}`" not in page("json.md")] == []


LINKING = [README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]


def anchors(path: Path) -> set[str]:
    """What the headings of a page are called in addresses."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


@pytest.mark.parametrize("path", LINKING, ids=lambda each: each.name)
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", path.read_text(encoding="utf-8"))
    lost = []
    for page, anchor in links:
        target = path.parent / page if page else path
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(f"{page}#{anchor}")
    assert lost == []


def test_sample_of_the_readme_runs_without_extras(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "pandas", None)
    (sample,) = re.findall(r"^```python\n(.*?)^```", README.read_text("utf-8"), re.M | re.S)
    exec(sample, {})
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_report_that_the_guide_shows_is_what_the_command_prints(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    line, shown = re.findall(r"^```\n\$ assay (.*?)\n(.*?)^```", page("guide.md"), re.M | re.S)[0]
    assert CliRunner().invoke(app, line.split()).stdout == shown
