"""`assay.Client` against a real service: the same reports as here, awaited or not, and jobs."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import assay
from assay import Client, InputError, JobStatus
from assay.service.keys import VARIABLE
from tests.service.serving import BAD, GOOD, Held, asked, keyed, served, wait_until

JSON_SOURCE = {"name": "Golden Spoon", "city": "Lindmoor", "stars": 4.5}
PASSAGES = ["Ada Lovelace was born in London.", "She was born in 1815.", "She wrote notes."]
ROWS: list[dict[str, Any]] = [
    {**GOOD, "id": "x"},
    {**BAD, "id": "x"},
    {"source": JSON_SOURCE, "response": "The Golden Spoon is in Lindmoor. It has 3 stars."},
    {"source": PASSAGES, "response": "She was born in 1852.", "question": "When was she born?"},
    {"source": 'a list: ["in", "text"]', "response": "Es ist eine Liste.", "language": "de"},
]


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service with `overlap` and `embedded`."""
    with served(asked(tmp_path_factory.mktemp("service"), "overlap", "embedded")) as service:
        yield service.url


def timeless(result: assay.Result) -> object:
    return result.example, replace(result.judgement, at="")


@pytest.mark.parametrize("detector", ["overlap", "embedded"])
def test_reports_are_those_of_the_same_check_here(url: str, detector: str) -> None:
    there, here = Client(url).check(ROWS, detector=detector), assay.check(ROWS, detector=detector)
    assert there.manifest == here.manifest
    assert list(map(timeless, there)) == list(map(timeless, here))
    assert str(there) == str(here)


def test_two_texts_are_checked_by_the_default_detector(url: str) -> None:
    report = Client(url).check(BAD["source"], BAD["response"])
    assert (report.detector, len(report)) == ("overlap", 1)
    assert report.sentences[0].text == BAD["response"]


def test_results_are_the_same_awaited_one_by_one_and_kept_open(url: str) -> None:
    wanted = [timeless(each) for each in assay.check(ROWS, detector="overlap")]

    async def awaited() -> list[list[object]]:
        async with Client(url) as client:
            each = [timeless(result) async for result in client.acheck_each(ROWS)]
            reports = await asyncio.gather(client.acheck(ROWS), client.acheck(ROWS))
            return [each, *(list(map(timeless, report)) for report in reports)]

    with Client(url) as client:
        assert [timeless(each) for each in client.check_each(ROWS)] == wanted
    assert asyncio.run(awaited()) == [wanted] * 3


def test_many_rows_are_sent_some_at_a_time(url: str) -> None:
    rows = [{**GOOD, "id": str(number)} for number in range(250)]  # more than one check may have
    with Client(url) as client:
        assert [each.id for each in client.check_each(rows)] == [row["id"] for row in rows]


def test_service_that_takes_fewer_at_a_time_gets_fewer(tmp_path: Path) -> None:
    rows = [{**GOOD, "id": str(number)} for number in range(40)]
    with served(asked(tmp_path, examples=10)) as service, Client(service.url) as client:
        assert [each.id for each in client.check_each(rows)] == [row["id"] for row in rows]


def test_a_row_that_cannot_be_read_raises_after_the_results_before_it(url: str) -> None:
    with pytest.raises(InputError, match="row 2: the response is empty") as caught:
        Client(url).check([GOOD, {**GOOD, "response": ""}, GOOD])
    assert [each.id for each in caught.value.results] == ["1"]


def test_what_the_service_refuses_is_an_error_with_its_words_and_its_field(url: str) -> None:
    with pytest.raises(InputError, match="unknown detector 'nobody'") as caught:
        Client(url).check(GOOD, detector="nobody")
    assert (caught.value.code, caught.value.field) == ("unknown-name", "detector")


def test_a_row_that_only_the_service_cannot_read_is_never_left_out(tmp_path: Path) -> None:
    long = {**GOOD, "source": "Ada was born. " * 20, "id": "long"}
    with served(asked(tmp_path, characters=100)) as service, Client(service.url) as client:
        with pytest.raises(InputError, match="'long' was not judged: the source has 280 char"):
            client.check([GOOD, long])
        with pytest.raises(InputError, match="row 2: the source has 280 characters"):
            client.submit([GOOD, long])
        with pytest.raises(InputError, match="280 characters") as caught:
            client.check(long)
    assert caught.value.code == "too-large"


def test_no_rows_are_nothing_to_check(url: str) -> None:
    with pytest.raises(InputError, match="no rows"):
        Client(url).check([])
    assert list(Client(url).check_each([])) == []


def test_detectors_are_listed_with_the_default_first(url: str) -> None:
    first, second = Client(url).detectors()
    assert (first.name, first.default, second.name) == ("overlap", True, "embedded")
    assert first.labels[0] == "contradicting"


def test_only_who_has_a_key_is_let_in(tmp_path: Path) -> None:
    keys, sent = keyed("ada")
    key = sent["ada"].removeprefix("Bearer ")
    with served(asked(tmp_path), keys) as service:
        assert Client(service.url, key).check(GOOD).coarse == "faithful"
        for wrong in (None, key[:-1] + "x"):
            with pytest.raises(InputError, match="key") as caught:
                Client(service.url, wrong).check(GOOD)
            assert caught.value.code == "no-access"


def rows_of_a_job() -> list[dict[str, Any]]:
    return [{**row, "id": f"row-{number}"} for number, row in enumerate(ROWS * 90)]


def test_results_of_a_job_are_those_of_a_check(url: str) -> None:
    rows, told = rows_of_a_job(), list[JobStatus]()
    with Client(url) as client:
        job = client.submit(rows, detector="overlap")
        status = job.wait(told.append)
        results = list(job.results())
    assert (status.state, status.done, status.examples) == ("done", 450, 450)
    assert told[-1] == status
    wanted = assay.check(rows, detector="overlap")
    assert [timeless(each) for each in results] == [timeless(each) for each in wanted]


def test_a_job_is_found_again_with_or_without_its_rows(url: str) -> None:
    rows = rows_of_a_job()[:3]

    async def work() -> list[str]:
        async with Client(url) as client:
            id = (await client.asubmit(rows)).id
            again = client.job(id, rows)
            assert (await again.awaited()).state == "done"
            found = [each.id async for each in again.aresults()]
            bare = client.job(id)
            assert [each.example async for each in bare.ajudgements()] == found
            with pytest.raises(InputError, match="give the rows of the job"):
                await anext(bare.aresults())
            with pytest.raises(InputError, match="none of these rows"):
                await anext(client.job(id, [{**GOOD, "id": "other"}]).aresults())
            await bare.aremove()
            with pytest.raises(InputError, match="no job") as caught:
                await bare.astatus()
            assert caught.value.code == "no-such-job"
            return found

    assert asyncio.run(work()) == [row["id"] for row in rows]


def test_rows_of_a_job_need_ids_that_differ(url: str) -> None:
    with pytest.raises(InputError, match="two rows of a job have the id 'x'"):
        Client(url).submit(ROWS[:2])


def test_results_come_while_a_job_runs_and_end_with_an_error_where_it_is_cancelled(
    tmp_path: Path, held: Held
) -> None:
    held.go.set()
    with served(asked(tmp_path, "held")) as service, Client(service.url) as client:
        held.go.clear()
        job = client.submit([GOOD])
        wait_until(lambda: job.status().state == "running")
        assert job.cancel().id == job.id
        assert job.wait().state == "cancelled"
        with pytest.raises(assay.ServiceError, match=r"not complete: .*interrupted"):
            list(job.results())
        job.remove()
