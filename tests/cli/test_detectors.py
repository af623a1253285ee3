"""`assay detectors`: the list, and what is known about one."""

import json

import pytest
from typer.testing import CliRunner

from assay.cli.application import app
from assay.detectors.registry import DETECTORS

RUNNER = CliRunner()


def test_list_names_every_detector() -> None:
    result = RUNNER.invoke(app, ["detectors", "list"])
    assert result.exit_code == 0
    assert all(name in result.output for name in DETECTORS)


def test_list_as_json() -> None:
    rows = json.loads(RUNNER.invoke(app, ["detectors", "list", "--json"]).output)
    assert [row["detector"] for row in rows] == list(DETECTORS)


def test_show_embedded_tells_size_licence_language_figures_and_limits() -> None:
    facts = json.loads(RUNNER.invoke(app, ["detectors", "show", "embedded", "--json"]).output)
    assert "18 layers" in facts["model"]
    assert "Apache-2.0" in facts["licence"]
    assert "English" in facts["language"]
    assert "n=" in facts["RAGTruth question answering"]
    assert "harms" in facts["must not be used"]


@pytest.mark.parametrize("name", DETECTORS)
def test_every_detector_can_be_shown(name: str) -> None:
    result = RUNNER.invoke(app, ["detectors", "show", name])
    assert result.exit_code == 0
    assert DETECTORS[name].summary.split(":")[0] in result.output.replace("\n", " ")


def test_unknown_detector_is_one_line_with_a_suggestion() -> None:
    result = RUNNER.invoke(app, ["detectors", "show", "embeded"])
    assert result.exit_code != 0
    assert "Did you mean 'embedded'" in str(result.exception)
