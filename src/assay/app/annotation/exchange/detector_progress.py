"""How far detectors are with the items of a project."""

import json
import threading
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, func, select

from assay.store.studio.queues import pairs
from assay.store.studio.tables import events, items, judgements

ASKED = "detector"  # the kind of the events that say what became of a detector
State = Literal["done", "working", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class DetectorProgress:
    """A detector: it has judged so many of the items, and what became of it.

    It is `working` from when it was asked, `stopped` where the server ended before it had finished,
    and `failed` where `problem` says why.
    """

    name: str
    judged: int
    items: int
    state: State
    problem: str = ""


class Underway:
    """The detectors at work in this process, by place, project and name."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keys: set[tuple[str, int, str]] = set()

    def begin(self, place: str, project: int, name: str) -> bool:
        """Notes a detector; whether it was not there before."""
        with self._lock:
            is_new = (place, project, name) not in self._keys
            self._keys.add((place, project, name))
            return is_new

    def end(self, place: str, project: int, name: str) -> None:
        """Forgets a detector."""
        with self._lock:
            self._keys.discard((place, project, name))

    def has(self, place: str, project: int, name: str) -> bool:
        """Whether a detector is at work, or will be."""
        with self._lock:
            return (place, project, name) in self._keys


underway = Underway()


def detector_progress(
    connection: Connection, place: str, project: int
) -> tuple[DetectorProgress, ...]:
    """The detectors that judged items of a project, or were asked to, by name."""
    real = (items.c.project == project) & (items.c.purpose == "real")
    count = connection.execute(select(func.count()).select_from(items).where(real)).scalar_one()
    judged = pairs(
        connection,
        select(judgements.c.author, func.count())
        .join(items, items.c.id == judgements.c.item)
        .where(real, judgements.c.kind == "detector", judgements.c.is_current)
        .group_by(judgements.c.author),
    )
    told = select(events.c.detail).where(events.c.project == project, events.c.kind == ASKED)
    last: dict[str, dict[str, str]] = {}
    for detail in connection.execute(told.order_by(events.c.id)).scalars():
        found = json.loads(detail)
        last[found["name"]] = found
    names = sorted({*judged, *last})
    return tuple(
        DetectorProgress(
            name,
            judged.get(name, 0),
            count,
            *_became(last.get(name, {}), is_underway=underway.has(place, project, name)),
        )
        for name in names
    )


def _became(last: dict[str, str], *, is_underway: bool) -> tuple[State, str]:
    if is_underway:
        return "working", ""
    if last.get("problem"):
        return "failed", last["problem"]
    return ("stopped" if last.get("state") == "asked" else "done"), ""
