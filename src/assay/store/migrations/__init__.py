"""Older forms of tables brought up to date by Alembic, which is imported only then."""

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from assay.store.lineages import Lineage


def scripts(lineage: Lineage) -> ScriptDirectory:
    """The migrations in order."""
    config = Config()
    config.set_main_option("script_location", str(lineage.folder))
    return ScriptDirectory.from_config(config)


def is_known(revision: str, lineage: Lineage) -> bool:
    """True if a revision is one of ours."""
    return revision in {each.revision for each in scripts(lineage).walk_revisions()}


def upgrade(connection: Connection, lineage: Lineage, target: str = "head") -> None:
    """Runs the migrations that a database lacks, within the caller's transaction."""
    found = scripts(lineage)
    context = EnvironmentContext(
        Config(),
        found,
        fn=lambda revision, _: found._upgrade_revs(target, revision),
        destination_rev=target,
    )
    with context:
        context.configure(
            connection=connection,
            target_metadata=lineage.metadata,
            version_table=lineage.version_table,
            render_as_batch=True,
        )
        with context.begin_transaction():
            context.run_migrations()
