"""`assay bench-server` with servers on loopback that answer well, badly, or not at all."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from click.testing import Result

from tests.cli.conftest import assay, line_of
from tests.cli.loopback import FAITHFUL, Loopback, question

QUICK = ("--concurrency", "1,2", "--source-words", "20")
CALLS = 12 + 3 * (4 + 4)  # the first, three about features, four pairs, and two levels


class ModelServer(Loopback):
    """Lists its models; after so many good answers it fails. It keeps to schemas."""

    def __init__(self) -> None:
        self.models: Any = [{"id": "m"}]
        self.fails_after = 10_000
        self.key = ""
        self.counts = True
        self.remembers = False
        self.seen: list[str] = []
        super().__init__(lambda body: self.say(body))

    def say(self, body: dict[str, Any]) -> str:
        """A verdict, or what the schema of a bench wants."""
        wanted = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        asks_colour = "colour" in wanted.get("properties", {})
        return json.dumps({"colour": "red", "sure": "no"}) if asks_colour else FAITHFUL

    async def _serve(self) -> tuple[web.AppRunner, int]:
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/v1/chat/completions", self._respond)
        app.router.add_get("/v1/models", self._list)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner, runner.addresses[0][1]

    async def _list(self, request: web.Request) -> web.StreamResponse:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if self.key and given != self.key:
            return web.json_response({"error": {"message": f"bad key {given}".strip()}}, status=401)
        return web.json_response({"object": "list", "data": self.models})

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        if self.calls >= self.fails_after:
            self.asked[question(body)] += 1
            return web.json_response({"error": {"message": "broken"}}, status=500)
        if body["model"] not in [each["id"] for each in self.models or [{"id": "m"}]]:
            error = {"error": {"message": "no such model", "code": "model_not_found"}}
            return web.json_response(error, status=404)
        if not self.counts or self.remembers:
            self.asked[question(body)] += 1
            choice = {"message": {"content": self.say(body)}, "finish_reason": "stop"}
            usage = {"usage": self._usage(question(body))} if self.counts else {}
            return web.json_response({"choices": [choice], **usage})
        return await super()._respond(request)

    def _usage(self, text: str) -> dict[str, Any]:
        """A letter a token; known is the longest beginning that was seen before."""
        known = max((shared(text, each) for each in self.seen), default=0)
        self.seen.append(text)
        details = {"cached_tokens": min(known, len(text) - 1)}
        return {
            "prompt_tokens": len(text),
            "completion_tokens": 9,
            "prompt_tokens_details": details,
        }


def shared(one: str, other: str) -> int:
    """The length of the beginning that two texts have in common."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModelServer]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("ASSAY_MODEL", "ASSAY_CONFIG", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    made = ModelServer()
    yield made
    made.close()


def document(done: Result) -> dict[str, Any]:
    """What the command prints as JSON."""
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_server_is_measured_and_settings_are_recommended(server: ModelServer) -> None:
    done = assay("bench-server", server.url, *QUICK, "--json")
    assert done.exit_code == 0, done.output
    found = document(done)
    assert (found["model"], found["calls"], server.calls) == ("m", CALLS, CALLS)
    assert found["ended"] == "all that was wanted is measured"
    assert [each["concurrency"] for each in found["levels"]] == [1, 2]
    for level in found["levels"]:
        assert (level["rounds"], level["calls"], level["failures"]) == (3, 12, {})
        assert level["calls_per_second"]["n"] == 3
        assert level["latency"]["n"] == 12
        assert level["latency_p95"] == level["latency"]["high"]  # of 12 calls
        ratio = level["prompt_tokens_per_second"]["low"] / level["calls_per_second"]["low"]
        assert ratio == pytest.approx(100)  # tokens of each prompt, as the server reports
    features = found["features"]
    assert (features["schemas_kept"], features["schemas_answered"]) == (2, 2)
    assert features["probabilities"] is False
    assert found["prefix_cache"]["time_ratio"]["n"] == 4
    assert found["settings"] == {
        "model": "m",
        "base_url": server.url,
        "concurrency": found["choice"]["concurrency"],
    }
    assert len(found["choice"]["by_round"]) == 3


def test_the_lines_to_copy_are_commands_and_settings_that_work(
    server: ModelServer, tmp_path: Path
) -> None:
    done = assay("bench-server", server.url, *QUICK)
    lines = done.stdout.splitlines()
    (command,) = [line for line in lines if line.startswith("assay run DATA ")]
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps({"source": "A cat sat.", "response": "A cat sat."}), "utf-8")
    before = server.calls
    arguments = command.replace("DATA", str(data)).split()[1:]
    assert assay(*arguments).exit_code == 0
    assert server.calls == before + 1
    settings = tmp_path / "config" / "assay" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("\n".join(lines[lines.index("[llm]") :]), "utf-8")
    assert assay("run", str(data), "--detector", "judge-simple", "--name", "two").exit_code == 0
    assert server.calls == before + 2


def test_failed_calls_are_told_and_nothing_is_recommended(server: ModelServer) -> None:
    server.fails_after = CALLS - 6
    done = assay("bench-server", server.url, *QUICK, "--json")
    assert done.exit_code == 3
    found = document(done)
    assert (found["choice"], found["settings"], found["ended"]) == (None, {}, "calls failed")
    (failure,) = found["failures"]
    assert failure.startswith("transport: ")
    assert found["failures"][failure] == found["levels"][-1]["failures"][failure] == 6
    assert "6 calls failed (transport: " in done.stderr
    words = assay("bench-server", server.url, *QUICK, "--quiet")
    assert words.exit_code == 2  # nothing is answered any more
    assert "nothing was measured: " in words.stderr


def test_a_budget_ends_it_before_a_round_that_exceeds_it(server: ModelServer) -> None:
    done = assay("bench-server", server.url, *QUICK, "--budget-calls", "30", "--json")
    assert server.calls == 28
    assert document(done)["ended"] == "the next round would exceed 30 calls"
    assert document(done)["choice"] is None
    assert done.exit_code == 0


def test_a_slow_server_is_measured_no_longer_than_is_allowed(server: ModelServer) -> None:
    server.delay = 60
    message = line_of(assay("bench-server", server.url, *QUICK, "--seconds", "1", "--quiet"))
    assert "in 1 call: the 1 s were over" in message
    assert "--seconds" in message


def test_a_dry_run_counts_the_calls_and_sends_none(server: ModelServer) -> None:
    done = assay("bench-server", server.url, *QUICK, "--dry-run", "--json")
    (estimate,) = document(done)["judge-simple"]["models"].values()
    assert estimate["calls"] == CALLS
    assert estimate["prompt_tokens"] > 100 * CALLS
    assert estimate["most_tokens"] >= estimate["prompt_tokens"] + 128 * CALLS
    whole = assay("bench-server", server.url, "--source-words", "20", "--dry-run", "--json")
    (most,) = document(whole)["judge-simple"]["models"].values()
    assert most["calls"] == 400
    assert server.calls == 0


def test_dry_run_counts_what_is_asked(server: ModelServer) -> None:
    """The plan of a dry run and the calls of a bench are the same."""
    dry = document(assay("bench-server", server.url, *QUICK, "--dry-run", "--json"))
    (estimate,) = dry["judge-simple"]["models"].values()
    assay("bench-server", server.url, *QUICK, "--quiet")
    assert server.calls == estimate["calls"]


Change = Callable[[ModelServer], None]


def _two_models(server: ModelServer) -> None:
    server.models = [{"id": "one"}, {"id": "two"}]


def _no_list(server: ModelServer) -> None:
    server.models = {"nothing": "here"}


def _wants_key(server: ModelServer) -> None:
    server.key = "k"


@pytest.mark.parametrize(
    ("change", "more", "said"),
    [
        (_two_models, (), "name the model of URL: it has one, two (--model)"),
        (_two_models, ("--model", "three"), "the server has no model 'three'; it has one, two"),
        (_no_list, (), "URL does not list its models as an OpenAI-compatible server does: check"),
        (_wants_key, (), "requires a key (401: bad key): set the environment variable"),
        (_two_models, ("--key-env", "NO_SUCH"), "no key for URL: set NO_SUCH in the environment"),
    ],
)
def test_what_cannot_be_asked_is_told_in_a_line(
    change: Change, more: tuple[str, ...], said: str, server: ModelServer
) -> None:
    change(server)
    message = line_of(assay("bench-server", server.url, *QUICK, *more, "--quiet"))
    assert said.replace("URL", server.url) in message


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("http://127.0.0.1:1/v1",), "cannot reach 127.0.0.1:1"),
        (("localhost:8000",), "must be an address like http://localhost:8000/v1"),
        (("http://me:hunter2@127.0.0.1:1/v1",), "must not contain '?', '#', or a name or key"),
        (("http://me:hunter2@127.0.0.1:0/v1",), "must not contain '?', '#', or a name or key"),
        (("//me:hunter2@127.0.0.1/v1",), "must not contain '?', '#', or a name or key"),
        (("https://x.example/v1", "--model", "m"), "may charge for up to 400 calls: give a budget"),
        (("http://127.0.0.1:1/v1", "--concurrency", "0,2"), "must be numbers from 1 to 512"),
        (("http://127.0.0.1:1/v1", "--concurrency", "many"), "must be numbers from 1 to 512"),
        (("http://127.0.0.1:1/v1", "--detector", "p-true"), "shows the source to no model"),
        (("http://127.0.0.1:1/v1", "--detector", "overlap"), "'overlap' asks no model"),
    ],
)
def test_bad_input_is_told_in_a_line_without_a_password(
    arguments: tuple[str, ...], said: str, server: ModelServer
) -> None:
    done = assay("bench-server", *arguments, "--quiet")
    assert said in line_of(done)
    assert "hunter2" not in done.output


def test_tokens_that_a_server_does_not_count_are_estimated(server: ModelServer) -> None:
    server.counts = False
    done = assay("bench-server", server.url, *QUICK, "--json")
    assert [each["tokens_estimated"] for each in document(done)["levels"]] == [True, True]
    assert "estimated here" in assay("bench-server", server.url, *QUICK).stdout


def test_the_cache_of_a_server_is_seen_by_what_it_says(server: ModelServer) -> None:
    server.remembers = True
    done = assay("bench-server", server.url, *QUICK, "--json")
    cache = document(done)["prefix_cache"]
    assert cache["works"] == "yes"
    assert cache["known_share_again"]["low"] > cache["known_share_new"]["high"]
    assert document(done)["shortened_prompts"] == 0
    assert "prefix cache   yes: " in assay("bench-server", server.url, *QUICK).stdout


def test_a_server_that_cuts_prompts_without_an_error_is_noticed(server: ModelServer) -> None:
    # It says that every prompt has 100 tokens, and these have a thousand.
    done = assay("bench-server", server.url, "--concurrency", "1,2", "--source-words", "600")
    assert "the server counts under half of the tokens that 24 prompts should have" in done.stderr


def test_a_key_that_the_list_of_models_repeats_is_not_shown(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.key = "another"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-echo-0123456789")
    done = assay("bench-server", server.url, *QUICK, "--quiet")
    assert "does not accept the key (401: bad key ***)" in line_of(done)
    assert "0123456789" not in done.output
