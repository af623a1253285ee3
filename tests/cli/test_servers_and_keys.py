"""Commands name the server before texts go there, and nothing that they leave behind has a key."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from aiohttp import web

from tests.cli.conftest import Workplace, assay, line_of
from tests.cli.loopback import FAITHFUL, Loopback

KEY = "sk-echo/0123456789abcdefghij"


class Echo(Loopback):
    """Repeats the key that it is sent, in one of several ways."""

    def __init__(self) -> None:
        self.way = "reply"
        super().__init__()

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        said = request.headers["Authorization"]
        key = said.removeprefix("Bearer ")
        self.asked[self.way] += 1
        if self.way == "error":
            error = {"error": {"message": "x" * 280 + f" you sent {said}", "code": key}}
            return web.json_response(error, status=400)
        if self.way.startswith("utf-"):
            body = json.dumps({"error": {"message": f"bad key {key}"}}).encode(self.way)
            return web.Response(body=body, status=401, content_type="application/json")
        if self.way == "page":
            return web.Response(text="y" * 1970 + said, status=500, content_type="text/html")
        if self.way == "redirect":
            there = f"http://localhost:1/{key}?{quote(key)}"
            return web.Response(status=302, headers={"Location": there})
        if self.way == "unfinished":
            return web.Response(text='{"choices": [{"message": "' + said)
        text = {
            "reply": f'{FAITHFUL[:-1]}, "key": "{key}"}}',
            "unreadable": f"I was called with {said}.",
            "escaped": f"{FAITHFUL} {''.join(f'%{ord(letter):02X}' for letter in key)}",
        }.get(self.way, FAITHFUL)
        pieces = [{"token": piece, "logprob": -0.1} for piece in (key[:8], key[8:])]
        choice = {
            "message": {"content": text, "refusal": said if self.way == "refusal" else None},
            "finish_reason": "stop",
            "logprobs": {"content": pieces},
        }
        answer = web.StreamResponse(headers={"Content-Type": "application/json", "X-Key": said})
        await answer.prepare(request)
        body = json.dumps({"choices": [choice], "id": said}).encode()
        for start in range(0, len(body), 7):  # in small pieces, which split the key
            await answer.write(body[start : start + 7])
        return answer


@pytest.fixture
def server() -> Iterator[Echo]:
    made = Echo()
    yield made
    made.close()


WAYS = [
    "reply", "unreadable", "escaped", "refusal", "error", "page", "redirect", "unfinished",
    "utf-16", "utf-16-le", "utf-32",
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_key_that_a_server_repeats_is_in_no_file_and_no_line(
    way: str,
    work: Callable[..., Workplace],
    server: Echo,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    place = work(2)
    server.way = way
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ASSAY_STATE", str(tmp_path / "state"))
    common = ("--model", "m", "--detector", "judge-simple", "--logprobs", "--attempts", "1")
    ran = place.assay("run", "data.jsonl", *common, "--cache", "run.db", "--json")
    checked = place.assay("check", "data.jsonl", *common, "--cache", "c.db", "--html", "page.html")
    exported = place.assay("runs", "export", "data--judge-simple--m", "--out", "run.json")
    assert server.calls
    said = "".join(each.output for each in (ran, checked, exported)).encode()
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert (tmp_path / "run.db").exists()
    for raw in (said, *written, *(each.replace(b"\0", b"") for each in written)):
        assert not any(form in raw for form in (KEY.encode(), KEY[8:].encode(), KEY[:20].encode()))
        assert b"%73%6B%2D" not in raw


def test_server_is_named_once_and_on_standard_error(
    work: Callable[..., Workplace], server: Echo
) -> None:
    place = work(3)
    server.way = "good"
    line = f"assay: texts go to {server.url} (model m)\n"
    options = ("--detector", "judge-simple", "--model", "m")
    done = place.assay("check", "data.jsonl", *options, "--json")
    assert done.stderr.count(line) == 1
    document = json.loads(done.stdout)
    assert document["manifest"]["parameters"]["base_url"] == server.url
    dry = place.assay("check", "data.jsonl", *options, "--dry-run")
    assert dry.stderr == line.replace("texts go", "texts would go")
    quiet = place.assay("run", "data.jsonl", *options, "--quiet")
    assert "texts" not in quiet.stderr


def test_quiet_command_still_names_a_server_that_the_folder_chose(
    work: Callable[..., Workplace], server: Echo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = work(1)
    server.way = "good"
    monkeypatch.delenv("OPENAI_BASE_URL")
    settings = tmp_path / "assay.toml"
    settings.write_text(f'[llm]\nbase_url = "{server.url}"\n')
    refused = line_of(place.run())
    assert refused.startswith(f"{settings} sets base_url to '{server.url}', and a working folder")
    assert refused.endswith("; --trust-folder trusts it this once")
    assert server.calls == 0
    trusted = place.run("--trust-folder")
    assert f"texts go to {server.url} (model m), as {settings} says" in trusted.stderr
    assert server.calls == 1


def test_quiet_command_still_says_which_key_price_and_cache_are_the_folders(
    work: Callable[..., Workplace], server: Echo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = work(1)
    server.way = "good"
    monkeypatch.delenv("OPENAI_API_KEY")
    (tmp_path / ".env").write_text("OPENAI_API_KEY=a-key-of-theirs\n")
    settings = tmp_path / "assay.toml"
    settings.write_text('[llm]\ncache = "r.db"\n[llm.prices.m]\ninput = 0\noutput = 0\n')
    first = place.run()
    assert (
        f"(model m, without a price, since the one in {settings} counts only if you trust the "
        f"folder), with the key in {tmp_path / '.env'}\n"
    ) in first.stderr
    assert f"assay: replies are kept in {tmp_path / 'r.db'}, as {settings} says\n" in first.stderr
    calls = server.calls
    again = place.assay(
        "check", "data.jsonl", "--detector", "judge-simple", "--model", "m", "--quiet"
    )
    assert server.calls == calls
    told = f"assay: replies come from {tmp_path / 'r.db'}, as {settings} says\n"
    assert again.stderr.count(told) == 1


def test_budget_in_dollars_does_not_rest_on_a_price_of_the_folder(
    work: Callable[..., Workplace], server: Echo, tmp_path: Path
) -> None:
    place = work(1)
    (tmp_path / "assay.toml").write_text("[llm.prices.m]\ninput = 0\noutput = 0\n")
    refused = place.run("--budget-usd", "0.01")
    assert (refused.exit_code, server.calls) == (2, 0)
    server.way = "good"
    assert place.run("--budget-usd", "0.01", "--trust-folder").exit_code == 0


def test_discourse_stays_here_where_only_the_folder_names_a_model(
    work: Callable[..., Workplace], server: Echo, tmp_path: Path
) -> None:
    work(1)
    (tmp_path / ".env").write_text("ASSAY_MODEL=m\n")
    done = assay("check", "data.jsonl", "--discourse", "--json")
    assert (server.calls, done.exit_code) == (0, 0)
    assert f"{tmp_path / '.env'} names a model, which is not asked" in done.stderr
    assert json.loads(done.stdout)["manifest"]["detector"] == "discourse-offline"


def test_budget_in_dollars_behind_an_address_goes_by_the_models_name(
    work: Callable[..., Workplace], server: Echo
) -> None:
    place = work(1)
    server.way = "good"
    options = ("--detector", "judge-simple", "--budget-usd", "1", "--model")
    done = place.assay("run", "data.jsonl", *options, "openai/gpt-4o-2024-11-20")
    priced = "at the price of openai/gpt-4o: $2.5 in, $10 out per million tokens)"
    assert f"{server.url} (model gpt-4o-2024-11-20, {priced}" in done.stderr
    assert done.exit_code == 0
    unknown = line_of(place.assay("run", "data.jsonl", *options, "nonesuch"))
    assert "no price is known for 'nonesuch'; give it with --prices FILE" in unknown
