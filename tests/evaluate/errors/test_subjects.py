"""The judge of a run: which can be asked again, and with which settings."""

import pytest

from assay.core.errors import InputError
from assay.core.runs import Parameter, Run
from assay.core.taxonomies import BINARY
from assay.detectors.replay import Replay
from assay.evaluate.errors.subjects import Subject, subject_of_run
from assay.evaluate.localization.hearing import Asking
from assay.llm.options import Options

SAID = Replay("r", BINARY, "response", "f", {})


def of(run: Run) -> Subject:
    return subject_of_run("run:x", SAID, run, "explainer", Options(concurrency=3))


def test_settings_of_the_run_come_before_those_of_today() -> None:
    same: dict[str, Parameter] = {
        "model": "judge",
        "base_url": "http://there",
        "temperature": 0.3,
        "seed": 4,
    }
    subject = of(Run("judge-simple", "0.1", model="judge", parameters=same))
    options = Options(base_url="http://there", temperature=0.3, seed=4, concurrency=3)
    assert (subject.model, subject.options) == ("judge", options)


def test_judge_without_a_model_believes_what_the_explainer_does() -> None:
    subject = of(Run("embedded", "0.1"))
    assert (subject.model, subject.options) == ("explainer", Options(concurrency=3))


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (Run("judge-simple", "0.1", model="a+b"), "several models voted"),
        (Run("embedded", "0.1", knowledge="wikipedia"), "looked things up in wikipedia"),
        (Run("faithjudge", "0.1"), "learns from annotated responses"),
    ],
)
def test_run_that_cannot_be_repeated_for_one_response_is_refused(run: Run, reason: str) -> None:
    with pytest.raises(InputError, match=f"run:x cannot be asked again: .*{reason}"):
        of(run).again(Asking())
