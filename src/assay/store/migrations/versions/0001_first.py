"""The tables of the first form: runs, examples, judgements, units, replies, searches."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes all tables."""
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("manifest", sa.Text(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False, server_default="{}"),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        sa.UniqueConstraint("name", name="uq_runs_name"),
    )
    op.create_table(
        "examples",
        *_place(),
        sa.Column("example", sa.Text(), nullable=False),
        sa.Column("source_characters", sa.Integer(), nullable=False),
        _belongs("examples"),
        sa.PrimaryKeyConstraint("run", "position", name="pk_examples"),
    )
    op.create_table(
        "judgements",
        *_place("round"),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("supersedes", sa.Text(), nullable=False),
        sa.Column("is_current", sa.Boolean(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("retryable", sa.Integer(), nullable=False),
        sa.Column("characters_read", sa.Integer(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        _belongs("judgements"),
        sa.PrimaryKeyConstraint("run", "position", "round", name="pk_judgements"),
    )
    op.create_index("ix_judgements_retryable", "judgements", ["run", "retryable"])
    op.create_table(
        "units",
        *_place("round"),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("parent", sa.Text(), nullable=False),
        sa.Column("is_part", sa.Boolean(), nullable=False),
        sa.Column("label", sa.Text()),
        sa.Column("is_scored", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(20)),
        _belongs("units"),
        sa.PrimaryKeyConstraint("run", "position", "round", "unit", name="pk_units"),
    )
    for table, value in (("replies", "reply"), ("searches", "found")):
        op.create_table(
            table,
            sa.Column("run", sa.Integer(), nullable=False),
            sa.Column("key", sa.String(80), nullable=False),
            sa.Column(value, sa.Text(), nullable=False),
            _belongs(table),
            sa.PrimaryKeyConstraint("run", "key", name=f"pk_{table}"),
        )


def _place(*more: str) -> list["sa.Column[int]"]:
    names = ("run", "position", *more)
    return [sa.Column(name, sa.Integer(), nullable=False, autoincrement=False) for name in names]


def _belongs(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["run"], ["runs.id"], name=f"fk_{table}_run", ondelete="CASCADE")
