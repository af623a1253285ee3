"""Jobs: accepted, judged, looked at, cancelled, removed, and gone on with."""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web

import assay
from assay.app.jobs import Job, Jobs
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated, Example
from assay.core.rendering import read_source
from assay.core.texts import Response
from assay.detectors.judges import judging
from assay.detectors.overlap import OverlapDetector
from assay.detectors.registry import DetectorSpec
from assay.engine import job_worker, prepared
from assay.engine.check import CheckRequest
from assay.engine.job_place import _folder_aside as folder_aside
from assay.engine.job_worker import MOST_ATTEMPTS
from assay.engine.opening import open_run
from assay.llm.settings.options import Options
from assay.store.database import is_url
from assay.store.jobs import jobs as stored
from assay.web.errors import _PRIVATE
from tests.cli.loopback import Loopback

LIMIT = 60.0
OVERLAP = {"overlap": CheckRequest(DetectorSpec("overlap"))}
MakeJobs = Callable[..., Jobs]


def rows(count: int, word: str = "sat") -> list[Example]:
    """Examples of two sentences, whose ids repeat."""
    return [
        Example(
            f"ex{number % 3}",
            read_source(f"Cat {number} {word}."),
            Response(f"Cat {number} sat. Cat {number} ran."),
        )
        for number in range(count)
    ]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """A model that finds everything faithful."""
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    made = Loopback()
    yield made
    made.close()


def judge(server: Loopback, concurrency: int = 2, **more: int) -> dict[str, CheckRequest]:
    options = Options(base_url=server.url, concurrency=concurrency, **more)  # type: ignore[arg-type]
    return {"judge": CheckRequest(DetectorSpec("judge-simple", ("m",), options=options))}


@pytest.fixture
def make_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeJobs]:
    """Makes jobs at a place, which look around often; they are closed at the end."""
    for name, seconds in (("_POLL", 0.05), ("_BEAT", 0.02), ("_SEARCH", 0.1), ("_PAUSE", 0.05)):
        monkeypatch.setattr(job_worker, name, seconds)
    made: list[Jobs] = []

    def make(
        detectors: dict[str, CheckRequest] = OVERLAP, place: str = "", workers: int = 1
    ) -> Jobs:
        made.append(Jobs(place or str(tmp_path / "jobs"), detectors, workers=workers))
        return made[-1]

    yield make
    for each in made:
        each.close(0)


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.01)


def ended(jobs: Jobs, job: Job, limit: float = LIMIT) -> Job:
    end = time.monotonic() + limit
    while not job.has_ended:
        assert time.monotonic() < end, f"it takes too long: {job}"
        job = jobs.changed(job, 1)
    return job


def test_results_are_those_of_a_check_of_the_same_rows(runs_at: str, make_jobs: MakeJobs) -> None:
    jobs, given = make_jobs(place=runs_at), rows(70)
    job = jobs.submit((Annotated(each) for each in given), "overlap", "ann")
    assert (job.state, job.examples, job.done, job.owner) == ("queued", 70, 0, "ann")
    assert jobs.manifest(job.id) is None
    assert list(jobs.results(job.id)) == []
    jobs.start()
    job = ended(jobs, job)
    assert (job.state, job.done, job.failures, job.error) == ("done", 70, 0, "")
    assert job.created <= job.started <= job.ended
    wanted = assay.check(given, detector="overlap")
    found = list(jobs.results(job.id))
    assert [position for position, _ in found] == list(range(70))
    assert [each.example for _, each in found] == given
    assert [replace(each.judgement, at="") for _, each in found] == [
        replace(each.judgement, at="") for each in wanted
    ]
    manifest = jobs.manifest(job.id)
    assert manifest is not None
    assert replace(manifest, dataset_digest="", examples=0) == replace(wanted.manifest, examples=0)


def test_results_can_be_read_from_a_position_on(make_jobs: MakeJobs) -> None:
    jobs = make_jobs()
    jobs.start()
    job = ended(jobs, jobs.submit(rows(9), "overlap"))
    assert [position for position, _ in jobs.results(job.id, after=6)] == [7, 8]
    assert [position for position, _ in jobs.results(job.id, after=2, most=2)] == [3, 4]
    assert list(jobs.results(job.id, after=8)) == []


def test_texts_of_any_kind_come_back_as_they_were(runs_at: str, make_jobs: MakeJobs) -> None:
    texts = ("", "\0", "\u2028 a\r\nb\n", "\ud800", "x" * 100_000, '"\\', "\ufeff")
    given = [Example(each[:9], read_source(each or "s"), Response(each)) for each in texts]
    jobs = make_jobs(place=runs_at)
    jobs.start()
    job = ended(jobs, jobs.submit(given, "overlap"))
    found = [result for _, result in jobs.results(job.id)]
    assert (job.state, job.error) == ("done", "")
    assert [each.example for each in found] == [
        each.example for each in assay.check(given, detector="overlap")
    ]


def test_job_needs_a_row_and_a_known_detector(make_jobs: MakeJobs) -> None:
    jobs = make_jobs()
    with pytest.raises(InputError, match="at least one example") as caught:
        jobs.submit([], "overlap")
    assert caught.value.code == "no-examples"
    with pytest.raises(UnknownNameError, match="overlap"):
        jobs.submit(rows(1), "overlapp")
    assert jobs.list() == []


def test_job_whose_rows_stop_with_an_error_is_not_there(make_jobs: MakeJobs) -> None:
    def broken() -> Iterator[Example]:
        yield from rows(3)
        raise InputError("row 4 cannot be read")

    jobs = make_jobs()
    with pytest.raises(InputError, match="row 4"):
        jobs.submit(broken(), "overlap")
    jobs.start()
    assert jobs.list() == []


def test_job_of_another_owner_is_invisible(make_jobs: MakeJobs) -> None:
    jobs = make_jobs()
    mine, other = jobs.submit(rows(1), "overlap", "ann"), jobs.submit(rows(1), "overlap", "bob")
    assert jobs.list("ann") == [mine]
    assert jobs.list() == [other, mine]
    assert jobs.list(most=1) == [other]
    assert jobs.find(other.id) == jobs.find(other.id, "bob") == other
    for refused in (
        lambda: jobs.find(other.id, "ann"),
        lambda: jobs.find("nothing"),
        lambda: jobs.find("\0'; DROP TABLE jobs"),
        lambda: jobs.find(other.id, ""),
        lambda: jobs.results(other.id, "ann"),
        lambda: jobs.manifest(other.id, "ann"),
        lambda: jobs.cancel(other.id, "ann"),
        lambda: jobs.remove(other.id, "ann"),
    ):
        with pytest.raises(InputError, match="there is no job") as caught:
            refused()
        assert caught.value.code == "no-such-job"
    assert jobs.find(other.id) == other


def test_job_that_waits_is_cancelled_at_once_and_one_that_is_done_stays(
    make_jobs: MakeJobs,
) -> None:
    jobs = make_jobs()
    waiting = jobs.cancel(jobs.submit(rows(1), "overlap").id)
    assert (waiting.state, waiting.ended != "") == ("cancelled", True)
    jobs.start()
    done = ended(jobs, jobs.submit(rows(1), "overlap"))
    assert jobs.cancel(done.id) == done
    assert done.state == "done"
    assert jobs.find(waiting.id) == waiting


def test_job_that_runs_is_cancelled_soon_and_what_is_judged_stays(
    runs_at: str, make_jobs: MakeJobs, server: Loopback
) -> None:
    jobs = make_jobs(judge(server), place=runs_at)
    server.delay = 0.02
    jobs.start()
    job = jobs.submit(rows(400), "judge")
    wait_for(lambda: jobs.find(job.id).done >= 6)
    with pytest.raises(InputError, match="cancel it first") as caught:
        jobs.remove(job.id)
    assert caught.value.code == "job-running"
    jobs.cancel(job.id)
    job = ended(jobs, job)
    assert job.state == "cancelled"
    assert 6 <= job.done < 400
    assert len(list(jobs.results(job.id))) == job.done == server.calls  # nothing paid for is lost
    jobs.remove(job.id)
    assert jobs.list() == []


class Holding(Loopback):
    """Lets the sixth example wait."""

    is_held = True

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        while "Cat 5 " in await request.text() and self.is_held:
            await asyncio.sleep(0.01)
        return await super()._respond(request)


def test_results_of_a_job_that_runs_have_no_gaps(
    make_jobs: MakeJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    server = Holding()
    jobs = make_jobs(judge(server, 4))
    jobs.start()
    job = jobs.submit(rows(12), "judge")
    wait_for(lambda: jobs.find(job.id).done == 11)
    assert [at for at, _ in jobs.results(job.id)] == [0, 1, 2, 3, 4]
    server.is_held = False
    assert ended(jobs, job).done == 12
    assert [at for at, _ in jobs.results(job.id, after=4)] == list(range(5, 12))
    server.close()


def test_closing_ends_between_examples_and_the_next_process_goes_on(
    runs_at: str, make_jobs: MakeJobs, server: Loopback
) -> None:
    jobs = make_jobs(judge(server, 4), place=runs_at)
    server.delay = 0.02
    jobs.start()
    job = jobs.submit(rows(100), "judge", "ann")
    wait_for(lambda: server.calls >= 30)
    jobs.close()
    before = server.calls
    assert 30 <= before < 100
    later = make_jobs(judge(server, 4), place=runs_at)
    waits = later.find(job.id)
    assert (waits.state, waits.done, waits.error) == ("queued", before, "")
    later.start()
    assert ended(later, job).state == "done"
    assert server.calls == 100  # what was under way was finished, and nothing asked twice
    assert [at for at, _ in later.results(job.id)] == list(range(100))


def test_closing_without_patience_breaks_off_calls_and_loses_no_example(
    make_jobs: MakeJobs, server: Loopback
) -> None:
    jobs = make_jobs(judge(server, 4))
    server.delay = LIMIT
    jobs.start()
    job = jobs.submit(rows(8), "judge")
    wait_for(lambda: server.under_way == 4)
    jobs.close(0)
    server.delay = 0
    later = make_jobs(judge(server, 4))
    assert later.find(job.id).state == "queued"
    later.start()
    assert ended(later, job).state == "done"
    assert len(list(later.results(job.id))) == 8


def test_budget_that_is_used_up_fails_the_job_and_keeps_what_is_judged(
    make_jobs: MakeJobs, server: Loopback
) -> None:
    jobs = make_jobs(judge(server, 1, budget_calls=3))
    jobs.start()
    job = ended(jobs, jobs.submit(rows(9), "judge"))
    assert (job.state, job.code, job.done) == ("failed", "budget", 3)
    assert "the budget is used up: 3 of 3 calls made" in job.error
    assert (len(list(jobs.results(job.id))), server.calls) == (3, 3)


def test_service_that_cannot_be_used_fails_the_job_in_one_line_and_the_next_is_judged(
    make_jobs: MakeJobs, server: Loopback
) -> None:
    jobs = make_jobs({**judge(server), **OVERLAP})
    server.status = 401
    jobs.start()
    job = ended(jobs, jobs.submit(rows(2), "judge"))
    assert (job.state, job.done, "\n" in job.error) == ("failed", 0, False)
    assert "does not accept the key" in job.error
    assert ended(jobs, jobs.submit(rows(2), "overlap")).state == "done"


def test_fault_fails_the_job_and_not_the_worker(
    make_jobs: MakeJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(self: OverlapDetector, examples: object) -> None:
        raise TypeError("secret")

    jobs = make_jobs()
    jobs.start()
    with monkeypatch.context() as patched:
        patched.setattr(OverlapDetector, "judge", fault)
        job = ended(jobs, jobs.submit(rows(2), "overlap"))
    assert (job.state, job.code) == ("failed", "fault")
    assert job.error == "a fault in Assay, not in the job: TypeError"
    assert ended(jobs, jobs.submit(rows(2), "overlap")).state == "done"


@pytest.mark.parametrize("code", ["store", "store-gone", "disk-full", "run-locked"])
@pytest.mark.parametrize("troubles", [2, MOST_ATTEMPTS])
def test_place_in_trouble_is_tried_again_and_its_owner_is_not_told_where_it_is(
    make_jobs: MakeJobs, monkeypatch: pytest.MonkeyPatch, troubles: int, code: str
) -> None:
    met = 0

    def fail(*request: object, **how: object) -> object:
        nonlocal met
        met += 1
        if met <= troubles:
            raise InputError("cannot use the run /secret/place: disk I/O error", code=code)
        return open_run(*request, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(job_worker, "open_run", fail)
    jobs = make_jobs()
    jobs.start()
    job = ended(jobs, jobs.submit(rows(1), "overlap"))
    if troubles < MOST_ATTEMPTS:
        assert (job.state, job.error, job.code) == ("done", "", "")
    else:
        assert (job.state, job.code, met) == ("failed", code, MOST_ATTEMPTS)
        given_up = f"given up after {MOST_ATTEMPTS} attempts that got no further: "
        assert job.error == given_up + job_worker._TOLD[code]


def test_owners_are_told_nothing_that_is_for_whoever_runs_the_service() -> None:
    assert _PRIVATE - {"newer-studio"} <= job_worker._TOLD.keys()


def begun(make_jobs: MakeJobs, place: str, server: Loopback) -> Job:
    """A job of which a service that is closed now has judged some rows."""
    jobs = make_jobs(judge(server, budget_calls=100), place)
    server.delay = 0.02
    jobs.start()
    job = jobs.submit(rows(100), "judge")
    wait_for(lambda: jobs.find(job.id).done >= 4)
    jobs.close()
    server.delay = 0
    return jobs_of(make_jobs, place).find(job.id)


def jobs_of(make_jobs: MakeJobs, place: str) -> Jobs:
    return make_jobs(place=place, workers=0)


def test_job_begins_anew_where_its_detector_has_changed_meanwhile(
    runs_at: str, make_jobs: MakeJobs, server: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    job = begun(make_jobs, runs_at, server)
    assert job.done == server.calls
    other = make_jobs(judge(server, max_tokens=99, budget_calls=100), runs_at)
    other.start()
    ending = ended(other, job)
    assert (ending.state, ending.done, ending.error) == ("done", 100, "")
    assert server.calls == job.done + 100  # nothing of what another detector said is left
    manifest = other.manifest(job.id)
    assert manifest is not None
    assert manifest.parameters["max_tokens"] == 99
    assert f"the job {job.id} begins anew, its budget too, after a change: " in caplog.text
    assert "max_tokens: " in caplog.text


def test_how_far_a_job_is_counts_anew_where_it_begins_anew(
    make_jobs: MakeJobs, tmp_path: Path, server: Loopback
) -> None:
    job = begun(make_jobs, str(tmp_path), server)
    place = jobs_of(make_jobs, str(tmp_path))._place
    with place.database.write() as connection:
        claim = stored.take(connection, job.id, "token")
    assert claim
    anew = place.begin_anew(claim)
    assert place.find(job.id).done == anew.job.done == 0 < claim.job.done
    assert list(place.results(anew.job, -1)) == []


def test_job_goes_on_with_another_version_of_assay(
    make_jobs: MakeJobs, tmp_path: Path, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(prepared, "__version__", "0.0.1")
        older.setattr(judging, "__version__", "0.0.1")
        job = begun(make_jobs, str(tmp_path), server)
    jobs = make_jobs(judge(server, budget_calls=100), str(tmp_path))
    began_with = jobs.manifest(job.id)
    assert began_with is not None
    assert (began_with.version, began_with.author.version) == ("0.0.1", "0.0.1")
    jobs.start()
    assert ended(jobs, job).state == "done"
    assert server.calls == 100
    authors = [result.judgement.author.version for _, result in jobs.results(job.id)]
    assert set(authors) == {"0.0.1", assay.__version__}


def test_job_is_left_to_a_process_that_has_its_detector(make_jobs: MakeJobs) -> None:
    jobs = make_jobs({}, workers=1)
    job = make_jobs(workers=0).submit(rows(1), "overlap")
    jobs.start()
    time.sleep(0.3)
    assert jobs.find(job.id) == job
    able = make_jobs()
    able.start()
    assert ended(able, job).state == "done"


def test_job_of_a_process_that_died_is_picked_up_again_and_one_that_kills_them_is_given_up(
    runs_at: str, make_jobs: MakeJobs
) -> None:
    jobs = make_jobs(place=runs_at)
    once, always = jobs.submit(rows(3), "overlap"), jobs.submit(rows(3), "overlap")
    for job, deaths in ((once, 1), (always, MOST_ATTEMPTS)):
        for number in range(deaths):
            with jobs._place.database.write() as connection:
                assert stored.take(connection, job.id, f"dead{number}")
    jobs.start()
    assert ended(jobs, once).state == "done"
    job = ended(jobs, always)
    assert (job.state, job.code) == ("failed", "no-progress")
    assert job.error == (
        f"given up after {MOST_ATTEMPTS} attempts that got no further: its process ended each time"
    )


def test_job_that_a_process_still_has_is_left_to_it(make_jobs: MakeJobs) -> None:
    jobs = make_jobs()
    job = jobs.submit(rows(3), "overlap")
    with jobs._place.lock(job.id):
        with jobs._place.database.write() as connection:
            stored.take(connection, job.id, "other")
        jobs.start()
        time.sleep(0.4)
        assert jobs.find(job.id).state == "running"
        with pytest.raises(InputError, match="cancel it first"):
            jobs.remove(job.id)
    assert ended(jobs, job).state == "done"


def test_several_processes_share_the_work_and_do_nothing_twice(
    runs_at: str, make_jobs: MakeJobs, server: Loopback
) -> None:
    places = [make_jobs(judge(server), place=runs_at, workers=2) for _ in range(2)]
    submitted = [places[0].submit(rows(10, f"w{number}"), "judge") for number in range(8)]
    for each in places:
        each.start()
    assert {ended(places[1], job).state for job in submitted} == {"done"}
    assert server.calls == len(server.asked) == 80


def test_removed_job_leaves_nothing_and_old_ones_are_cleaned(
    tmp_path: Path, runs_at: str, make_jobs: MakeJobs
) -> None:
    jobs = make_jobs(place=runs_at)
    jobs.start()
    first, second = (ended(jobs, jobs.submit(rows(2), "overlap")) for _ in range(2))
    waiting = make_jobs({**OVERLAP, "x": OVERLAP["overlap"]}, runs_at).submit(rows(2), "x")
    jobs.remove(first.id)
    assert jobs.clean(1) == 0
    assert jobs.list() == [waiting, second]
    with jobs._place.database.write() as connection:
        connection.exec_driver_sql("UPDATE jobs SET ended = '2020-01-01T00:00:00' WHERE ended > ''")
    assert jobs.clean(1) == 1
    assert jobs.list() == [waiting]
    assert jobs._place.runs.names() == []
    if not is_url(runs_at):
        jobs.remove(waiting.id)
        wait_for(lambda: sorted(each.name for each in Path(runs_at).iterdir()) == wanted)


wanted = ["aside", "jobs.db", "jobs.db-shm", "jobs.db-wal"]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("ASSAY_STATE", str(folder))
    return folder


def test_only_files_of_its_own_that_nobody_needs_are_swept(
    tmp_path: Path, make_jobs: MakeJobs
) -> None:
    jobs, store = make_jobs(), tmp_path / "jobs"
    left, held = "a" * 32, "b" * 32
    aside = store / "aside"
    aside.mkdir()
    kept = [
        store / "job-ads.jsonl",
        store / f"job-{left}.jsonl",
        aside / "job-ads.jsonl",
        aside / f"job-{held}.jsonl",
    ]
    for path in (*kept, aside / f"job-{left}.jsonl"):
        path.write_text("{}")
    with jobs._place.lock(held):
        jobs.clean(1)
        assert sorted(each for each in store.rglob("*.jsonl")) == sorted(kept)


def test_databases_do_not_share_the_folder_of_what_is_set_aside(
    database: str, state: Path, make_jobs: MakeJobs
) -> None:
    jobs = make_jobs(place=database)
    job = jobs.submit(rows(2), "overlap")
    with jobs._place.lock(job.id), jobs._place.set_aside(job.id) as path:
        assert len(path.read_text().splitlines()) == 2
        assert path.parent.parent == state
        other = folder_aside(database + "?application_name=x")
        assert (other.parent, other != path.parent) == (state, True)
        other.mkdir()
        (other / path.name).touch()
        jobs.clean(1)
        assert path.exists()
    path.touch()
    jobs.clean(1)
    assert (path.exists(), (other / path.name).exists()) == (False, True)


def test_file_that_cannot_be_written_is_told_apart_from_a_fault_while_it_is_used(
    tmp_path: Path, make_jobs: MakeJobs
) -> None:
    jobs = make_jobs()
    job = jobs.submit(rows(2), "overlap")
    with pytest.raises(ConnectionError), jobs._place.set_aside(job.id) as path:
        raise ConnectionError
    assert not path.exists()
    path.mkdir()
    with pytest.raises(InputError, match="cannot write") as caught, jobs._place.set_aside(job.id):
        pass
    assert caught.value.code == "store"


def test_process_without_workers_only_accepts(make_jobs: MakeJobs) -> None:
    jobs = make_jobs(workers=0)
    job = jobs.submit(rows(1), "overlap")
    jobs.start()
    assert jobs.changed(job, 0.3) == job
    with pytest.raises(InputError, match="workers must be 0 or more, not -1"):
        make_jobs(workers=-1)
