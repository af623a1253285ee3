"""Arguments before the environment before the settings file, and what is refused."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.llm.costs.prices import FREE, Price
from assay.llm.settings.model_settings import ModelSettings, resolve
from assay.llm.settings.options import Options

KEY = {"OPENAI_API_KEY": "sk-1"}


def settle(
    folder: Path, toml: str = "", environ: Mapping[str, str] = KEY, **options: object
) -> ModelSettings:
    """Settings in a folder with a settings file; no other file of this machine is looked at."""
    if toml:
        (folder / "assay.toml").write_text(toml)
    alone = {"HOME": str(folder / "home")}
    return resolve(Options(**options), {**alone, **environ}, folder)  # type: ignore[arg-type]


def test_usual_settings(tmp_path: Path) -> None:
    found = settle(tmp_path, model="gpt-4o")
    assert (found.concurrency, found.attempts, found.timeout, found.deadline) == (16, 5, 120, 600)
    assert (found.parameters.temperature, found.parameters.max_tokens) == (0.0, 4096)
    assert found.price == Price(2.5, 10)
    assert found.cache == ""


def test_argument_goes_before_environment_before_file(tmp_path: Path) -> None:
    toml = '[llm]\nmodel = "file"\nseed = 7\n'
    environ = {**KEY, "ASSAY_MODEL": "environment"}
    assert settle(tmp_path, toml).endpoint.model == "file"
    assert settle(tmp_path, toml, environ).endpoint.model == "environment"
    assert settle(tmp_path, toml, environ, model="argument").endpoint.model == "argument"
    assert settle(tmp_path, toml, environ).parameters.seed == 7


def test_zero_is_an_argument(tmp_path: Path) -> None:
    toml = "[llm]\ntemperature = 1\nseed = 3\n"
    found = settle(tmp_path, toml, model="gpt-4o", temperature=0.0, seed=0)
    assert (found.parameters.temperature, found.parameters.seed) == (0.0, 0)


def test_all_options_can_stand_in_the_file(tmp_path: Path) -> None:
    toml = """
[llm]
model = "llama"
base_url = "http://localhost:9/v1"
key_env = "MINE"
temperature = 1
max_tokens = 10
seed = 3
logprobs = true
timeout = 5
deadline = 50.5
attempts = 2
concurrency = 4
requests_per_minute = 60
tokens_per_minute = 1000
budget_usd = 0.5
budget_tokens = 100
budget_calls = 9
cache = "replies.db"
prices = "prices.toml"
"""
    (tmp_path / "prices.toml").write_text("[llama]\ninput = 1\noutput = 2\n")
    found = settle(tmp_path, toml, {"MINE": "k"}, trust_folder=True)
    assert (found.endpoint.key, found.parameters.logprobs) == ("k", True)
    assert (found.timeout, found.deadline, found.attempts, found.concurrency) == (5, 50.5, 2, 4)
    assert (found.requests_per_minute, found.tokens_per_minute) == (60, 1000)
    assert (found.budget_usd, found.budget_tokens, found.budget_calls) == (0.5, 100, 9)
    assert found.cache == str(tmp_path / "replies.db")
    assert found.price == Price(1, 2)


def test_every_option_has_its_place_in_the_file_or_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        settle(tmp_path, "[llm]\nnonsense = 1\n")
    for name in set(Options.__dataclass_fields__) - {"trust_folder"}:
        assert name in str(caught.value)
    assert "trust_folder" not in str(caught.value)


def test_dotenv_file_is_overridden_by_the_environment_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-file\nASSAY_MODEL='gpt-4o'\nEMPTY\n")
    before = dict(os.environ)
    assert settle(tmp_path, environ={}, model="gpt-4o").endpoint.key == "sk-file"
    assert settle(tmp_path).endpoint.key == "sk-1"
    assert dict(os.environ) == before


def test_dollar_in_dotenv_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=a${HOME}b\n")
    assert settle(tmp_path, environ={}, model="gpt-4o").endpoint.key == "a${HOME}b"


def test_dotenv_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"KEY=\xff\xfe")
    with pytest.raises(InputError, match=r"\.env is not UTF-8 text"):
        settle(tmp_path, model="gpt-4o")


def test_named_file_goes_before_the_folder_before_the_home(tmp_path: Path) -> None:
    home = tmp_path / "home" / ".config" / "assay"
    home.mkdir(parents=True)
    (home / "config.toml").write_text('[llm]\nmodel = "home"\n')
    assert settle(tmp_path).endpoint.model == "home"
    xdg = {**KEY, "XDG_CONFIG_HOME": str(tmp_path / "xdg")}
    (tmp_path / "xdg" / "assay").mkdir(parents=True)
    (tmp_path / "xdg" / "assay" / "config.toml").write_text('[llm]\nmodel = "xdg"\n')
    assert settle(tmp_path, environ=xdg).endpoint.model == "xdg"
    assert settle(tmp_path, '[llm]\nmodel = "folder"\n', xdg).endpoint.model == "folder"
    (tmp_path / "other.toml").write_text('[llm]\nmodel = "named"\n')
    named = {**xdg, "ASSAY_CONFIG": "other.toml"}
    assert settle(tmp_path, environ=named).endpoint.model == "named"


def test_relative_place_of_the_users_files_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x" / "assay").mkdir(parents=True)
    (tmp_path / "x" / "assay" / "config.toml").write_text('[llm]\nmodel = "folder"\n')
    home = tmp_path / "home" / ".config" / "assay"
    home.mkdir(parents=True)
    (home / "config.toml").write_text('[llm]\nmodel = "home"\n')
    monkeypatch.chdir(tmp_path)
    assert settle(tmp_path, environ={**KEY, "XDG_CONFIG_HOME": "x"}).endpoint.model == "home"


def test_named_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ASSAY_CONFIG names none\.toml"):
        settle(tmp_path, environ={"ASSAY_CONFIG": "none.toml"}, model="gpt-4o")


def test_base_url_of_the_file_wins_over_a_prefix(tmp_path: Path) -> None:
    toml = '[llm]\nbase_url = "https://gateway.example/v1"\n'
    found = settle(tmp_path, toml, model="groq/x", trust_folder=True)
    assert found.endpoint.base_url == "https://gateway.example/v1"
    assert found.endpoint.model == "groq/x"


def test_file_adds_providers_and_prices(tmp_path: Path) -> None:
    toml = """
[llm.providers.mine]
base_url = "https://mine.example/v1"
[llm.prices."mine/llama"]
input = 0.5
output = 1
"""
    found = settle(tmp_path, toml, model="mine/llama", trust_folder=True)
    assert found.endpoint.base_url == "https://mine.example/v1"
    assert found.price == Price(0.5, 1)


def test_price_file_goes_before_the_settings_file(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text("['gpt-4o']\ninput = 9\noutput = 9\n")
    toml = '[llm.prices."gpt-4o"]\ninput = 1\noutput = 1\n'
    assert settle(tmp_path, toml, model="gpt-4o", prices=str(path)).price == Price(9, 9)


def test_local_models_are_free_and_unknown_ones_have_no_price(tmp_path: Path) -> None:
    assert settle(tmp_path, model="ollama/llama3.2").price == FREE
    assert settle(tmp_path, model="gpt-nonsense").price is None


def test_no_model_says_the_three_ways_to_give_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no model is given .*ASSAY_MODEL.*assay\.toml"):
        settle(tmp_path, model="  ")


def test_missing_key_is_told_and_not_raised(tmp_path: Path) -> None:
    assert "set OPENAI_API_KEY" in settle(tmp_path, environ={}, model="gpt-4o").missing_key


@pytest.mark.parametrize(
    ("toml", "problem"),
    [
        ("[llm]\nmodle = 'x'\n", "unknown setting 'modle'. Did you mean 'model'"),
        ("[lm]\nmodel = 'x'\n", r"unknown table or setting 'lm'; settings belong in \[llm\]"),
        ("[llm]\nmodel = 3\n", "model must be text, not 3"),
        ("[llm]\nseed = 1.5\n", "seed must be a whole number, not 1.5"),
        ("[llm]\nseed = true\n", "seed must be a whole number, not True"),
        ("[llm]\nlogprobs = 1\n", "logprobs must be true or false, not 1"),
        ("[llm]\ntemperature = 'hot'\n", "temperature must be a number"),
        ("[llm]\ntemperature = -1\n", "temperature must be 0 or more, not -1"),
        ("[llm]\nreasoning_effort = 'max'\n", "reasoning_effort must be one of none, minimal, low"),
        ("[llm]\nprices = 3\n", "prices must be text"),
        ("llm = 3\n", "must be a table"),
        ("[llm\n", "is not valid TOML"),
        ("[llm.providers]\nmine = 3\n", "must be a table"),
        ("[llm.prices.x]\ninput = 3\n", "'output' is missing"),
    ],
)
def test_bad_settings_file_is_refused_in_one_line_with_its_name(
    tmp_path: Path, toml: str, problem: str
) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        settle(tmp_path, toml, model="gpt-4o")
    assert "assay.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"temperature": -0.1}, "temperature must be 0 or more, not -0.1"),
        ({"temperature": float("nan")}, "temperature must be a number"),
        ({"max_tokens": 0}, "max_tokens must be 1 or more, not 0"),
        ({"concurrency": 0}, "concurrency must be 1 or more, not 0"),
        ({"attempts": -1}, "attempts must be 1 or more, not -1"),
        ({"requests_per_minute": 0}, "requests_per_minute must be 1 or more"),
        ({"tokens_per_minute": 0}, "tokens_per_minute must be 1 or more"),
        ({"timeout": 0.0}, "timeout must be more than 0 seconds, not 0"),
        ({"deadline": -5.0}, "deadline must be more than 0 seconds, not -5"),
        ({"budget_usd": 0.0}, "^budget_usd must be more than 0, not 0; leave it out for no limit$"),
        ({"budget_tokens": 0}, "budget_tokens must be more than 0, not 0; leave it out"),
        ({"budget_calls": -1}, "budget_calls must be more than 0, not -1; leave it out"),
    ],
)
def test_numbers_out_of_range_are_refused(
    tmp_path: Path, options: dict[str, object], problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        resolve(Options(model="gpt-4o", **options), KEY, tmp_path)  # type: ignore[arg-type]


def test_one_attempt_never_lasts_longer_than_all(tmp_path: Path) -> None:
    short = settle(tmp_path, model="gpt-4o", deadline=30.0)
    assert (short.timeout, short.deadline) == (30, 30)
    long = settle(tmp_path, model="gpt-4o", timeout=900.0)
    assert (long.timeout, long.deadline) == (900, 900)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (Options(timeout="5"), "timeout must be a number, not '5'"),  # type: ignore[arg-type]
        (Options(max_tokens=1.5), "max_tokens must be a whole number"),  # type: ignore[arg-type]
        (Options(concurrency=True), "concurrency must be a whole number, not True"),
    ],
)
def test_value_of_the_wrong_kind_is_one_clear_line(options: Options, said: str) -> None:
    with pytest.raises(InputError, match=said):
        resolve(options, {})
