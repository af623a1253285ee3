"""The database of jobs: a SQLite file in a folder, or a PostgreSQL server by its URL."""

from pathlib import Path

from assay.core.errors import InputError
from assay.store.database import is_url
from assay.store.jobs.tables import HEAD, VERSION_TABLE, metadata
from assay.store.lineages import Lineage
from assay.store.pooled import PooledDatabase, open_pooled

FILE = "jobs.db"  # beside the files of runs, which end otherwise
JOBS = Lineage(
    noun="list of jobs",
    metadata=metadata,
    head=HEAD,
    mark=0x4153534A,
    folder=Path(__file__).parent / "migrations",
    version_table=VERSION_TABLE,
    newer="newer-jobs",
    field="store",
)


def open_jobs(place: str) -> PooledDatabase:
    """The database in a folder, which is made, or at a URL; its tables are made ready."""
    return open_pooled(
        place if is_url(place) else str(_folder(place) / FILE),
        JOBS,
        what="keeping jobs in PostgreSQL",
        refusal="jobs are kept in a folder or in PostgreSQL (postgresql://...)",
    )


def _folder(place: str) -> Path:
    folder = Path(place)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # other people's texts will be there
    except OSError as error:
        message = f"cannot make the folder {folder}: {error.strerror}"
        raise InputError(message, field=JOBS.field) from None
    return folder
