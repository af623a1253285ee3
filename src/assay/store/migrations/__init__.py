"""Older forms of the tables brought up to date by Alembic, which is imported only then."""

from pathlib import Path

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from assay.store.tables import metadata


def scripts() -> ScriptDirectory:
    """The migrations in order."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    return ScriptDirectory.from_config(config)


def is_known(revision: str) -> bool:
    """Whether a revision is one of ours."""
    return revision in {each.revision for each in scripts().walk_revisions()}


def upgrade(connection: Connection, target: str = "head") -> None:
    """Runs the migrations that a database lacks, within the caller's transaction."""
    found = scripts()
    context = EnvironmentContext(
        Config(),
        found,
        fn=lambda revision, _: found._upgrade_revs(target, revision),
        destination_rev=target,
    )
    with context:
        context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
        with context.begin_transaction():
            context.run_migrations()
