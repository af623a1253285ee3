"""Passages of the source that matter for a selection in the response.

Words, names and numbers in common answer at once. Where the embedded network looks is worked out
once for an item, in the background, kept, and used as soon as it is there.
"""

import logging
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import msgspec

from assay.annotation import access
from assay.annotation.items.drafts import places_of, read_item, read_units
from assay.annotation.items.network_process import EndedError, NetworkProcess
from assay.annotation.studio import Person, Purpose, Studio
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.records import read_unit_record
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.wire import UnitRecord
from assay.detectors.embedded.pointing import SourceLooks
from assay.detectors.relevance import Relevance
from assay.store.annotation.items import item_records
from assay.store.annotation.kept import keep_looks, looks_of
from assay.store.annotation.work import own_work
from assay.text.sentences import sentence_units

log = logging.getLogger("assay.studio")

MOST_WAITING = 1_000  # items; whoever asks again later is put back into the queue
IDLE = 60  # seconds without an item after which the network's memory is freed

Look = Callable[[str], str]  # from the record of an item to where the network looks, as JSON


@dataclass(frozen=True, slots=True)
class Related:
    """A passage of the source, how much it matters from 0 to 1, and which signals say so."""

    start: int
    end: int
    text: str
    weight: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """A unit of the person's draft, by its id, or a stretch of the response."""

    unit: str = ""
    start: int | None = None
    end: int | None = None


class Looking:
    """Has worked out where the network looks, item after item, in a thread that starts when needed.

    Nobody waits for it. What fails is logged, and words in common go on deciding alone.
    """

    def __init__(self, studio: Studio, look: Look | None = None) -> None:
        self._studio = studio
        self._process = NetworkProcess()
        self._look = look or self._process
        self._waiting: queue.Queue[int | None] = queue.Queue(MOST_WAITING)
        self._asked: set[int] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_closing = False

    def ask(self, item: int) -> None:
        """Puts an item into the queue, unless it was there before or the queue is full."""
        with self._lock:
            if item in self._asked or self._is_closing:
                return
            with suppress(queue.Full):
                self._waiting.put_nowait(item)
                self._asked.add(item)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="looking", daemon=True)
                self._thread.start()

    def finish(self) -> None:
        """Waits until the queue is empty."""
        self._waiting.join()

    def close(self) -> None:
        """Ends without finishing the item that is being worked on; whoever asks again gets it."""
        with self._lock:
            self._is_closing = True
            thread, self._thread = self._thread, None
        if thread is None:
            return
        with suppress(queue.Empty):
            while True:
                self._waiting.get_nowait()
                self._waiting.task_done()
        self._waiting.put(None)
        self._process.stop()
        thread.join()

    def _run(self) -> None:
        while True:
            try:
                item = self._waiting.get(timeout=IDLE)
            except queue.Empty:
                self._process.close()
                continue
            try:
                if item is None:
                    self._process.close()
                    return
                self._work_out(item)
            except EndedError as error:
                if not self._is_closing:
                    log.warning("item %s: %s; words in common go on deciding", item, error)
            except Exception:
                log.exception("where the network looks in item %s could not be worked out", item)
            finally:
                self._waiting.task_done()

    def _work_out(self, item: int) -> None:
        with self._studio.read() as connection:
            if looks_of(connection, item) is not None:
                return
            record = item_records(connection, [item]).get(item)
        if record is not None:
            looks = self._look(record)
            with self._studio.write() as connection:
                keep_looks(connection, item, looks)


def related(
    studio: Studio,
    who: Person,
    place: tuple[str, int, Purpose],
    selection: Selection,
    *,
    looking: Looking | None = None,
) -> tuple[Related, ...]:
    """The passages that matter most for a selection in an item, best first.

    `place` is the project, position and purpose of the item; `looking` works out what is not known.
    """
    with studio.read() as connection:
        item = access.require_item(connection, who, *place)
        mine = own_work(connection, who.id, item.id)
        kept = looks_of(connection, item.id)
    if kept is None and looking:
        looking.ask(item.id)
    example = read_item(item.record).example
    unit = _selected(selection, example, read_units(mine.draft) if mine else [])
    found = _relevance(item.record).for_unit(unit, _looks(kept) if kept else None)
    return tuple(
        Related(each.span.start, each.span.end, each.span.text, each.weight, each.reasons)
        for each in found
    )


def _selected(selection: Selection, example: Example, draft: list[UnitRecord]) -> Unit:
    if selection.unit:
        for each in draft:
            if each.id == selection.unit and places_of(each):
                return read_unit_record(each)
        for unit in sentence_units(example):
            if unit.id == selection.unit:
                return unit
        raise InputError(f"there is no unit '{selection.unit}'", field="unit")
    if selection.start is None or selection.end is None:
        raise InputError("a selection is a unit, or has a start and an end", field="unit")
    span = Span.cut(example.response.text, selection.start, selection.end, "response")
    return Unit.at("span", span, "")


@lru_cache(maxsize=32)
def _relevance(record: str) -> Relevance:
    """The index of an item's source, which takes time to make for a long one."""
    return Relevance(read_item(record).example)


@lru_cache(maxsize=32)
def _looks(record: str) -> SourceLooks | None:
    try:
        return msgspec.json.decode(record, type=SourceLooks)
    except msgspec.MsgspecError:
        log.warning("what was kept of where the network looks cannot be read")
        return None
