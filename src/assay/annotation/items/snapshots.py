"""Evidence from outside: pages that annotators link, kept as they were when they were read."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from assay.annotation import access
from assay.annotation.items.validation import LONGEST_ADDRESS, is_web_address
from assay.annotation.studio import Person, Purpose, Studio
from assay.core.errors import InputError
from assay.core.system import bridge
from assay.core.wire import ExternalRecord
from assay.knowledge.sources import FetchError, KnowledgePassage, encodable
from assay.store.annotation.database import Connection
from assay.store.annotation.kept import (
    count_fetches,
    fetches_of,
    keep_snapshot,
    note_fetch,
    snapshot_words,
)
from assay.store.annotation.records import StoredFetch, StoredItem, StoredSnapshot
from assay.text.html import Page, readable_page

if TYPE_CHECKING:  # it takes a while to import, which the start of a server need not wait for
    from assay.knowledge.web.addresses import Allow
    from assay.knowledge.web.fetching import Fetcher, WebAnswer

MOST_SECONDS, MOST_BYTES = 10, 2 * 2**20  # of a page
MOST_AT_ONCE = 2  # pages that are being read for one person
LONGEST_TEXT = 2_000_000  # characters of a page that are kept
MOST_FETCHES = 200  # pages that one person has read for one item

_fetching: Counter[int] = Counter()  # how many pages are being read for each person
_counting = Lock()
_reading = Lock()  # a long page takes a second of a processor, and one at a time is enough


@dataclass(frozen=True, slots=True)
class KeptLink:
    """A link as a verdict cites it; `problem` says why there is no snapshot of the page."""

    external: ExternalRecord
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SnapshotView:
    """The words of a page as they were when somebody read it."""

    digest: str
    address: str
    title: str
    text: str
    at: str


def keep_external(
    studio: Studio,
    who: Person,
    place: tuple[str, int, Purpose],
    address: str,
    *,
    allow: "Allow | None" = None,
) -> KeptLink:
    """Reads a page for an item, by project, position and purpose, and keeps a snapshot of it.

    A page that cannot be read is linked all the same. Only public addresses are contacted, unless
    others are allowed.
    """
    address = address.strip()
    if len(address) > LONGEST_ADDRESS or not is_web_address(address):
        raise InputError("this is not an http or https address", field="address")
    with studio.read() as connection:
        item = access.require_item(connection, who, *place)
        if count_fetches(connection, who.id, item.id) >= MOST_FETCHES:
            message = f"{MOST_FETCHES} pages have been read for this item: that is the limit"
            raise InputError(message, code="too-many", field="address")
    try:
        with _taking_turns(who):
            answer = bridge.run(_fetcher(allow).page(address))
            page = _read(answer)
    except FetchError as error:
        # What a name of the network around the server resolves to is nobody's business.
        is_private = error.code == "private-address"
        why = "that is not a public address" if is_private else str(error)
        return KeptLink(ExternalRecord(address), f"no snapshot was kept: {why}")
    if not page.text.strip():
        return KeptLink(ExternalRecord(address), "no snapshot was kept: the page has no text")
    digest = KnowledgePassage(page.text).digest
    now = studio.now()
    with studio.write() as connection:
        kept = StoredSnapshot(
            digest=digest,
            address=answer.address,
            title=page.title,
            text=page.text,
            content=answer.body,
            content_type=answer.type,
            at=now,
        )
        keep_snapshot(connection, kept)
        note_fetch(connection, StoredFetch(digest, item.id, who.id, answer.address, now))
    return KeptLink(ExternalRecord(address, title=page.title, time=now, digest=digest))


def snapshot(studio: Studio, who: Person, digest: str) -> SnapshotView:
    """A kept page, for whoever read it and for those who see what others said of its item."""
    with studio.read() as connection:
        for read, item in fetches_of(connection, digest):
            if read.person == who.id or _sees_others(connection, who, item):
                title, text = snapshot_words(connection, digest)
                return SnapshotView(digest, read.address, title, text, read.at)
    raise access.NotFoundError("there is no such snapshot")


def _sees_others(connection: Connection, who: Person, item: StoredItem) -> bool:
    if item.purpose != "real" or not access.is_member(connection, who, item.project):
        return False
    return access.may_see_others(connection, who, item)


@lru_cache(maxsize=4)
def _fetcher(allow: "Allow | None") -> "Fetcher":
    """One for everybody, so that no server is asked too often."""
    from assay.knowledge.web.addresses import is_public
    from assay.knowledge.web.fetching import Fetcher, FetchLimits

    return Fetcher(FetchLimits(MOST_SECONDS, MOST_BYTES, attempts=1), allow or is_public)


@contextmanager
def _taking_turns(who: Person) -> Iterator[None]:
    """Lets nobody have so many slow pages read that the others wait for theirs."""
    with _counting:
        if _fetching[who.id] >= MOST_AT_ONCE:
            message = f"{MOST_AT_ONCE} pages are being read for you; wait until one has come"
            raise InputError(message, code="throttled", field="address")
        _fetching[who.id] += 1
    try:
        yield
    finally:
        with _counting:
            _fetching[who.id] -= 1
            if not _fetching[who.id]:
                del _fetching[who.id]


def _read(answer: "WebAnswer") -> Page:
    with _reading:
        is_html = answer.type == "text/html"
        page = readable_page(answer.text) if is_html else Page("", answer.text)
    return Page(_clean(page.title)[:1_000], _clean(page.text)[:LONGEST_TEXT])


def _clean(text: str) -> str:
    """A text that both databases keep."""
    return encodable(text).replace("\0", "\ufffd")
