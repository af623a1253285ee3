"""Jobs keep the problems of the first of their rows that could not be read."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Adds the problems; jobs that are there have told theirs already."""
    op.add_column("jobs", sa.Column("problems", sa.Text(), nullable=False, server_default="[]"))
