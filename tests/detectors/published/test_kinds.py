"""Names of published detectors: models, settings, and what is refused before anything is loaded."""

import subprocess
import sys

import pytest

from assay.core.errors import InputError, MissingExtraError
from assay.detectors.published.kinds import PublishedMethod
from assay.detectors.registry import (
    DETECTORS,
    DetectorSpec,
    find_type,
    make_detector,
)

METHOD = PublishedMethod(
    "sample",
    "a sample",
    "nowhere:nothing",
    "sentence",
    {"small": "minicheck-roberta-large"},
    "small",
    {"labels": "a/b"},
)


def test_model_and_settings_stand_behind_the_colon() -> None:
    chosen = METHOD.choose("./mine, unit=response, labels=x/y")
    assert (chosen.model, chosen.unit, chosen["labels"]) == ("./mine", "response", "x/y")
    assert (chosen.name, chosen.known) == ("sample:./mine", None)


def test_menu_leads_to_the_catalogue() -> None:
    chosen = METHOD.choose("")
    assert chosen.name == "sample:small"
    assert chosen.known is not None
    assert chosen.known.repository == "lytang/MiniCheck-RoBERTa-Large"


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("one,two", "one model is wanted, not 'one' and 'two'"),
        ("size=3", "unknown option of sample 'size=3'"),
        ("labels=", "'labels=' needs a value; write labels=a/b"),
        ("unit=word", "unknown unit of sample 'word'"),
    ],
)
def test_what_cannot_be_meant_is_told(argument: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        METHOD.choose(argument)


def test_unit_is_known_before_anything_is_loaded() -> None:
    assert DetectorSpec("minicheck").capabilities.unit_kind == "sentence"
    assert DetectorSpec("minicheck:unit=response").capabilities.unit_kind == "response"


def test_unknown_model_names_the_menu() -> None:
    with pytest.raises(InputError, match=r"unknown model of minicheck 'robert-large'\. Did you"):
        make_detector(DetectorSpec("minicheck:robert-large"))


def test_list_of_detectors_imports_no_network() -> None:
    code = (
        "import sys; from assay.app.detectors import list_detectors; list_detectors();"
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


PUBLISHED = [name for name, place in DETECTORS.items() if place.startswith("published.kinds")]


@pytest.mark.parametrize("name", PUBLISHED)
def test_detector_whose_packages_are_not_here_says_what_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = ("assay.detectors.published.kinds", "assay.detectors.published.scores")
    for module in [each for each in sys.modules if each.startswith("assay.detectors.published.")]:
        if module not in kept:
            monkeypatch.delitem(sys.modules, module)
    for package in ("torch", "transformers", "safetensors", "huggingface_hub"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'assay-faith\[hf\]'"):
        make_detector(DetectorSpec(f"{name}:some/model"))


def test_facts_of_a_published_detector_name_its_model_and_licence() -> None:
    for name in PUBLISHED:
        facts = find_type(name).facts
        assert facts is not None
        facts("")
    minicheck = find_type("minicheck").facts
    assert minicheck is not None
    assert minicheck("roberta-large")["licence"] == "MIT"
