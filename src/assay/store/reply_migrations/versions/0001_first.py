"""The first form, which databases begin with: `reply_cache.py` makes its table, not a migration."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Leaves a database as it is: an older form than this was never released."""
