"""Where a model is and with which key it is asked, from its name."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.system.plugins import find_plugins
from assay.llm.settings.providers import (
    FoundModel,
    add_providers,
    all_providers,
    check_base_url,
    find_endpoint,
    is_loopback,
    known_providers,
)

KEYS = {"OPENAI_API_KEY": "sk-openai", "GROQ_API_KEY": "gsk-groq"}


def find(name: str, environ: Mapping[str, str] = KEYS, **options: Any) -> FoundModel:
    return find_endpoint(name, environ, known_providers(), **options)


def test_all_promised_providers_are_known() -> None:
    promised = "openai azure anthropic gemini deepseek mistral groq together openrouter xai"
    own = "fireworks vllm llamacpp ollama lmstudio"
    assert set(known_providers()) == set(f"{promised} {own}".split())


def test_every_known_address_can_be_used() -> None:
    for provider in known_providers().values():
        if not provider.base_url.startswith("$"):
            assert check_base_url(provider.base_url) == provider.base_url
        assert provider.key_env
        assert provider.free == (not provider.needs_key)


def test_known_provider_gets_the_name_without_its_prefix() -> None:
    endpoint = find("groq/openai/gpt-oss-20b").endpoint
    assert endpoint.name == "groq/openai/gpt-oss-20b"
    assert endpoint.model == "openai/gpt-oss-20b"
    assert endpoint.base_url == "https://api.groq.com/openai/v1"
    assert (endpoint.provider, endpoint.key) == ("groq", "gsk-groq")


def test_provider_names_may_be_written_large() -> None:
    assert find("Groq/llama").endpoint.provider == "groq"


def test_bare_name_goes_to_openai() -> None:
    endpoint = find("gpt-4o").endpoint
    assert (endpoint.provider, endpoint.model, endpoint.key) == ("openai", "gpt-4o", "sk-openai")


def test_given_base_url_wins_and_the_name_is_sent_whole() -> None:
    endpoint = find("groq/llama", base_url="https://gateway.example/v1/").endpoint
    assert (endpoint.model, endpoint.base_url) == ("groq/llama", "https://gateway.example/v1")
    assert (endpoint.provider, endpoint.key) == ("", "sk-openai")


def test_given_base_url_may_do_without_a_key() -> None:
    found = find("llama", {}, base_url="https://gateway.example/v1")
    assert (found.endpoint.key, found.missing_key) == ("", "")


def test_given_base_url_of_a_known_provider_takes_its_key() -> None:
    endpoint = find("llama", base_url="https://api.groq.com/openai/v1").endpoint
    assert (endpoint.provider, endpoint.key) == ("groq", "gsk-groq")


def test_local_server_is_known_by_either_name_of_this_machine() -> None:
    found = find("llama", {}, base_url="http://127.0.0.1:11434/v1")
    assert (found.endpoint.provider, found.free) == ("ollama", True)


def test_openai_base_url_gets_what_has_no_known_prefix() -> None:
    own = {**KEYS, "OPENAI_BASE_URL": "http://localhost:9000/v1"}
    endpoint = find("meta-llama/Llama-3", own).endpoint
    assert (endpoint.model, endpoint.base_url) == ("meta-llama/Llama-3", own["OPENAI_BASE_URL"])
    assert find("groq/llama", own).endpoint.provider == "groq"


def test_openai_base_url_also_gets_openai_by_name() -> None:
    own = {**KEYS, "OPENAI_BASE_URL": "https://gateway.example/v1"}
    endpoint = find("openai/gpt-4o", own).endpoint
    assert (endpoint.model, endpoint.base_url) == ("gpt-4o", "https://gateway.example/v1")


def test_unknown_prefix_names_the_providers_and_the_way_out() -> None:
    with pytest.raises(InputError, match=r"'opnai'.*Did you mean 'openai'.*base URL") as caught:
        find("opnai/gpt-4o")
    assert "\n" not in str(caught.value)


def test_provider_without_a_model_is_refused() -> None:
    with pytest.raises(InputError, match="'groq/' names a provider but no model"):
        find("groq/")


def test_missing_key_is_told_with_its_variable() -> None:
    assert "ANTHROPIC_API_KEY" in find("anthropic/claude-haiku-4-5").missing_key
    assert "GEMINI_API_KEY or GOOGLE_API_KEY" in find("gemini/gemini-2.5-pro").missing_key
    assert "no key for openai" in find("gpt-4o", {"OPENAI_API_KEY": "  "}).missing_key


def test_second_variable_of_a_provider_counts_as_well() -> None:
    assert find("gemini/gemini-2.5-pro", {"GOOGLE_API_KEY": "g"}).endpoint.key == "g"


def test_named_variable_takes_the_place_of_the_usual() -> None:
    assert find("gpt-4o", {**KEYS, "MINE": " my-key\n"}, key_env="MINE").endpoint.key == "my-key"
    assert "set MINE" in find("gpt-4o", KEYS, key_env="MINE").missing_key


def test_key_with_a_space_inside_is_refused_and_not_shown() -> None:
    with pytest.raises(InputError, match="OPENAI_API_KEY") as caught:
        find("gpt-4o", {"OPENAI_API_KEY": "sk-secret with"})
    assert "secret" not in str(caught.value)


def test_key_is_not_in_the_representation() -> None:
    assert "sk-openai" not in repr(find("gpt-4o"))


def test_loopback_needs_no_key() -> None:
    providers = add_providers({"openai": {"base_url": "http://127.0.0.1:5000/v1"}}, "file")
    assert find_endpoint("gpt-4o", {}, providers).missing_key == ""
    assert find("ollama/llama3.2", {}).missing_key == ""


def test_azure_is_at_the_address_of_the_resource() -> None:
    for address in ("https://me.openai.azure.com/", "https://me.openai.azure.com/openai/v1"):
        environ = {"AZURE_OPENAI_ENDPOINT": address, "AZURE_OPENAI_API_KEY": "k"}
        endpoint = find("azure/my-deployment", environ).endpoint
        assert endpoint.base_url == "https://me.openai.azure.com/openai/v1"
        assert endpoint.model == "my-deployment"


def test_azure_without_its_address_says_what_to_set() -> None:
    with pytest.raises(InputError, match="set AZURE_OPENAI_ENDPOINT"):
        find("azure/my-deployment", {"AZURE_OPENAI_API_KEY": "k"})


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("https://x.example/v1/", "https://x.example/v1"),
        (" http://localhost:8000/v1 ", "http://localhost:8000/v1"),
        ("https://x.example/v1/chat/completions", "https://x.example/v1"),
        ("https://x.example/v1/chat/completions/", "https://x.example/v1"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
    ],
)
def test_address_loses_what_clients_add(given: str, wanted: str) -> None:
    assert check_base_url(given) == wanted


@pytest.mark.parametrize(
    "address",
    [
        "localhost:8000/v1",
        "ftp://x.example",
        "https://",
        "https:///v1",
        "http://x.example:99999/v1",
        "http://[::1/v1",
        "http://x example/v1",
        "https://x.example/v1?api-version=1",
        "https://me:secret@x.example/v1",
    ],
)
def test_unusable_address_is_refused_in_one_line(address: str) -> None:
    with pytest.raises(InputError) as caught:
        check_base_url(address)
    assert "\n" not in str(caught.value)


def test_unusable_address_is_told_with_where_it_stands() -> None:
    with pytest.raises(InputError, match=r"^OPENAI_BASE_URL must be an address"):
        find("gpt-4o", {"OPENAI_BASE_URL": "localhost"})
    with pytest.raises(InputError, match=r"^AZURE_OPENAI_ENDPOINT must be an address"):
        find("azure/x", {"AZURE_OPENAI_ENDPOINT": "me", "AZURE_OPENAI_API_KEY": "k"})
    with pytest.raises(InputError, match=r"^file\.mine: base_url must be an address"):
        add_providers({"mine": {"base_url": "nonsense"}}, "file")


def test_loopback_is_this_machine_alone() -> None:
    here = ("http://localhost/v1", "http://127.0.0.2:80", "http://[::1]:80", "http://a.localhost")
    assert all(map(is_loopback, here))
    assert not any(map(is_loopback, ("http://10.0.0.1", "http://localhost.example")))


def test_user_adds_a_provider() -> None:
    table = {"mine": {"base_url": "https://mine.example/v1/", "key_env": "MINE_KEY"}}
    providers = add_providers(table, "assay.toml [llm.providers]")
    endpoint = find_endpoint("mine/llama", {"MINE_KEY": "k"}, providers).endpoint
    assert (endpoint.base_url, endpoint.key) == ("https://mine.example/v1", "k")
    assert "MINE_KEY" in find_endpoint("mine/llama", {}, providers).missing_key


def test_address_of_a_users_provider_may_be_in_a_variable() -> None:
    table = {"mine": {"base_url": "$MINE_URL/v1/"}, "whole": {"base_url": "$MINE_URL"}}
    providers = add_providers(table, "file")
    environ = {"MINE_URL": "https://mine.example/"}
    assert find_endpoint("mine/m", environ, providers).endpoint.base_url == (
        "https://mine.example/v1"
    )
    assert find_endpoint("whole/m", environ, providers).endpoint.base_url == "https://mine.example"
    with pytest.raises(InputError, match="no address for mine: set MINE_URL"):
        find_endpoint("mine/m", {}, providers)
    for bad in ("$", "$9", "$A B", "$A?x", "$A.example"):
        with pytest.raises(InputError, match="base_url must be an address"):
            add_providers({"mine": {"base_url": bad}}, "file")


def test_user_provider_without_a_variable_needs_no_key() -> None:
    providers = add_providers({"mine": {"base_url": "https://mine.example"}}, "file")
    assert find_endpoint("mine/llama", {}, providers).missing_key == ""


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"mine": {"key_env": "K"}}, "needs a base_url"),
        ({"mine": "https://mine.example"}, "must be a table"),
        ({"mine": {"base_url": "https://a.example", "url": "x"}}, "unknown setting 'url'"),
        ({"mine": {"base_url": "https://a.example", "key_env": [1]}}, "key_env must be"),
    ],
)
def test_bad_provider_is_refused(table: object, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        add_providers(table, "file")


def test_errors_of_a_provider_are_read_from_its_table() -> None:
    table = {
        "mine": {"base_url": "http://here/v1", "errors": {"529": "later", "No Such": "unknown"}}
    }
    providers = add_providers(table, "file")
    assert providers["mine"].errors == {"529": "later", "no such": "unknown"}
    assert find_endpoint("mine/m", {}, providers).endpoint.errors == providers["mine"].errors


def test_unknown_kind_of_error_is_refused() -> None:
    with pytest.raises(InputError, match=r"file\.mine: unknown kind of error 'latr'.*'later'"):
        add_providers({"mine": {"base_url": "http://here/v1", "errors": {"529": "latr"}}}, "file")


def test_unknown_provider_has_a_code() -> None:
    with pytest.raises(InputError) as caught:
        find("opnai/gpt-4o")
    assert (caught.value.code, caught.value.field) == ("unknown-provider", "model")


PLUGIN = """
from assay.llm.settings.providers import Provider
ACME = Provider("acme", "https://models.acme.example/v1", ("ACME_KEY",), errors={"418": "later"})
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package that offers the provider `acme`."""
    info = tmp_path / "acme_models-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-models\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[assay.providers]\nacme = acme_models:ACME\n")
    (tmp_path / "acme_models.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    find_plugins.cache_clear()
    yield
    find_plugins.cache_clear()


@pytest.mark.usefixtures("plugin")
def test_provider_of_another_package_is_used_by_name() -> None:
    endpoint = find("Acme/large-1", {"ACME_KEY": "k"}).endpoint
    assert (endpoint.provider, endpoint.model, endpoint.key) == ("acme", "large-1", "k")
    assert endpoint.base_url == "https://models.acme.example/v1"
    assert endpoint.errors == {"418": "later"}


@pytest.mark.usefixtures("plugin")
def test_provider_of_another_package_is_listed_and_can_be_changed() -> None:
    assert set(all_providers()) == {*known_providers(), "acme"}
    changed = add_providers({"acme": {"key_env": "MINE"}}, "file")["acme"]
    assert (changed.base_url, changed.key_env) == ("https://models.acme.example/v1", ("MINE",))
