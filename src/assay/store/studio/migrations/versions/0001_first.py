"""The tables of the first form: people, projects, items, work, judgements and what goes with it."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes all tables."""
    op.create_table(
        "studio_attempts",
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        _time("until"),
        sa.PrimaryKeyConstraint("key", name="pk_studio_attempts"),
    )
    op.create_table(
        "studio_people",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("folded", sa.String(240), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        _time("at"),
        sa.PrimaryKeyConstraint("id", name="pk_studio_people"),
        sa.UniqueConstraint("folded", name="uq_studio_people_folded"),
    )
    op.create_table(
        "studio_projects",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(80), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("dataset", sa.Text(), nullable=False),
        _time("at"),
        sa.PrimaryKeyConstraint("id", name="pk_studio_projects"),
        sa.UniqueConstraint("slug", name="uq_studio_projects_slug"),
    )
    op.create_table(
        "studio_secrets",
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_studio_secrets"),
    )
    op.create_table(
        "studio_snapshots",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.Column("content_type", sa.Text(), nullable=False),
        _time("at"),
        sa.PrimaryKeyConstraint("digest", name="pk_studio_snapshots"),
    )
    op.create_table(
        "studio_invitations",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("project", sa.Integer(), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("by", sa.Integer(), nullable=False),
        _time("at"),
        _time("until"),
        sa.Column("used_by", sa.Integer(), nullable=True),
        _refers("invitations", "by", "studio_people.id"),
        _within("invitations", "project", "studio_projects.id"),
        _refers("invitations", "used_by", "studio_people.id"),
        sa.PrimaryKeyConstraint("digest", name="pk_studio_invitations"),
    )
    op.create_table(
        "studio_items",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String(20), nullable=False),
        sa.Column("example", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("source", sa.String(64), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("batch", sa.Integer(), nullable=False),
        sa.Column("k", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        _within("items", "project", "studio_projects.id"),
        sa.PrimaryKeyConstraint("id", name="pk_studio_items"),
        sa.UniqueConstraint("project", "purpose", "example", name="uq_studio_items_example"),
        sa.UniqueConstraint("project", "purpose", "position", name="uq_studio_items_place"),
    )
    op.create_index("ix_studio_items_batch", "studio_items", ["project", "batch"])
    op.create_index("ix_studio_items_state", "studio_items", ["project", "state"])
    op.create_table(
        "studio_members",
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        _time("at"),
        _time("passed_at"),
        sa.Column("quiz_score", sa.Float(), nullable=True),
        sa.Column("quiz_near", sa.Float(), nullable=True),
        sa.Column("quiz_attempts", sa.Integer(), server_default="0", nullable=False),
        _refers("members", "person", "studio_people.id"),
        _within("members", "project", "studio_projects.id"),
        sa.PrimaryKeyConstraint("project", "person", name="pk_studio_members"),
    )
    op.create_table(
        "studio_sessions",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("csrf", sa.String(64), nullable=False),
        _time("at"),
        _time("until"),
        _refers("sessions", "person", "studio_people.id"),
        sa.PrimaryKeyConstraint("digest", name="pk_studio_sessions"),
    )
    op.create_table(
        "studio_comments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        _time("at"),
        _within("comments", "item", "studio_items.id"),
        _refers("comments", "person", "studio_people.id"),
        sa.PrimaryKeyConstraint("id", name="pk_studio_comments"),
    )
    op.create_index("ix_studio_comments_item", "studio_comments", ["item"])
    op.create_table(
        "studio_events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project", sa.Integer(), nullable=True),
        sa.Column("item", sa.Integer(), nullable=True),
        sa.Column("person", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        _time("at"),
        _within("events", "item", "studio_items.id"),
        _refers("events", "person", "studio_people.id"),
        _within("events", "project", "studio_projects.id"),
        sa.PrimaryKeyConstraint("id", name="pk_studio_events"),
    )
    op.create_index("ix_studio_events_project", "studio_events", ["project", "item"])
    op.create_table(
        "studio_fetches",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        _time("at"),
        _refers("fetches", "digest", "studio_snapshots.digest"),
        _within("fetches", "item", "studio_items.id"),
        _refers("fetches", "person", "studio_people.id"),
        sa.PrimaryKeyConstraint("digest", "item", "person", name="pk_studio_fetches"),
    )
    op.create_table(
        "studio_flags",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("severity", sa.Float(), nullable=False),
        sa.Column("reasons", sa.Text(), nullable=False),
        sa.Column("decision", sa.String(20), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=True),
        _time("at"),
        _within("flags", "item", "studio_items.id"),
        _refers("flags", "person", "studio_people.id"),
        _within("flags", "project", "studio_projects.id"),
        sa.PrimaryKeyConstraint("id", name="pk_studio_flags"),
        sa.UniqueConstraint("item", "unit", name="uq_studio_flags_item"),
    )
    op.create_table(
        "studio_judgements",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("person", sa.Integer(), nullable=True),
        sa.Column("stage", sa.String(20), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("is_current", sa.Boolean(), nullable=False),
        _time("at"),
        sa.Column("record", sa.Text(), nullable=False),
        _within("judgements", "item", "studio_items.id"),
        _refers("judgements", "person", "studio_people.id"),
        _within("judgements", "project", "studio_projects.id"),
        sa.PrimaryKeyConstraint("id", name="pk_studio_judgements"),
        sa.UniqueConstraint("item", "author", "kind", "round", name="uq_studio_judgements_item"),
    )
    op.create_index("ix_studio_judgements_author", "studio_judgements", ["project", "author"])
    op.create_table(
        "studio_related",
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        _within("related", "item", "studio_items.id"),
        sa.PrimaryKeyConstraint("item", name="pk_studio_related"),
    )
    op.create_table(
        "studio_work",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project", sa.Integer(), nullable=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("person", sa.Integer(), nullable=False),
        sa.Column("stage", sa.String(20), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("draft", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=False),
        sa.Column("later", sa.Integer(), nullable=False, server_default="0"),
        _time("started_at"),
        _time("submitted_at"),
        _within("work", "item", "studio_items.id"),
        _refers("work", "person", "studio_people.id"),
        _within("work", "project", "studio_projects.id"),
        sa.PrimaryKeyConstraint("id", name="pk_studio_work"),
        sa.UniqueConstraint("item", "person", "stage", name="uq_studio_work_item"),
    )
    op.create_index("ix_studio_work_queue", "studio_work", ["project", "person", "stage", "state"])
    op.create_table(
        "studio_changes",
        sa.Column("work", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("request", sa.String(64), nullable=False),
        sa.Column("units", sa.Text(), nullable=False),
        _time("at"),
        _within("changes", "work", "studio_work.id"),
        sa.PrimaryKeyConstraint("work", "version", name="pk_studio_changes"),
    )


def _time(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(40), nullable=nullable, server_default="")


def _refers(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [target], name=f"fk_studio_{table}_{column}")


def _within(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    """A row that goes when what it belongs to goes."""
    name = f"fk_studio_{table}_{column}"
    return sa.ForeignKeyConstraint([column], [target], name=name, ondelete="CASCADE")
