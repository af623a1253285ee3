"""The tables of the studio, the same in SQLite and in PostgreSQL.

What people and detectors said of an item is kept as the codec writes it, in one table, and is never
overwritten. A draft is folded from its changes, which stay as the history of the work.
"""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from assay.store.tables import NAMES

HEAD = "0001"  # the migration that these tables are the result of
VERSION_TABLE = "studio_version"

metadata = MetaData(naming_convention=NAMES)


def _time(name: str, *, nullable: bool = False) -> Column[str]:
    """A time in ISO 8601; empty where it has not come."""
    return Column(name, String(40), nullable=nullable, server_default="")


def _project(*, primary_key: bool = False) -> Column[int]:
    target = ForeignKey("studio_projects.id", ondelete="CASCADE")
    return Column("project", Integer, target, nullable=False, primary_key=primary_key)


def _person(name: str = "person", *, nullable: bool = False) -> Column[int]:
    return Column(name, Integer, ForeignKey("studio_people.id"), nullable=nullable)


people = Table(
    "studio_people",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(80), nullable=False),
    Column("folded", String(240), nullable=False, unique=True),  # names differ in more than case
    Column("password", Text, nullable=False),  # an argon2 hash; empty where nobody can sign in
    Column("role", String(20), nullable=False),
    Column("is_active", Boolean, nullable=False),
    _time("at"),
)

sessions = Table(
    "studio_sessions",
    metadata,
    Column("digest", String(64), primary_key=True),  # of the token, which only the browser has
    _person(),
    Column("csrf", String(64), nullable=False),
    _time("at"),
    _time("until"),
)

attempts = Table(
    "studio_attempts",
    metadata,
    Column("key", String(200), primary_key=True),  # of a name, an address, or both
    Column("count", Integer, nullable=False),
    _time("until"),
)

invitations = Table(
    "studio_invitations",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("role", String(20), nullable=False),
    Column("project", Integer, ForeignKey("studio_projects.id", ondelete="CASCADE")),
    Column("note", Text, nullable=False),
    _person("by"),
    _time("at"),
    _time("until"),
    _person("used_by", nullable=True),
)

secrets = Table(
    "studio_secrets",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)

projects = Table(
    "studio_projects",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("slug", String(80), nullable=False, unique=True),
    Column("name", String(200), nullable=False),
    Column("settings", Text, nullable=False),
    Column("dataset", Text, nullable=False),  # where its items came from
    _time("at"),
)

members = Table(
    "studio_members",
    metadata,
    _project(primary_key=True),
    Column("person", Integer, ForeignKey("studio_people.id"), primary_key=True),
    _time("at"),
    _time("passed_at"),  # the quiz
    Column("quiz_score", Float),  # of the last attempt, as a share of the units
    Column("quiz_near", Float),  # the share whose coarse class was right
    Column("quiz_attempts", Integer, nullable=False, server_default="0"),
)

items = Table(
    "studio_items",
    metadata,
    Column("id", Integer, primary_key=True),
    _project(),
    Column("position", Integer, nullable=False),  # from 1; training and quiz count apart
    Column("purpose", String(20), nullable=False),  # real, training or quiz
    Column("example", Text, nullable=False),  # its id
    Column("record", Text, nullable=False),  # the example on a line, as the codec writes it
    Column("source", String(64), nullable=False),  # items with the same text are resampled together
    Column("model", Text, nullable=False),
    Column("batch", Integer, nullable=False),  # 0 where it has not been given out
    Column("k", Integer, nullable=False),  # how many people annotate it
    Column("state", String(20), nullable=False),
    UniqueConstraint("project", "purpose", "position", name="uq_studio_items_place"),
    UniqueConstraint("project", "purpose", "example", name="uq_studio_items_example"),
    Index("ix_studio_items_state", "project", "state"),
    Index("ix_studio_items_batch", "project", "batch"),
)


def _item(*, primary_key: bool = False) -> Column[int]:
    target = ForeignKey("studio_items.id", ondelete="CASCADE")
    return Column("item", Integer, target, nullable=False, primary_key=primary_key)


work = Table(
    "studio_work",
    metadata,
    Column("id", Integer, primary_key=True),
    _project(),
    _item(),
    _person(),
    Column("stage", String(20), nullable=False),
    Column("state", String(20), nullable=False),  # assigned, open, submitted, held or withdrawn
    Column("version", Integer, nullable=False),
    Column("draft", Text, nullable=False),  # the units as JSON; empty before the first look
    Column("seconds", Integer, nullable=False),  # of activity
    Column("later", Integer, nullable=False, server_default="0"),  # over 0 where it was skipped
    _time("started_at"),
    _time("submitted_at"),
    UniqueConstraint("item", "person", "stage", name="uq_studio_work_item"),
    Index("ix_studio_work_queue", "project", "person", "stage", "state"),
)

changes = Table(
    "studio_changes",
    metadata,
    Column("work", Integer, ForeignKey("studio_work.id", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(20), nullable=False),
    Column("request", String(64), nullable=False),  # by which its sender knows it when it is resent
    Column("units", Text, nullable=False),  # what each changed unit became; null where it went
    _time("at"),
)

judgements = Table(
    "studio_judgements",
    metadata,
    Column("id", Integer, primary_key=True),
    _project(),
    _item(),
    Column("author", String(200), nullable=False),
    Column("kind", String(20), nullable=False),  # person or detector
    _person(nullable=True),  # where the author has an account
    Column("stage", String(20), nullable=False),  # imported for what came with the data
    Column("round", Integer, nullable=False),
    Column("is_current", Boolean, nullable=False),
    _time("at"),
    Column("record", Text, nullable=False),
    UniqueConstraint("item", "author", "kind", "round", name="uq_studio_judgements_item"),
    Index("ix_studio_judgements_author", "project", "author"),
)

comments = Table(
    "studio_comments",
    metadata,
    Column("id", Integer, primary_key=True),
    _item(),
    Column("unit", Text, nullable=False),
    _person(),
    Column("text", Text, nullable=False),
    _time("at"),
    Index("ix_studio_comments_item", "item"),
)

flags = Table(
    "studio_flags",
    metadata,
    Column("id", Integer, primary_key=True),
    _project(),
    _item(),
    Column("unit", Text, nullable=False),
    Column("severity", Float, nullable=False),
    Column("reasons", Text, nullable=False),  # who disagrees with the label, and why, as JSON
    Column("decision", String(20), nullable=False),  # empty while open
    Column("label", Text, nullable=False),  # the revised one
    Column("note", Text, nullable=False),
    _person(nullable=True),
    _time("at"),
    UniqueConstraint("item", "unit", name="uq_studio_flags_item"),
)

snapshots = Table(
    "studio_snapshots",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("address", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("content", LargeBinary),  # the page as it came
    Column("content_type", Text, nullable=False),
    _time("at"),
)

fetches = Table(
    "studio_fetches",
    metadata,
    Column("digest", String(64), ForeignKey("studio_snapshots.digest"), primary_key=True),
    _item(primary_key=True),
    Column("person", Integer, ForeignKey("studio_people.id"), primary_key=True),
    Column("address", Text, nullable=False),
    _time("at"),
)

related = Table(
    "studio_related",
    metadata,
    _item(primary_key=True),
    Column("record", Text, nullable=False),  # what the network looks at for each sentence, as JSON
)

events = Table(
    "studio_events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("project", Integer, ForeignKey("studio_projects.id", ondelete="CASCADE")),
    Column("item", Integer, ForeignKey("studio_items.id", ondelete="CASCADE")),
    _person(nullable=True),
    Column("kind", String(40), nullable=False),
    Column("detail", Text, nullable=False),  # JSON
    _time("at"),
    Index("ix_studio_events_project", "project", "item"),
)
