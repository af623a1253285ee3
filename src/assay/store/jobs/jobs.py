"""Jobs and their rows: added, looked up, taken by a worker, ended, removed.

A worker that has taken a job changes it only while it still has it: what it writes names its claim.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Select, case, delete, func, insert, select, update

from assay.core.judgements import utc_now
from assay.core.problems import Problem, Unread
from assay.store.jobs.records import ARRIVING, ENDED, Job, JobClaim, JobEnding, JobState
from assay.store.jobs.tables import jobs, rows

_JOB = [jobs.c[name] for name in Job.__dataclass_fields__]
_OPEN = ("queued", "running")


def begin(connection: Connection, id: str, owner: str, detector: str) -> None:
    """A new job, which nobody sees until all its rows are there."""
    connection.execute(
        insert(jobs).values(
            id=id,
            owner=owner,
            detector=detector,
            state=ARRIVING,
            created=utc_now(),
            is_unwanted=False,
        )
    )


def add_rows(connection: Connection, id: str, first: int, records: Sequence[str]) -> None:
    """Adds rows to a job that is arriving, from a position on."""
    number = connection.execute(select(jobs.c.number).where(jobs.c.id == id)).scalar_one()
    values = [
        {"job": number, "position": position, "record": record}
        for position, record in enumerate(records, first)
    ]
    connection.execute(insert(rows), values)


def enqueue(connection: Connection, id: str, examples: int, unread: Unread) -> None:
    """Lets everybody see a job that has arrived."""
    told = unread.to_dict()
    values = {**told, "problems": json.dumps(told["problems"])}
    change = update(jobs).where(jobs.c.id == id)
    connection.execute(change.values(state="queued", examples=examples, **values))


def unread(connection: Connection, id: str) -> Unread:
    """The rows of a job that could not be read."""
    query = select(jobs.c.unread_rows, jobs.c.problems).where(jobs.c.id == id)
    count, problems = connection.execute(query).one()
    return Unread(count, tuple(Problem(**each) for each in json.loads(problems)))


def find(connection: Connection, id: str) -> Job | None:
    """The job of that id."""
    found = _all(connection, _seen().where(jobs.c.id == id))
    return found[0] if found else None


def newest(connection: Connection, owner: str | None, most: int) -> list[Job]:
    """The latest jobs, of one owner or of all."""
    query = _seen().order_by(jobs.c.number.desc()).limit(most)
    return _all(connection, query if owner is None else query.where(jobs.c.owner == owner))


def count_by_state(connection: Connection) -> dict[JobState, int]:
    """The number of jobs in each state that some are in."""
    query = select(jobs.c.state, func.count()).where(jobs.c.state != ARRIVING)
    found = connection.execute(query.group_by(jobs.c.state))
    return {row.state: row[1] for row in found}


def open_ones(
    connection: Connection, state: str, detectors: Iterable[str], most: int | None = None
) -> list[str]:
    """The ids of the first jobs in a state, queued or running, for some detectors."""
    query = (
        select(jobs.c.id)
        .where(jobs.c.state == state, jobs.c.detector.in_(list(detectors)))
        .order_by(jobs.c.number)
        .limit(most)
    )
    return list(connection.execute(query).scalars())


def take(connection: Connection, id: str, token: str) -> JobClaim | None:
    """Takes a job for a worker who holds its lock; None where there is nothing left to do."""
    taken = connection.execute(
        update(jobs)
        .where(jobs.c.id == id, jobs.c.state.in_(_OPEN))
        .values(state="running", claim=token, attempts=jobs.c.attempts + 1)
    )
    if not taken.rowcount:
        return None
    is_new = (jobs.c.id == id) & (jobs.c.started == "")
    connection.execute(update(jobs).where(is_new).values(started=utc_now()))
    query = select(*_JOB, jobs.c.attempts).where(jobs.c.id == id)
    *values, attempts = connection.execute(query).one()
    return JobClaim(Job(*values), token, attempts)


def advance(connection: Connection, claim: JobClaim, done: int, failures: int) -> None:
    """Notes how far a job is; one that gets further has its attempts counted anew."""
    change = update(jobs).where(_is(claim), jobs.c.done < done)
    connection.execute(change.values(done=done, failures=failures, attempts=0))


def restart(connection: Connection, claim: JobClaim) -> None:
    """Notes that nothing of a job is done, since its worker begins it anew."""
    connection.execute(update(jobs).where(_is(claim)).values(done=0, failures=0))


def is_wanted(connection: Connection, claim: JobClaim) -> bool | None:
    """False for a job that somebody cancelled; None where the worker has it no more."""
    query = select(jobs.c.is_unwanted).where(_is(claim))
    is_unwanted = connection.execute(query).scalar()
    return None if is_unwanted is None else not is_unwanted


def end(connection: Connection, claim: JobClaim, ending: JobEnding) -> None:
    """Ends the work on a job; one that is queued again loses nothing, and somebody goes on."""
    values: dict[str, object] = {"state": ending.state, "error": ending.error, "code": ending.code}
    if ending.state in ENDED:
        values["ended"] = utc_now()
    elif not ending.error:  # nothing went wrong
        values["attempts"] = 0
    connection.execute(update(jobs).where(_is(claim)).values(claim="", **values))


def cancel(connection: Connection, id: str) -> None:
    """Ends a job that waits, and has its worker end one that runs; others stay as they are."""
    # One change, since a job that runs may be queued again between two.
    waits = jobs.c.state == "queued"
    change = update(jobs).where(jobs.c.id == id, jobs.c.state.in_(_OPEN))
    connection.execute(
        change.values(
            state=case((waits, "cancelled"), else_=jobs.c.state),
            ended=case((waits, utc_now()), else_=jobs.c.ended),
            is_unwanted=True,
        )
    )


def remove(connection: Connection, id: str) -> None:
    """Removes a job and its rows."""
    connection.execute(delete(jobs).where(jobs.c.id == id))


def ended_before(connection: Connection, at: str) -> list[str]:
    """The ids of jobs that ended before a time."""
    query = select(jobs.c.id).where(jobs.c.state.in_(ENDED), jobs.c.ended < at)
    return list(connection.execute(query).scalars())


def remove_unfinished(connection: Connection, before: str) -> None:
    """Removes jobs whose rows stopped coming before a time, since a process was killed."""
    connection.execute(delete(jobs).where(jobs.c.state == ARRIVING, jobs.c.created < before))


def records_from(connection: Connection, id: str, first: int, most: int) -> list[str]:
    """Rows of a job in order, from a position on."""
    query = _rows_of(id).where(rows.c.position >= first).order_by(rows.c.position).limit(most)
    return [row.record for row in connection.execute(query)]


def records_at(connection: Connection, id: str, positions: Sequence[int]) -> dict[int, str]:
    """The rows of a job at some positions."""
    query = _rows_of(id).where(rows.c.position.in_(positions))
    return {row.position: row.record for row in connection.execute(query)}


def _rows_of(id: str) -> Select[tuple[int, str]]:
    number = select(jobs.c.number).where(jobs.c.id == id).scalar_subquery()
    return select(rows.c.position, rows.c.record).where(rows.c.job == number)


def _seen() -> Select[Any]:
    return select(*_JOB).where(jobs.c.state != ARRIVING)


def _all(connection: Connection, query: Select[Any]) -> list[Job]:
    return [Job(*row) for row in connection.execute(query)]


def _is(claim: JobClaim) -> Any:
    return (jobs.c.id == claim.job.id) & (jobs.c.claim == claim.token)
