"""Older forms of the studio's tables brought up to date by Alembic."""

from pathlib import Path

from assay.store.migrations import Lineage
from assay.store.studio.tables import VERSION_TABLE, metadata

LINEAGE = Lineage(Path(__file__).parent, metadata, VERSION_TABLE)
