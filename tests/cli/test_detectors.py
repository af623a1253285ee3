"""`assay detectors`: the list, and what is known about one."""

import json

import pytest

from assay.detectors.registry import DETECTORS, find_type
from tests.cli.conftest import assay, line_of


def test_list_names_every_detector() -> None:
    result = assay("detectors", "list")
    assert result.exit_code == 0
    assert all(name in result.output for name in DETECTORS)


def test_list_as_json() -> None:
    rows = json.loads(assay("detectors", "list", "--json").output)
    assert [row["detector"] for row in rows] == list(DETECTORS)


def test_show_embedded_tells_size_licence_language_figures_and_limits() -> None:
    facts = json.loads(assay("detectors", "show", "embedded", "--json").output)
    assert "30 layers" in facts["model"]
    assert "Apache-2.0" in facts["licence"]
    assert "English" in facts["language"]
    assert "n=" in facts["RAGTruth question answering"]
    assert "harms" in facts["must not be used"]


@pytest.mark.parametrize("name", DETECTORS)
def test_every_detector_can_be_shown(name: str) -> None:
    result = assay("detectors", "show", name)
    assert result.exit_code == 0
    assert find_type(name).summary.split(":")[0] in result.output.replace("\n", " ")


def test_unknown_detector_is_one_line_with_a_suggestion() -> None:
    result = assay("detectors", "show", "embeded")
    assert "Did you mean 'embedded'" in line_of(result)
