"""Help pages say what can be typed, and nothing else."""

import re

import pytest

from assay.cli.commands import flowing
from tests.cli.conftest import assay
from tests.test_documentation import COMMANDS

GROUPS = {name.rpartition(" ")[0] for name in COMMANDS}


def help_of(name: str) -> str:
    """The help page of a command."""
    done = assay(*name.split()[1:], "--help")
    assert done.exit_code == 0
    return done.stdout


@pytest.mark.parametrize("name", sorted({*COMMANDS, *GROUPS}))
def test_flags_show_no_value_and_completion_is_no_option(name: str) -> None:
    page = help_of(name)
    assert "--help" in page
    assert "<bool>" not in page
    assert "completion" not in page


@pytest.mark.parametrize("name", ["assay", "assay data", "assay board"])
def test_group_without_a_command_shows_its_help_page(name: str) -> None:
    done = assay(*name.split()[1:])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == help_of(name)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("assay check", ["FILE"]),
        ("assay evaluate", ["DETECTOR"]),
        ("assay compare", ["FIRST", "SECOND"]),
        ("assay reproduce", ["TABLE"]),
        ("assay runs show", ["NAME"]),
    ],
)
def test_usage_lines_show_each_argument_once(name: str, arguments: list[str]) -> None:
    found = re.search(rf"Usage: .*?{name} \[OPTIONS\] (.*?) *\n", help_of(name))
    assert found
    assert re.findall(r"\w+", found[1]) == arguments  # brackets differ between versions of Typer


def test_paragraphs_wrap_whatever_the_lines_of_their_source() -> None:
    text = "One line\nand another.\n\nA second\n    paragraph."
    assert flowing(text) == "One line and another.\n\nA second paragraph."


def test_help_of_check_names_its_exit_codes() -> None:
    page = " ".join(help_of("assay check").split())
    assert "2 bad input or usage, a model that cannot be asked or a budget used up" in page
    assert "130 interrupted" in page
