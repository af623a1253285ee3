"""Older forms of tables brought up to date by Alembic, which is imported only then."""

from dataclasses import dataclass
from pathlib import Path

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData

from assay.store.tables import metadata


@dataclass(frozen=True, slots=True)
class Lineage:
    """Migrations that belong together: where they are, what they lead to, what counts them."""

    folder: Path
    metadata: MetaData
    version_table: str = "alembic_version"

    def scripts(self) -> ScriptDirectory:
        """The migrations in order."""
        config = Config()
        config.set_main_option("script_location", str(self.folder))
        return ScriptDirectory.from_config(config)


RUNS = Lineage(Path(__file__).parent, metadata)


def is_known(revision: str, lineage: Lineage | None = None) -> bool:
    """True if a revision is one of ours."""
    return revision in {each.revision for each in (lineage or RUNS).scripts().walk_revisions()}


def upgrade(connection: Connection, target: str = "head", lineage: Lineage | None = None) -> None:
    """Runs the migrations that a database lacks, within the caller's transaction."""
    lineage = lineage or RUNS
    found = lineage.scripts()
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
