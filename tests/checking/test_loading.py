"""Who judges: a detector, its models and how often they are asked."""

from collections.abc import Iterator

import pytest

from assay.checking.loading import (
    SAMPLING,
    JudgeChoice,
    LearnsFromPeers,
    learns_from_peers,
    load_judge,
    read_peers,
)
from assay.core import Example, InputError, UnknownNameError
from assay.detectors.judges.protocol import Judge
from assay.llm.options import Options
from assay.llm.scripted import Scripted


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """Nothing of the machine's own settings."""
    monkeypatch.chdir(str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("ASSAY_MODEL", raising=False)


def test_offline_detector_is_loaded_as_it_is() -> None:
    assert load_judge(JudgeChoice("overlap")).name == "overlap"


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"models": ("m",)}, "leave out --model"),
        ({"votes": 2}, "leave out --votes"),
        ({"options": Options(budget_usd=1.0)}, "leave out --budget-usd"),
        ({"options": Options(tokens_per_minute=1)}, "leave out --tpm"),
        ({"options": Options(seed=0)}, "leave out --model-seed"),
        ({"options": Options(logprobs=True)}, "leave out --logprobs"),
        ({"options": Options(temperature=0.0)}, "leave out --temperature"),
    ],
)
def test_what_is_said_of_a_model_is_refused_where_none_is_asked(
    choice: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=f"'overlap' asks no model; {message}"):
        JudgeChoice("overlap", **choice)  # type: ignore[arg-type]


def test_unknown_detector_raises_at_once() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'judge-simple'"):
        JudgeChoice("judge-sinple")


def test_several_clients_and_samples_are_one_judge() -> None:
    clients = (Scripted((), "a"), Scripted((), "b"))
    choice = JudgeChoice("judge-simple", ("a", "b"), votes=3)
    judge = choice.load(clients)
    assert isinstance(judge, Judge)
    assert judge.name == "vote of 3 x judge-simple a, 3 x judge-simple b"
    assert choice.load(clients[:1]).name == "vote of 3 x judge-simple a"
    assert JudgeChoice("judge-simple").load(clients[:1]).name == "judge-simple a"


def test_votes_over_samples_vary_unless_the_user_says_how() -> None:
    usual = JudgeChoice("judge-simple", ("m",), votes=3)
    assert usual.sampling().temperature == SAMPLING
    once = JudgeChoice("judge-simple", ("m",))
    assert once.sampling().temperature is None
    said = JudgeChoice("judge-simple", ("m",), votes=3, options=Options(temperature=0.0))
    assert said.sampling().temperature == 0.0


@pytest.mark.parametrize("temperature", ["1.0", "0", "0.0"])
def test_temperature_of_the_settings_file_counts_as_said(
    temperature: str, tmp_path: object
) -> None:
    with open(f"{tmp_path}/assay.toml", "w", encoding="utf-8") as file:
        file.write(f"[llm]\ntemperature = {temperature}\n")
    assert JudgeChoice("judge-simple", ("m",), votes=3).sampling().temperature is None


def test_peers_are_for_judges_that_learn_from_them() -> None:
    assert learns_from_peers("faithjudge:ternary")
    assert not learns_from_peers("judge-simple")
    assert not learns_from_peers("overlap")
    asked = 0

    def none() -> Iterator[Example]:
        nonlocal asked
        asked += 1
        return iter(())

    for choice in (JudgeChoice("overlap"), JudgeChoice("judge-simple")):
        with pytest.raises(InputError, match="learns from no peers; leave out --peers"):
            choice.load((Scripted(()),), none)
    with pytest.raises(InputError, match="annotated"):
        JudgeChoice("faithjudge").load((Scripted(()),), none)
    assert asked == 1
    assert isinstance(JudgeChoice("faithjudge").load((Scripted(()),)), LearnsFromPeers)


def test_peers_that_cannot_be_read_raise(tmp_path: object) -> None:
    with open(f"{tmp_path}/peers.jsonl", "w", encoding="utf-8") as file:
        file.write("{broken\n")
    with pytest.raises(InputError, match=r"--peers peers\.jsonl line 1: not valid JSON"):
        list(read_peers("peers.jsonl"))
