"""What a working folder decides alone, what only with the user's word, and what it never does."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.llm.costs.prices import FREE, Price
from assay.llm.settings.model_settings import ModelSettings, is_model_chosen, resolve
from assay.llm.settings.options import Options

KEY = {"OPENAI_API_KEY": "sk-real", "AWS_SECRET_ACCESS_KEY": "aws-secret"}
ELSEWHERE = "https://collector.example/v1"


def settle(
    folder: Path,
    toml: str = "",
    dotenv: str = "",
    environ: Mapping[str, str] = KEY,
    **options: object,
) -> ModelSettings:
    """Settings in a folder with these files; no other file of this machine is looked at."""
    if toml:
        (folder / "assay.toml").write_text(toml)
    if dotenv:
        (folder / ".env").write_text(dotenv)
    alone = {"HOME": str(folder / "home")}
    return resolve(Options(**options), {**alone, **environ}, folder)  # type: ignore[arg-type]


def own_file(folder: Path, toml: str) -> None:
    """Writes the user's own settings file."""
    path = folder / "home" / ".config" / "assay" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(toml)


REDIRECTIONS = {
    "base_url": (f'[llm]\nbase_url = "{ELSEWHERE}"\n', "", "openai/gpt-4o", "base_url"),
    "key_env": ('[llm]\nkey_env = "AWS_SECRET_ACCESS_KEY"\n', "", "gpt-4o", "key_env"),
    "known provider": (
        f'[llm.providers.OpenAI]\nbase_url = "{ELSEWHERE}"\n',
        "",
        "openai/gpt-4o",
        "base_url of the provider openai",
    ),
    "known provider without its name": (
        f'[llm.providers.openai]\nbase_url = "{ELSEWHERE}"\n',
        "",
        "gpt-4o",
        "base_url of the provider openai",
    ),
    "key of a known provider": (
        '[llm.providers.groq]\nkey_env = ["AWS_SECRET_ACCESS_KEY"]\n',
        "",
        "groq/x",
        "key_env of the provider groq",
    ),
    "new provider": (
        f'[llm.providers.mine]\nbase_url = "{ELSEWHERE}"\nkey_env = "AWS_SECRET_ACCESS_KEY"\n',
        "",
        "mine/x",
        "base_url of the provider mine",
    ),
    "free": ("[llm.providers.openai]\nfree = true\n", "", "gpt-4o", "free of the provider openai"),
    "dotenv": ("", f"OPENAI_BASE_URL={ELSEWHERE}\n", "gpt-4o", "OPENAI_BASE_URL"),
    "dotenv, by name": ("", f"OPENAI_BASE_URL={ELSEWHERE}\n", "openai/gpt-4o", "OPENAI_BASE_URL"),
    "dotenv, other name": ("", f"OPENAI_BASE_URL={ELSEWHERE}\n", "org/model", "OPENAI_BASE_URL"),
    "dotenv, azure": (
        "",
        "AZURE_OPENAI_ENDPOINT=https://collector.example\n",
        "azure/gpt-4o",
        "AZURE_OPENAI_ENDPOINT",
    ),
}


@pytest.mark.parametrize("which", REDIRECTIONS)
def test_folder_cannot_choose_where_texts_and_keys_go(which: str, tmp_path: Path) -> None:
    toml, dotenv, model, setting = REDIRECTIONS[which]
    environ = {**KEY, "AZURE_OPENAI_API_KEY": "az", "GROQ_API_KEY": "gr"}
    with pytest.raises(InputError) as caught:
        settle(tmp_path, toml, dotenv, environ, model=model)
    file = tmp_path / ("assay.toml" if toml else ".env")
    assert str(caught.value).startswith(f"{file} sets {setting} to ")
    assert "ASSAY_TRUST_FOLDER" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.code == "folder-not-trusted"
    trusted = settle(tmp_path, "", "", environ, model=model, trust_folder=True)
    assert trusted.endpoint.chosen_in == str(file)


@pytest.mark.parametrize("which", REDIRECTIONS)
def test_folder_that_asks_for_trust_itself_is_not_trusted(which: str, tmp_path: Path) -> None:
    toml, dotenv, model, _ = REDIRECTIONS[which]
    dotenv += f"ASSAY_TRUST_FOLDER={tmp_path}\nASSAY_CONFIG=assay.toml\n"
    if not toml:
        toml = "[llm]\nseed = 1\n"
    environ = {**KEY, "AZURE_OPENAI_API_KEY": "az", "GROQ_API_KEY": "gr"}
    with pytest.raises(InputError, match="without your word"):
        settle(tmp_path, toml, dotenv, environ, model=model)


def test_folder_cannot_move_the_users_own_file(tmp_path: Path) -> None:
    hidden = tmp_path / "config" / "assay" / "config.toml"
    hidden.parent.mkdir(parents=True)
    hidden.write_text(f'[llm]\nbase_url = "{ELSEWHERE}"\n')
    dotenv = f"XDG_CONFIG_HOME={tmp_path / 'config'}\nHOME={tmp_path}\n"
    found = settle(tmp_path, "", dotenv, model="gpt-4o")
    assert found.endpoint.base_url == "https://api.openai.com/v1"


def test_environment_trusts_folders_by_their_full_paths(tmp_path: Path) -> None:
    toml = f'[llm]\nbase_url = "{ELSEWHERE}"\n'
    trusted = {**KEY, "ASSAY_TRUST_FOLDER": os.pathsep.join(("/elsewhere", str(tmp_path)))}
    found = settle(tmp_path, toml, environ=trusted, model="gpt-4o")
    assert found.endpoint.base_url == ELSEWHERE
    assert found.endpoint.place == (
        f"{ELSEWHERE} (model gpt-4o, at the price of openai/gpt-4o: "
        f"$2.5 in, $10 out per million tokens), as {tmp_path / 'assay.toml'} says"
    )
    other = {**KEY, "ASSAY_TRUST_FOLDER": str(tmp_path.parent)}
    with pytest.raises(InputError, match="without your word"):
        settle(tmp_path, environ=other, model="gpt-4o")
    with pytest.raises(InputError, match=r"ASSAY_TRUST_FOLDER must name folders .* not '1'"):
        settle(tmp_path, environ={**KEY, "ASSAY_TRUST_FOLDER": "1"}, model="gpt-4o")


def test_arguments_environment_and_own_file_are_the_users_word(tmp_path: Path) -> None:
    assert settle(tmp_path, model="m", base_url=ELSEWHERE).endpoint.key == "sk-real"
    elsewhere = {**KEY, "OPENAI_BASE_URL": ELSEWHERE}
    assert settle(tmp_path, environ=elsewhere, model="m").endpoint.base_url == ELSEWHERE
    own_file(tmp_path, f'[llm.providers.mine]\nbase_url = "{ELSEWHERE}"\nkey_env = "MINE"\n')
    found = settle(tmp_path, '[llm]\nmodel = "mine/x"\n', environ={"MINE": "k"})
    assert (found.endpoint.base_url, found.endpoint.key) == (ELSEWHERE, "k")


def test_argument_takes_the_place_of_what_the_folder_says(tmp_path: Path) -> None:
    toml = f'[llm]\nbase_url = "{ELSEWHERE}"\nkey_env = "AWS_SECRET_ACCESS_KEY"\n'
    mine = {"base_url": "http://localhost:9/v1", "key_env": "OPENAI_API_KEY"}
    endpoint = settle(tmp_path, toml, model="m", **mine).endpoint  # type: ignore[arg-type]
    assert (endpoint.base_url, endpoint.key) == ("http://localhost:9/v1", "sk-real")
    with pytest.raises(InputError, match="sets key_env to 'AWS_SECRET_ACCESS_KEY'"):
        settle(tmp_path, model="m", base_url="http://localhost:9/v1")


def test_folder_cannot_choose_the_key_for_an_address_of_the_user(tmp_path: Path) -> None:
    toml = f'[llm.providers.x]\nbase_url = "{ELSEWHERE}"\nkey_env = "AWS_SECRET_ACCESS_KEY"\n'
    assert settle(tmp_path, toml, model="m", base_url=ELSEWHERE).endpoint.key == "sk-real"


def test_folder_may_name_a_model_and_limits(tmp_path: Path) -> None:
    toml = '[llm]\nmodel = "groq/x"\ntimeout = 5\nconcurrency = 2\nbudget_calls = 9\n'
    toml += '[llm.providers.groq]\nerrors = { 418 = "later" }\n'
    groq = {"GROQ_API_KEY": "gr"}
    found = settle(tmp_path, toml, environ=groq)
    assert (found.endpoint.key, found.timeout, found.budget_calls) == ("gr", 5, 9)
    assert found.endpoint.errors == {"418": "later"}
    assert found.endpoint.chosen_in == str(tmp_path / "assay.toml")
    assert found.endpoint.from_folder
    users = settle(tmp_path, environ=groq, model="groq/y").endpoint
    assert (users.chosen_in, users.from_folder) == ("", False)


def test_folder_may_hold_the_usual_key_of_a_model_that_the_user_names(tmp_path: Path) -> None:
    found = settle(tmp_path, "", "GROQ_API_KEY=gr\n", model="groq/y").endpoint
    assert (found.key, found.from_folder) == ("gr", True)
    assert found.place.endswith(f"(model y), with the key in {tmp_path / '.env'}")


@pytest.mark.parametrize("where", ["assay.toml", ".env"])
def test_folder_may_not_choose_both_the_model_and_the_key(where: str, tmp_path: Path) -> None:
    own_file(tmp_path, '[llm]\nmodel = "ollama/x"\n')
    toml = '[llm]\nmodel = "openrouter/evil/m"\n' if where == "assay.toml" else ""
    dotenv = "OPENROUTER_API_KEY=theirs\n" + ("" if toml else "ASSAY_MODEL=openrouter/evil/m\n")
    with pytest.raises(InputError) as caught:
        settle(tmp_path, toml, dotenv)
    assert caught.value.code == "folder-not-trusted"
    assert str(caught.value).startswith(
        f"{tmp_path / where} names the model openrouter/evil/m, whose key is in "
        f"OPENROUTER_API_KEY of {tmp_path / '.env'}, and a working folder may not choose both "
    )
    assert "theirs" not in str(caught.value)
    assert settle(tmp_path, trust_folder=True).endpoint.key == "theirs"
    users = {**KEY, "OPENROUTER_API_KEY": "mine"}
    assert settle(tmp_path, environ=users).endpoint.key == "mine"


def test_key_of_the_environment_comes_before_every_key_of_the_folder(tmp_path: Path) -> None:
    environ = {"GOOGLE_API_KEY": "mine"}
    found = settle(tmp_path, "", "GEMINI_API_KEY=theirs\n", environ, model="gemini/x").endpoint
    assert (found.key, found.key_env, found.from_folder) == ("mine", "GOOGLE_API_KEY", False)
    emptied = {"GEMINI_API_KEY": ""}  # the user's word, too
    assert settle(tmp_path, environ=emptied, model="gemini/x").missing_key


def test_budgets_of_the_folder_only_tighten_the_users_own(tmp_path: Path) -> None:
    own_file(tmp_path, "[llm]\nbudget_usd = 1\nbudget_calls = 100\n")
    toml = "[llm]\nbudget_usd = 100000\nbudget_calls = 5\nbudget_tokens = 900\n"
    found = settle(tmp_path, toml, model="gpt-4o")
    assert (found.budget_usd, found.budget_calls, found.budget_tokens) == (1, 5, 900)
    trusted = settle(tmp_path, model="gpt-4o", trust_folder=True)
    assert trusted.budget_usd == 100_000
    assert settle(tmp_path, model="gpt-4o", budget_calls=50).budget_calls == 50


def test_cache_of_the_folder_lies_inside_it(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    found = settle(folder, '[llm]\ncache = "replies.db"\n', model="gpt-4o")
    assert found.cache == str(folder / "replies.db")
    assert found.cache_named_in == str(folder / "assay.toml")
    for elsewhere in (str(tmp_path / "r.db"), "../r.db", "link/r.db", "~/r.db"):
        toml = f'[llm]\ncache = "{elsewhere}"\n'
        with pytest.raises(InputError, match="may not keep replies outside itself without your"):
            settle(folder, toml, model="gpt-4o")
        assert settle(folder, model="gpt-4o", trust_folder=True).cache.endswith("r.db")
    users = settle(folder, model="gpt-4o", cache=str(tmp_path / "mine.db"))
    assert (users.cache, users.cache_named_in) == (str(tmp_path / "mine.db"), "")


def test_cache_of_the_folder_is_not_on_a_server(tmp_path: Path) -> None:
    url = "postgresql://me:secret@host/team"
    with pytest.raises(InputError, match="may not keep replies outside itself") as caught:
        settle(tmp_path, f'[llm]\ncache = "{url}"\n', model="gpt-4o")
    assert "'postgresql://host/team'" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert settle(tmp_path, model="gpt-4o", trust_folder=True).cache == url


def test_provider_of_the_folder_that_is_not_used_is_no_reason_to_stop(tmp_path: Path) -> None:
    toml = f'[llm.providers.mine]\nbase_url = "{ELSEWHERE}"\n'
    dotenv = f"OPENAI_BASE_URL={ELSEWHERE}\nGROQ_API_KEY=gr\n"
    assert settle(tmp_path, toml, dotenv, model="groq/x").endpoint.key == "gr"


USUAL = "at the price of openai/gpt-4o: $2.5 in, $10 out per million tokens"


def test_price_of_the_folder_counts_and_is_told_where_it_is_higher(tmp_path: Path) -> None:
    found = settle(tmp_path, "[llm.prices.gpt-4o]\ninput = 3\noutput = 10\n", model="gpt-4o")
    told = f"gpt-4o: $3 in, $10 out per million tokens, as {tmp_path / 'assay.toml'} says"
    assert (found.price, found.endpoint.price_note) == (Price(3, 10), f"at the price of {told}")
    assert found.endpoint.from_folder


@pytest.mark.parametrize("rates", [(0, 0), (9, 9), (2.4, 100)])
@pytest.mark.parametrize("in_a_file", [False, True])
def test_price_of_the_folder_never_lowers_a_known_one(
    rates: tuple[float, float], in_a_file: bool, tmp_path: Path
) -> None:
    listed = f"input = {rates[0]}\noutput = {rates[1]}\n"
    file = tmp_path / ("p.toml" if in_a_file else "assay.toml")
    (tmp_path / "p.toml").write_text(f"[gpt-4o]\n{listed}")
    toml = '[llm]\nprices = "p.toml"\n' if in_a_file else f"[llm.prices.gpt-4o]\n{listed}"
    found = settle(tmp_path, toml, model="gpt-4o")
    assert found.price == Price(2.5, 10)
    assert found.endpoint.price_note == f"{USUAL}, not at the lower one in {file}"
    assert found.endpoint.from_folder
    assert settle(tmp_path, model="gpt-4o", trust_folder=True).price == Price(*rates)
    (tmp_path / "mine.toml").write_text("[gpt-4o]\ninput = 1\noutput = 1\n")
    mine = settle(tmp_path, model="gpt-4o", prices=str(tmp_path / "mine.toml"))
    assert (mine.price, mine.endpoint.price_note) == (Price(1, 1), "")


def test_price_of_the_folder_alone_is_no_price(tmp_path: Path) -> None:
    toml = "[llm.prices.m1]\ninput = 0\noutput = 0\n"
    found = settle(tmp_path, toml, model="m1")
    assert found.price is None
    assert "counts only if you trust the folder" in found.endpoint.place
    assert settle(tmp_path, model="m1", trust_folder=True).price == FREE
    own_file(tmp_path, "[llm.prices.m1]\ninput = 1\noutput = 1\n")
    assert settle(tmp_path, model="m1").price == Price(1, 1)


def test_model_of_the_folder_is_not_the_users_choice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "assay.toml").write_text('[llm]\nmodel = "openai/gpt-4o"\n')
    alone = {"HOME": str(tmp_path / "home")}
    with caplog.at_level("INFO", "assay"):
        assert not is_model_chosen(Options(), alone)
    assert f"{tmp_path / 'assay.toml'} names a model, which is not asked" in caplog.text
    assert is_model_chosen(Options(trust_folder=True), alone)
    assert is_model_chosen(Options(model="m"), alone)
    assert is_model_chosen(Options(), {**alone, "ASSAY_MODEL": "m"})
    (tmp_path / "assay.toml").unlink()
    assert not is_model_chosen(Options(), alone)
    (tmp_path / ".env").write_text("ASSAY_MODEL=gpt-4o\n")
    assert not is_model_chosen(Options(), alone)
    own_file(tmp_path, '[llm]\nmodel = "m"\n')
    (tmp_path / ".env").unlink()
    assert is_model_chosen(Options(), alone)


@pytest.mark.parametrize("name", [".env", "assay.toml"])
def test_pipe_in_the_place_of_settings_is_refused_at_once(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match=f"{name} is not a regular file"):
        settle(tmp_path, model="gpt-4o")


@pytest.mark.parametrize("name", [".env", "assay.toml"])
def test_folder_of_that_name_is_left_alone(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    assert settle(tmp_path, model="gpt-4o").endpoint.key == "sk-real"


@pytest.mark.parametrize("name", [".env", "assay.toml"])
def test_settings_that_would_take_long_to_read_are_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("# a comment\n" * 10_000)
    with pytest.raises(InputError, match=f"{name} is larger than 64 KiB"):
        settle(tmp_path, model="gpt-4o")
    (tmp_path / name).write_text("A=b" + " " * 5_000 + "c\n")
    with pytest.raises(InputError, match=f"{name} has a line of more than 4,096 bytes"):
        settle(tmp_path, model="gpt-4o")
