"""Detectors by name."""

import re

import pytest

from assay.core.errors import InputError, UnknownNameError
from assay.core.taxonomies import FAITHBENCH
from assay.detectors.registry import (
    DETECTORS,
    DetectorSpec,
    detector_facts,
    detector_names,
    find_type,
    open_detector,
)
from assay.llm.client import ModelClient, Scripted
from assay.llm.settings.options import Options

NEEDS_A_FILE = "embedded-large"  # that nobody has unless they fetched it
# These need a checkpoint, the same file, or parts.
PUBLISHED = tuple(name for name, place in DETECTORS.items() if place.startswith("published."))
NOT_HERE = (NEEDS_A_FILE, *PUBLISHED, "cascade", "vote")
FORMS = (
    *(name for name in DETECTORS if name not in NOT_HERE),
    "cascade:overlap,embedded",
    "cascade:embedded,judge-simple,unit=response",
    "vote:overlap,embedded,judge-gray7",
    "vote:overlap,(cascade:embedded,judge-fewshot)",
    "judge-gray7:batch",
    "judge-grounding:json",
    "judge-claims:fold=mean",
    "claimwise:judge-simple",
    "faithjudge:ternary",
    "faithjudge:peers=0",
    "localize-cot:b",
    "localize-zero:two-step=self",
    "localize-zero:two-step=gold",
    "localize-zero:two-step=overlap",
    "p-true:repeat=1",
)
OFFLINE = [name for name in DETECTORS if not DetectorSpec(name).capabilities.asks_model]
JUDGES = [name for name in DETECTORS if name not in OFFLINE]
OFFLINE = [name for name in OFFLINE if name not in NOT_HERE]


def clients(name: str) -> list[ModelClient]:
    return [Scripted(())] if DetectorSpec(name).capabilities.asks_model else []


@pytest.mark.parametrize("name", FORMS)
def test_every_type_declares_the_capabilities_of_the_detector_that_it_makes(name: str) -> None:
    spec = DetectorSpec(name)
    detector = open_detector(spec, clients(name))
    assert detector.capabilities == spec.capabilities
    assert detector.author.kind == "detector"
    assert detector.author.version
    assert bool(detector.prompt_digests) is spec.capabilities.asks_model


def test_capabilities_may_depend_on_the_argument() -> None:
    assert DetectorSpec("faithjudge:ternary").capabilities.taxonomy == FAITHBENCH
    assert not DetectorSpec("faithjudge:peers=0").capabilities.reads_annotations


@pytest.mark.parametrize("name", OFFLINE)
def test_a_detector_that_asks_no_model_can_be_opened_without_one(name: str) -> None:
    assert not open_detector(DetectorSpec(name)).prompt_digests


def test_a_detector_that_needs_a_file_names_the_command_that_fetches_it() -> None:
    with pytest.raises(InputError, match="run 'assay models pull large'") as raised:
        open_detector(DetectorSpec(NEEDS_A_FILE))
    assert raised.value.code == "no-base-model"


@pytest.mark.parametrize("name", JUDGES)
def test_a_judge_needs_a_client(name: str) -> None:
    with pytest.raises(InputError, match="asks a model, and none is given") as raised:
        open_detector(DetectorSpec(name))
    assert raised.value.field == "model"


def test_unknown_name_raises_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'overlap'") as raised:
        DetectorSpec("overlp")
    assert raised.value.field == "detector"


def test_argument_for_a_detector_that_takes_none_raises() -> None:
    with pytest.raises(InputError, match="'overlap' takes nothing after its name"):
        open_detector(DetectorSpec("overlap:file"))


def test_everything_after_the_first_colon_is_the_argument() -> None:
    spec = DetectorSpec(r"judge-simple:prompt=C:\a.md")
    assert spec.argument == r"prompt=C:\a.md"
    with pytest.raises(InputError, match=r"cannot read the prompt C:\\a\.md"):
        open_detector(spec, [Scripted(())])


def test_unknown_option_of_a_judge_names_the_choices() -> None:
    choices = r"Did you mean 'batch'\? Choices: batch, definitions, prompt=FILE\."
    with pytest.raises(UnknownNameError, match=f"option of judge-gray7 'batches'.*{choices}"):
        open_detector(DetectorSpec("judge-gray7:batches"), [Scripted(())])


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"models": ("m",)}, "model"),
        ({"votes": 2}, "votes"),
        ({"options": Options(temperature=0.5)}, "temperature"),
    ],
)
def test_settings_of_a_model_for_a_detector_that_asks_none_are_refused(
    settings: dict[str, object], field: str
) -> None:
    with pytest.raises(InputError, match=f"'overlap' asks no model; leave out {field}") as raised:
        DetectorSpec("overlap", **settings)  # type: ignore[arg-type]
    assert raised.value.field == field


@pytest.mark.parametrize("votes", [0, -1])
def test_a_spec_without_votes_is_refused(votes: int) -> None:
    with pytest.raises(InputError, match=f"votes must be 1 or more, not {votes}"):
        DetectorSpec("judge-simple", votes=votes)


def test_a_model_that_is_given_twice_is_refused() -> None:
    with pytest.raises(InputError, match="the model m is given twice"):
        DetectorSpec("judge-simple", models=("m", "n", "m"))


def test_annotations_for_a_detector_that_reads_none_are_refused() -> None:
    with pytest.raises(InputError, match="'overlap' learns from no peers"):
        open_detector(DetectorSpec("overlap"), annotations=list)


@pytest.mark.parametrize("name", JUDGES)
def test_facts_about_a_judge_name_its_prompts(name: str) -> None:
    facts = detector_facts(name)
    assert facts["what it is"] == find_type(name).summary
    assert re.match(r"[\w/-]+ \([0-9a-f]{16}\)", facts["prompts"])


def test_facts_about_a_form_of_a_judge_name_that_forms_prompt() -> None:
    assert detector_facts("judge-gray7:batch")["prompts"].startswith("judge-gray7-batch (")


def test_facts_about_the_embedded_model_tell_what_is_on_its_card() -> None:
    facts = detector_facts("embedded")
    assert (facts["judges"], facts["labels"]) == ("sentences", "gray7")
    assert "million weights" in facts["model"]


def test_names_are_listed_ours_first() -> None:
    assert detector_names()[: len(DETECTORS)] == tuple(DETECTORS)
