"""A model made ready to be asked: what is put around it, and what is refused before."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from aiohttp import web

from assay.core.errors import BudgetError, InputError
from assay.llm import Options, Scripted, connect
from assay.llm.calls.cache import SqliteReplies
from assay.llm.client import Message, ModelClient, Reply, Request, Wrapper
from assay.llm.connection import Connection, connect_dry
from assay.llm.costs.prices import Price

ALONE = {"XDG_CONFIG_HOME": "nowhere"}  # no settings of this machine
KEY = {**ALONE, "OPENAI_API_KEY": "sk-1"}
QUESTION = Request((Message("user", "Is it so?"),), example="yes", reply_tokens=10)


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Works where no `.env` and no settings file lie."""
    monkeypatch.chdir(tmp_path)


def layers(client: ModelClient) -> list[str]:
    """The names of all wrappers, outermost first, and of what is inside."""
    names = []
    while isinstance(client, Wrapper):
        names.append(type(client).__name__)
        client = client.client
    return [*names, type(client).__name__]


def made(model: str = "gpt-4o", environ: Mapping[str, str] = KEY, **options: object) -> Connection:
    return connect(model, Options(**options), environ=environ)  # type: ignore[arg-type]


@asynccontextmanager
async def served(answered: list[str]) -> AsyncIterator[str]:
    """The address of a server that counts what it answers."""

    async def answer(request: web.Request) -> web.Response:
        said = await request.json()
        answered.append(said["messages"][-1]["content"])
        message = {"role": "assistant", "content": f"yes {len(answered)}"}
        usage = {"prompt_tokens": 100, "completion_tokens": 20}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return web.json_response({"choices": [choice], "usage": usage})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    try:
        yield f"http://{host}:{port}/v1"
    finally:
        await runner.cleanup()


def test_import_of_the_package_and_of_connect_needs_no_aiohttp() -> None:
    code = "import sys\nfrom assay.llm import connect, Options\nprint('aiohttp' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_public_names_are_there() -> None:
    import assay.llm

    assert all(getattr(assay.llm, name) is not None for name in assay.llm.__all__)
    assert assay.llm.Scripted is Scripted
    with pytest.raises(AttributeError, match="no attribute 'conect'"):
        _ = assay.llm.conect


def test_only_what_is_asked_for_is_put_around_the_client() -> None:
    wanted = "Connection Traced Metered Retrying Concurrent HttpClient"
    assert layers(made()) == wanted.split()


def test_order_of_all_that_can_be_asked_for(tmp_path: Path) -> None:
    client = made(cache=str(tmp_path / "r.db"), budget_calls=5, requests_per_minute=60)
    wanted = "Traced Metered Cached Retrying Concurrent Budgeted RateLimited HttpClient"
    assert layers(client) == ["Connection", *wanted.split()]


def test_replies_of_a_run_are_kept_besides_the_cache(tmp_path: Path) -> None:
    with closing(SqliteReplies(tmp_path / "run.db")) as replies:
        assert layers(connect("gpt-4o", replies=replies, environ=KEY))[3] == "Cached"
        both = connect(
            "gpt-4o", Options(cache=str(tmp_path / "r.db")), replies=replies, environ=KEY
        )
        assert layers(both)[3:5] == ["Cached", "Cached"]


def test_model_named_first_wins() -> None:
    client = connect("gpt-4o", Options(model="other", seed=3), environ=KEY)
    assert client.model == "gpt-4o"
    assert client.settings.parameters.seed == 3
    assert connect(options=Options(model="other"), environ=KEY).model == "other"


def test_key_is_not_described() -> None:
    assert "sk-1" not in str(dict(made().describe()))


def test_missing_key_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(InputError, match="set OPENAI_API_KEY"):
        made(environ=ALONE)


def test_budget_in_money_without_a_price_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(InputError, match="no price is known for 'gpt-nonsense'"):
        made("gpt-nonsense", budget_usd=1.0)


def test_client_by_itself_keeps_replies_in_a_file_only() -> None:
    with pytest.raises(InputError, match="in a file, not at postgresql://host/team") as caught:
        made(cache="postgresql://me:secret@host/team")
    assert caught.value.field == "cache"


def test_unusable_cache_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, " * 100)
    with pytest.raises(InputError, match="not a cache of replies"):
        made(cache=str(path))


def test_dry_run_needs_no_key_and_knows_the_price() -> None:
    client = connect_dry("gpt-4o", environ=ALONE)
    assert asyncio.run(client.ask(QUESTION)).text == "yes"
    assert client.estimate.calls == 1
    assert client.estimate.expected is not None


def test_calls_are_made_metered_and_kept(tmp_path: Path) -> None:
    async def run() -> tuple[Reply, Reply, Connection]:
        async with served(answered) as address:
            options = Options(base_url=address, cache=str(tmp_path / "r.db"))
            client = connect("llama", options, environ=ALONE)
            async with client, client:
                return await client.ask(QUESTION), await client.ask(QUESTION), client

    answered: list[str] = []
    first, second, client = asyncio.run(run())
    assert (first.text, second.text, second.cached) == ("yes 1", "yes 1", True)
    assert answered == ["Is it so?"]
    meter = client.meter
    assert (meter.calls, meter.cached, meter.prompt_tokens, meter.completion_tokens) == (
        1,
        1,
        100,
        20,
    )
    assert meter.cost is None
    assert client.adaptations == ()
    assert not (tmp_path / "r.db-wal").exists()


def test_budget_in_money_stops_the_calls(tmp_path: Path) -> None:
    async def run() -> list[Reply | BaseException]:
        async with served(answered) as address:
            options = Options(base_url=address, prices=str(prices), budget_usd=0.01, max_tokens=100)
            async with connect("llama", options, environ=ALONE) as client:
                asked = (client.ask(Request((Message("user", str(n)),))) for n in range(30))
                ended = await asyncio.gather(*asked, return_exceptions=True)
                assert client.meter.cost == pytest.approx(len(answered) * spent)
                return ended

    # Each call takes 100 and 20 tokens at 2 and 10 a million: 0.0004. It could take 528 and 1 or 2
    # for its text, and 100: 0.00206. So a call is made while no more than 0.00794 are spent.
    prices = tmp_path / "prices.toml"
    prices.write_text("[llama]\ninput = 2\noutput = 10\n")
    spent = Price(2, 10).cost(100, 20)
    answered: list[str] = []
    ended = asyncio.run(run())
    failed = [each for each in ended if isinstance(each, BudgetError)]
    assert len(answered) == 20
    assert len(answered) + len(failed) == 30
