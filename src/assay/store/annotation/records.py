"""The nouns that the database keeps, as the store gives them: one class a table.

The fields of a class are the columns of its table, in their order: a row makes a record. What a
query joins to a table has a class of its own, beside the query.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Literal, Protocol, TypeVar, get_args

from sqlalchemy import Connection, Select

Role = Literal["administrator", "adjudicator", "annotator"]
Stage = Literal["training", "quiz", "annotate", "discuss", "review", "adjudicate"]
ItemState = Literal["new", "open", "discussion", "review", "adjudication", "done"]
ITEM_STATES: tuple[ItemState, ...] = get_args(ItemState)
Purpose = Literal["real", "training", "quiz"]
WorkState = Literal["assigned", "open", "submitted", "held", "withdrawn"]
AuthorKind = Literal["person", "detector"]
JudgementStage = Stage | Literal["imported", "audit"]  # with the data, or by a revision
FlagDecision = Literal["incorrect", "ambiguous", "system-error", ""]  # empty while it is open
OPEN_STATES = ("assigned", "open")  # of work that is still to be done
CLOSED_STATES = ("submitted", "held")
WITHDRAWN = "withdrawn"  # of work that somebody began and is no longer asked for
BLIND_STATES = ("new", "open")  # of items whose annotators do not see each other's work
R = TypeVar("R")


class AboutItem(Protocol):
    """A record that names an item."""

    @property
    def item(self) -> int: ...


J = TypeVar("J", bound=AboutItem)


@dataclass(frozen=True, slots=True)
class StoredPerson:
    """An account; `folded` is the name as names are compared, `password` a hash or empty."""

    id: int
    name: str
    folded: str
    password: str
    role: Role
    is_active: bool
    at: str


@dataclass(frozen=True, slots=True)
class StoredProject:
    """A project; `settings` are JSON, and `dataset` is where its items came from."""

    id: int
    slug: str
    name: str
    settings: str
    dataset: str
    at: str


@dataclass(frozen=True, slots=True)
class StoredInvitation:
    """An invitation, by the digest of its token."""

    digest: str
    role: Role
    project: int | None
    note: str
    by: int
    at: str
    until: str
    used_by: int | None


@dataclass(frozen=True, slots=True)
class StoredMember:
    """A person's part in a project, and what became of the quiz there."""

    project: int
    person: int
    at: str
    passed_at: str = ""
    quiz_score: float | None = None
    quiz_near: float | None = None
    quiz_attempts: int = 0


@dataclass(frozen=True, slots=True)
class StoredItem:
    """An example in a project; `record` is the example as the codec writes it."""

    id: int
    project: int
    position: int
    purpose: Purpose
    example: str
    record: str
    source: str
    model: str
    batch: int
    k: int
    state: ItemState


@dataclass(frozen=True, slots=True)
class StoredWork:
    """One person's work on one stage of an item."""

    id: int
    project: int
    item: int
    person: int
    stage: Stage
    state: WorkState
    version: int
    draft: str
    seconds: int
    later: int
    started_at: str
    submitted_at: str


@dataclass(frozen=True, slots=True)
class StoredChange:
    """A change to a draft; `units` are JSON."""

    work: int
    version: int
    kind: str
    request: str
    units: str
    at: str


@dataclass(frozen=True, slots=True)
class StoredJudgement:
    """An author's judgement of an item in one round; `record` is as the codec writes it.

    `person` is the account of an author who has one.
    """

    id: int
    project: int
    item: int
    author: str
    kind: AuthorKind
    person: int | None
    stage: JudgementStage
    round: int
    is_current: bool
    at: str
    record: str


@dataclass(frozen=True, slots=True)
class StoredComment:
    """A comment in the discussion of an item, on a unit or on all of it."""

    id: int
    item: int
    unit: str
    person: int
    text: str
    at: str


@dataclass(frozen=True, slots=True)
class StoredFlag:
    """A label that was put up for audit, and what was decided; `reasons` are JSON."""

    id: int
    project: int
    item: int
    unit: str
    severity: float
    reasons: str
    decision: FlagDecision
    label: str
    note: str
    person: int | None
    at: str


@dataclass(frozen=True, slots=True)
class StoredSnapshot:
    """A page from outside, as it was when somebody read it."""

    digest: str
    address: str
    title: str
    text: str
    content: bytes | None
    content_type: str
    at: str


@dataclass(frozen=True, slots=True)
class StoredFetch:
    """A page that somebody read for an item."""

    digest: str
    item: int
    person: int
    address: str
    at: str


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """Something that happened; `detail` is JSON."""

    id: int
    project: int | None
    item: int | None
    person: int | None
    kind: str
    detail: str
    at: str


def all_of(kind: type[R], connection: Connection, query: Select[*tuple[Any, ...]]) -> list[R]:
    """The rows that a query finds, as records whose fields are its columns."""
    return [kind(*row) for row in connection.execute(query)]


def first_of(kind: type[R], connection: Connection, query: Select[*tuple[Any, ...]]) -> R | None:
    """The first that a query finds, as a record whose fields are its columns."""
    row = connection.execute(query).first()
    return None if row is None else kind(*row)


def values_of(record: Any) -> dict[str, Any]:
    """The columns of a record that is to be added; the database gives it a number."""
    return {each.name: getattr(record, each.name) for each in fields(record) if each.name != "id"}


def exists(connection: Connection, query: Select[*tuple[Any, ...]]) -> bool:
    """Tells whether a query finds anything."""
    return connection.execute(query.limit(1)).first() is not None


def one_of(kind: type[R], connection: Connection, query: Select[*tuple[Any, ...]]) -> R:
    """The one thing that a query finds, as a record whose fields are its columns."""
    return kind(*connection.execute(query).one())


def pairs(connection: Connection, query: Select[*tuple[Any, ...]]) -> dict[Any, Any]:
    """The rows of a query of two columns, the second by the first."""
    return {row[0]: row[1] for row in connection.execute(query)}


def grouped(connection: Connection, query: Select[*tuple[Any, ...]]) -> dict[Any, list[Any]]:
    """The rows of a query of two columns: all values of the second by the first."""
    found: dict[Any, list[Any]] = {}
    for key, value in connection.execute(query):
        found.setdefault(key, []).append(value)
    return found


def counted(connection: Connection, query: Select[*tuple[Any, ...]]) -> dict[Any, Any]:
    """The rows of a query of three columns, of which the last counts: by the first, the second."""
    found: dict[Any, Counter[Any]] = {}
    for first, second, count in connection.execute(query):
        found.setdefault(first, Counter())[second] = count
    return found


def by_item(given: Iterable[J]) -> dict[int, list[J]]:
    """Records by the numbers of the items that they are about, in their order."""
    found: dict[int, list[J]] = {}
    for each in given:
        found.setdefault(each.item, []).append(each)
    return found
