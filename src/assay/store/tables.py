"""The tables in which runs are kept, the same in SQLite and in PostgreSQL.

A judgement is kept as the codec writes it; what is counted and searched stands in columns beside
it. Nothing is overwritten: a revised judgement stays, and is no longer `is_current`.
"""

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

HEAD = "0001"  # the migration that these tables are the result of

NAMES = {  # of keys and indexes
    "pk": "pk_%(table_name)s",
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
}
metadata = MetaData(naming_convention=NAMES)


def _run() -> Column[int]:
    return Column("run", Integer, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)


runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("manifest", Text, nullable=False),
    Column("facts", Text, nullable=False, server_default="{}"),
)

examples = Table(
    "examples",
    metadata,
    _run(),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("example", Text, nullable=False),
    Column("source_characters", Integer, nullable=False),
)

judgements = Table(
    "judgements",
    metadata,
    _run(),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("round", Integer, primary_key=True, autoincrement=False),
    Column("author", Text, nullable=False),
    Column("at", String(40), nullable=False),
    Column("supersedes", Text, nullable=False),
    Column("is_current", Boolean, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("retryable", Integer, nullable=False),
    Column("characters_read", Integer, nullable=False),
    Column("record", Text, nullable=False),
    Index("ix_judgements_retryable", "run", "retryable"),
)

units = Table(
    "units",
    metadata,
    _run(),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("round", Integer, primary_key=True, autoincrement=False),
    Column("unit", Text, primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("parent", Text, nullable=False),
    Column("is_part", Boolean, nullable=False),
    Column("label", Text),
    Column("is_scored", Boolean, nullable=False),
    Column("reason", String(20)),
)

replies = Table(
    "replies",
    metadata,
    _run(),
    Column("key", String(80), primary_key=True),
    Column("reply", Text, nullable=False),
)

searches = Table(
    "searches",
    metadata,
    _run(),
    Column("key", String(80), primary_key=True),
    Column("found", Text, nullable=False),
)
