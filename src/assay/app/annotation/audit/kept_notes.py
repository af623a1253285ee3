"""Who flagged what was handed over to a project, so that the lines that come back say so."""

from typing import Any

from sqlalchemy import Connection, select

from assay.app.annotation import access
from assay.app.annotation.studio import Person, Studio
from assay.audit.notes import SearchNotes, notes_together
from assay.core.codec import Reader, encode
from assay.store.studio.queues import note_event
from assay.store.studio.tables import events

_NOTED = "audit-notes"
_notes = Reader(SearchNotes)


def keep_notes(studio: Studio, who: Person, slug: str, notes: SearchNotes) -> None:
    """Writes down what notes say that is not known yet."""
    with studio.write() as connection:
        project: Any = access.require(connection, who, "audit", slug)
        kept = kept_notes(connection, project.id)
        if notes_together((kept, notes)) != kept:
            detail = encode(notes).decode()
            note_event(connection, studio.now(), _NOTED, detail, project=project.id)


def kept_notes(connection: Connection, project: int) -> SearchNotes:
    """What is known of those who flagged."""
    query = select(events.c.detail).where(events.c.project == project, events.c.kind == _NOTED)
    return notes_together(
        _notes.read(row.detail, "the notes of an audit") for row in connection.execute(query)
    )
