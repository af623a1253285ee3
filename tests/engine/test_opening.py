"""Runs opened with real clients that ask a server on loopback: begun, gone on with, refused."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.errors import InputError, ServiceError
from assay.datasets.selection import DataChoice
from assay.detectors.registry import DetectorSpec
from assay.engine.estimate import estimate_run
from assay.engine.models import ModelPool, SharedBudget
from assay.engine.opening import open_journal, open_run
from assay.engine.request import RunRequest
from assay.engine.session import Ending, Session
from assay.engine.summary import summarize
from assay.llm.settings.options import Options
from assay.store.runs import FolderRuns, RunStore, open_store
from tests.cli.loopback import FAITHFUL, Loopback, question
from tests.engine.conftest import COUNT, MANIFEST, write_rows


@pytest.fixture
def server() -> Iterator[Loopback]:
    """A server that finds everything faithful."""
    made = Loopback()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    for name in ("ASSAY_MODEL", "ASSAY_CONFIG", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


Make = Callable[..., RunRequest]


@pytest.fixture
def request_of(data: DataChoice, server: Loopback) -> Make:
    """Makes requests to judge the data with a model on the server."""

    def make(**options: object) -> RunRequest:
        votes = options.pop("votes", 1)
        settings = Options(base_url=server.url, attempts=1, **options)  # type: ignore[arg-type]
        spec = DetectorSpec("judge-simple", ("m",), votes=votes, options=settings)  # type: ignore[arg-type]
        return RunRequest(data, spec, name="a")

    return make


def go(
    request: RunRequest,
    store: RunStore,
    tick: Callable[[Session], None] = lambda session: None,
    *,
    resume: bool | None = False,
    retry: bool = False,
) -> Ending:
    with open_run(request, store, resume=resume, retry=retry) as session:
        return session.go(lambda: tick(session))


def judged(store: RunStore) -> int:
    with store.open("a") as journal:
        return journal.count()


def test_run_is_begun_and_every_reply_is_kept(
    request_of: Make, runs_at: str, server: Loopback
) -> None:
    store = open_store(runs_at)
    assert go(request_of(), store).state == "complete"
    summary = summarize(store, "a").to_dict()
    assert (summary["done"], summary["labels"]) == (COUNT, {"faithful": COUNT})
    assert summary["usage"]["calls"] == server.calls == COUNT
    assert summary["manifest"]["model"] == "m"


def test_run_that_is_interrupted_asks_nothing_twice(
    request_of: Make, runs_at: str, server: Loopback
) -> None:
    store = open_store(runs_at)

    def interrupt(session: Session) -> None:
        if session.standing.done >= 3:
            raise KeyboardInterrupt

    server.delay = 0.02
    assert go(request_of(concurrency=2), store, interrupt).state == "interrupted"
    assert 3 <= judged(store) < COUNT
    server.wait_until_left()
    cut_off = server.calls - summarize(store, "a").to_dict()["usage"]["calls"]
    assert cut_off <= 2  # calls that were under way
    server.delay = 0
    assert go(request_of(concurrency=2), store, resume=True).state == "complete"
    assert (judged(store), server.calls) == (COUNT, COUNT + cut_off)


def test_replies_of_an_example_that_was_not_judged_are_used_again(
    request_of: Make, store: RunStore, server: Loopback
) -> None:
    request = request_of(votes=3, budget_calls=COUNT)
    assert go(request, store).state == "budget"
    assert judged(store) < COUNT
    assert server.calls == COUNT
    more = request_of(votes=3, budget_calls=3 * COUNT)
    assert go(more, store, resume=True).state == "complete"
    assert (judged(store), server.calls) == (COUNT, 3 * COUNT)


def test_budget_ends_a_run_and_keeps_its_replies(
    request_of: Make, runs_at: str, server: Loopback
) -> None:
    store = open_store(runs_at)
    ending = go(request_of(budget_calls=7), store)
    assert (ending.state, judged(store), server.calls) == ("budget", 7, 7)
    assert "7 calls" in ending.detail
    again = go(request_of(budget_calls=7), store, resume=True)
    assert (again.state, server.calls) == ("budget", 7)
    assert go(request_of(budget_calls=100), store, resume=True).state == "complete"
    assert server.calls == COUNT


def test_failures_are_asked_for_again_as_a_second_round(
    request_of: Make, runs_at: str, server: Loopback
) -> None:
    store = open_store(runs_at)
    server.answer = lambda body: "??" if "Cat 3 " in question(body) else FAITHFUL
    assert go(request_of(), store).state == "complete"
    assert summarize(store, "a").to_dict()["failures"] == {"parse": 1}
    server.answer = lambda body: FAITHFUL
    before = server.calls
    assert go(request_of(), store, retry=True).state == "complete"
    assert server.calls == before + 1
    with store.open("a") as journal:
        said = {each.example: each for each in journal.read()}
        assert journal.failures() == 0
        assert journal.fact("retry") == {"attempt": 1, "open": False}
    assert (said["ex3"].round, said["ex3"].supersedes) == (2, "ex3/judge-simple m/1")
    assert {each.round for id, each in said.items() if id != "ex3"} == {1}


def test_retry_that_was_cut_off_goes_on_as_the_same_attempt(
    request_of: Make, store: RunStore, server: Loopback
) -> None:
    server.answer = lambda body: "??"
    go(request_of(), store)
    server.answer, server.delay = (lambda body: FAITHFUL), 0.02

    def interrupt(session: Session) -> None:
        if session.standing.done >= 3:
            raise KeyboardInterrupt

    assert go(request_of(concurrency=2), store, interrupt, retry=True).state == "interrupted"
    with store.open("a") as journal:
        assert journal.fact("retry") == {"attempt": 1, "open": True}
    server.delay = 0
    assert go(request_of(concurrency=2), store, retry=True).state == "complete"
    with store.open("a") as journal:
        assert (journal.failures(), journal.fact("retry")["attempt"]) == (0, 1)
        assert {each.round for each in journal.read()} == {2}


def test_service_that_is_down_ends_the_run(
    request_of: Make, tmp_path: Path, store: RunStore, server: Loopback
) -> None:
    server.status = 503
    many = replace(request_of(), data=write_rows(tmp_path / "many.jsonl", 200))
    with pytest.raises(ServiceError, match="the service seems to be down") as caught:
        go(many, store)
    assert caught.value.code == "service-down"
    assert server.calls < 100
    assert judged(store) >= 20


def test_wrong_key_leaves_no_empty_run(request_of: Make, runs_at: str, server: Loopback) -> None:
    server.status = 401
    store = open_store(runs_at)
    with pytest.raises(ServiceError):
        go(request_of(), store)
    assert store.names() == []
    server.status = 200
    assert go(request_of(), store).state == "complete"


def test_run_that_exists_is_refused_unless_it_may_go_on(
    request_of: Make, runs_at: str, server: Loopback
) -> None:
    store = open_store(runs_at)
    with pytest.raises(InputError, match="there is no run 'a'") as missing:
        go(request_of(), store, resume=True)
    assert missing.value.code == "no-such-run"
    assert go(request_of(budget_calls=5), store, resume=None).state == "budget"
    with pytest.raises(InputError, match=r"the run 'a' exists, 5 of 30") as exists:
        go(request_of(), store)
    assert (exists.value.code, exists.value.field) == ("run-exists", "name")
    assert go(request_of(), store, resume=None).state == "complete"
    with pytest.raises(InputError, match=r"30 of 30") as complete:
        go(request_of(), store)
    assert complete.value.code == "run-complete"
    assert go(request_of(), store, resume=None).state == "complete"
    assert server.calls == COUNT


def test_run_does_not_go_on_with_anything_else(
    request_of: Make, runs_at: str, tmp_path: Path
) -> None:
    store = open_store(runs_at)
    go(request_of(budget_calls=5), store)
    with pytest.raises(InputError, match=r"temperature: 0.0 -> 0.7") as caught:
        go(request_of(temperature=0.7), store, resume=True)
    assert caught.value.code == "run-changed"
    write_rows(tmp_path / "a.jsonl", COUNT + 1)
    with pytest.raises(InputError, match=r"examples: 30 -> 31"):
        go(request_of(), store, resume=None)
    write_rows(tmp_path / "a.jsonl", COUNT)
    renamed = write_rows(tmp_path / "renamed.jsonl", COUNT)
    assert go(replace(request_of(), data=renamed), store, resume=True).state == "complete"


def test_second_process_is_refused_and_told_how_far_the_first_is(
    request_of: Make, runs_at: str
) -> None:
    store = open_store(runs_at)
    with open_run(request_of(), store):
        for resume in (False, True, None):
            with pytest.raises(InputError, match="another process") as caught:
                go(request_of(), open_store(runs_at), resume=resume)
            assert caught.value.code == "run-locked"


@pytest.mark.parametrize(("calls", "names"), [(0, []), (1, ["a"])])
def test_new_journal_is_removed_only_if_an_error_leaves_nothing_in_it(
    calls: int, names: list[str], store: RunStore
) -> None:
    def begin() -> None:
        with open_journal(store, "a", MANIFEST, goes_on=False) as journal:
            journal.keep(usage={"calls": calls})
            raise InputError("stop")

    with pytest.raises(InputError, match="stop"):
        begin()
    assert store.names() == names


def test_pools_beside_each_other_share_usage_and_budget(server: Loopback, tmp_path: Path) -> None:
    options = Options(base_url=server.url, budget_calls=2)
    shared = SharedBudget()
    first = ModelPool(("m",), options, budget=shared)
    second = ModelPool(("n",), options, budget=shared, usage=first.usage)
    with FolderRuns(tmp_path / "runs").create("a", MANIFEST) as journal:
        journal.keep(usage={"calls": 2})
        for pool in (first, second):
            pool.attach(journal)
        assert first.usage.record()["calls"] == 2
        assert first.usage.record()["spent"][2] == 2


def test_estimate_counts_calls_and_sends_nothing(
    request_of: Make, server: Loopback, tmp_path: Path
) -> None:
    found = estimate_run(request_of())
    assert (found.examples, found.models["m"].calls) == (COUNT, COUNT)
    voting = estimate_run(request_of(votes=3))
    assert voting.models["m"].calls == 3 * COUNT
    sample = replace(request_of(), data=DataChoice(str(tmp_path / "a.jsonl"), sample=4))
    assert (estimate_run(sample).examples, estimate_run(sample).models["m"].calls) == (4, 4)
    assert server.calls == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.jsonl"]


def test_estimate_counts_every_stage_as_if_all_came_to_it(data: DataChoice) -> None:
    localizing = RunRequest(data, DetectorSpec("localize-zero", ("m",)))
    alone = estimate_run(localizing).models["m"].calls
    spec = DetectorSpec("localize-zero:two-step=judge-simple", ("m",))
    both = estimate_run(RunRequest(data, spec)).models["m"].calls
    assert (alone, both) == (COUNT, 2 * COUNT)


def test_estimate_of_a_detector_that_asks_nobody_is_no_calls(data: DataChoice) -> None:
    found = estimate_run(RunRequest(data, DetectorSpec("overlap")))
    assert (found.examples, found.models) == (COUNT, {})
