"""Detectors by name."""

import os
import re
from pathlib import Path

import pytest

from assay.core import InputError, UnknownNameError
from assay.detectors import DEFAULT, DETECTORS, load_detector
from assay.detectors.judges.protocol import Judge
from assay.detectors.registry import detector_facts
from assay.llm.connection import Connection
from assay.llm.scripted import Scripted


def test_default_is_loaded_without_a_name() -> None:
    assert load_detector().name == DEFAULT == "embedded"


def test_unknown_name_raises_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'overlap'"):
        load_detector("overlp")


def test_argument_for_a_detector_that_takes_none_raises() -> None:
    with pytest.raises(InputError, match="'overlap' takes nothing after its name, but got ':file'"):
        load_detector("overlap:file")


def test_recorded_without_its_file_raises() -> None:
    with pytest.raises(InputError, match="write recorded:FILE"):
        load_detector("recorded")


def test_everything_after_the_first_colon_is_the_argument() -> None:
    with pytest.raises(InputError, match=r"cannot read C:\\a\.json"):
        load_detector(r"recorded:C:\a.json")


OFFLINE = [name for name, entry in DETECTORS.items() if not entry.asks_model]
JUDGES = [name for name, entry in DETECTORS.items() if entry.asks_model]


@pytest.mark.parametrize("name", OFFLINE)
def test_every_offline_name_points_to_a_module_and_a_class(name: str) -> None:
    module, _, attribute = DETECTORS[name].place.partition(":")
    assert module.startswith("assay.detectors.")
    assert attribute[0].isupper()


@pytest.mark.parametrize("name", JUDGES)
def test_every_judge_is_made_from_a_client(name: str) -> None:
    client = Scripted(())
    detector = load_detector(name, client)
    assert isinstance(detector, Judge)
    assert detector.client is client


@pytest.mark.parametrize("name", ["overlap", "embedded", "recorded:verdicts.json"])
def test_client_for_a_detector_that_asks_no_model_raises(name: str) -> None:
    with pytest.raises(InputError, match="asks no model; leave the model out"):
        load_detector(name, Scripted(()))


def test_judge_without_a_client_asks_the_model_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [name for name in os.environ if name.startswith(("OPENAI_", "ASSAY_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_MODEL", "openai/gpt-4o")
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    judge = load_detector("judge-simple")
    assert judge.name == "judge-simple openai/gpt-4o"
    assert isinstance(judge, Judge)
    assert isinstance(judge.client, Connection)  # with its meter, its budget and its cache


def test_unknown_option_of_a_judge_names_the_choices() -> None:
    choices = r"Did you mean 'batch'\? Choices: batch, prompt=FILE\."
    with pytest.raises(UnknownNameError, match=f"option of judge-gray7 'batches'.*{choices}"):
        load_detector("judge-gray7:batches", Scripted(()))


@pytest.mark.parametrize("name", JUDGES)
def test_facts_about_a_judge_name_its_prompts(name: str) -> None:
    facts = detector_facts(name)
    assert facts["what it is"] == DETECTORS[name].summary
    assert re.match(r"[\w/-]+ \([0-9a-f]{16}\)", facts["prompts"])


def test_facts_about_a_form_of_a_judge_name_that_forms_prompt() -> None:
    assert detector_facts("judge-gray7:batch")["prompts"].startswith("judge-gray7-batch (")
