"""Records of the database of jobs: a job as everybody sees it, and one that a worker has taken."""

from dataclasses import dataclass
from typing import Literal, get_args

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
JOB_STATES: tuple[JobState, ...] = get_args(JobState)
ENDED: tuple[JobState, ...] = ("done", "failed", "cancelled")
ARRIVING = "arriving"  # a job whose rows are still being written, which nobody sees


@dataclass(frozen=True, slots=True)
class Job:
    """A check that goes on by itself; `failures` counts units without a verdict.

    Times are in ISO 8601, and empty until they come. Where it failed, `error` says why in one line.
    `unread_rows` came with it and could not be read. One that `is_unwanted` was cancelled, and ends
    soon if it has not ended.
    """

    id: str
    owner: str
    detector: str
    state: JobState
    examples: int
    done: int
    failures: int
    created: str
    started: str
    ended: str
    error: str
    code: str
    unread_rows: int
    is_unwanted: bool

    @property
    def has_ended(self) -> bool:
        """True if nothing more will happen to it."""
        return self.state in ENDED

    @property
    def cancelling(self) -> bool:
        """True if it was cancelled and ends soon."""
        return self.is_unwanted and not self.has_ended


@dataclass(frozen=True, slots=True)
class JobClaim:
    """A job that a worker has taken; `attempts` counts those who did since it last got further."""

    job: Job
    token: str
    attempts: int


@dataclass(frozen=True, slots=True)
class JobEnding:
    """The end of the work on a job; `queued` where somebody else is to go on with it."""

    state: JobState
    error: str = ""
    code: str = ""
