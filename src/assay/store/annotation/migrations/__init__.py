"""Older forms of the studio's tables brought up to date by Alembic."""

from pathlib import Path

from assay.store.annotation.tables import VERSION_TABLE, metadata
from assay.store.migrations import Lineage

LINEAGE = Lineage(Path(__file__).parent, metadata, VERSION_TABLE)
