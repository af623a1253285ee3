"""The tables of jobs, the same in SQLite and in PostgreSQL.

What a job found is in its run; here is what was asked for, and how far it is.
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

from assay.store.tables import NAMES

HEAD = "0002"  # the migration that these tables are the result of
VERSION_TABLE = "jobs_version"

metadata = MetaData(naming_convention=NAMES)


def _time(name: str) -> Column[str]:
    """A time in ISO 8601; empty where it has not come."""
    return Column(name, String(40), nullable=False, server_default="")


jobs = Table(
    "jobs",
    metadata,
    Column("number", Integer, primary_key=True),  # jobs are worked on in this order
    Column("id", String(40), nullable=False, unique=True),
    Column("owner", Text, nullable=False),
    Column("detector", Text, nullable=False),
    Column("state", String(20), nullable=False),
    Column("examples", Integer, nullable=False, server_default="0"),
    Column("done", Integer, nullable=False, server_default="0"),
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("unread_rows", Integer, nullable=False, server_default="0"),
    Column("problems", Text, nullable=False, server_default="[]"),  # of the first of them, as JSON
    _time("created"),
    _time("started"),
    _time("ended"),
    Column("error", Text, nullable=False, server_default=""),
    Column("code", String(80), nullable=False, server_default=""),
    Column("claim", String(40), nullable=False, server_default=""),  # of the worker that has it
    Column("attempts", Integer, nullable=False, server_default="0"),  # since it last got further
    Column("is_unwanted", Boolean, nullable=False),  # cancelled while a worker has it
    Index("ix_jobs_state", "state", "number"),
)

rows = Table(
    "job_rows",
    metadata,
    Column(
        "job",
        Integer,
        ForeignKey("jobs.number", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("record", Text, nullable=False),
)
