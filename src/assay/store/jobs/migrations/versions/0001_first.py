"""The first form, which databases begin with: `tables.py` makes its tables, and no migration."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Leaves a database as it is: an older form than this was never released."""
