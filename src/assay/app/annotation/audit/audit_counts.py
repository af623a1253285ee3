"""How many labels are settled in a project: read once, and again only where something was said."""

from weakref import WeakKeyDictionary

from sqlalchemy import Connection, func, select

from assay.app.annotation.settings import ProjectSettings
from assay.app.annotation.studio import Studio
from assay.app.annotation.team.disagreement import sentences
from assay.app.annotation.team.settled import Final, final
from assay.store.studio.database import StudioDatabase
from assay.store.studio.tables import items, judgements

Version = tuple[int, int, bool]  # of what was said of an item, and what the project asks for
_Counts = dict[int, tuple[Version, int | None]]  # by item; None where nothing settles it
_kept: "WeakKeyDictionary[StudioDatabase, dict[int, _Counts]]" = WeakKeyDictionary()


def count_settled(
    studio: Studio, connection: Connection, project: int, settings: ProjectSettings
) -> tuple[int, int]:
    """How many items of a project are settled, and how many labels they have together."""
    versions = _versions(connection, project, settings)
    before = _kept.get(studio.database, {}).get(project, {})
    counts = {
        item: before[item]
        for item, version in versions.items()
        if item in before and before[item][0] == version
    }
    changed = [item for item in versions if item not in counts]
    found = {each.item: each for each in final(connection, project, changed)}
    for item in changed:
        settled = found.get(item)
        counts[item] = (versions[item], _count_units(settled, settings) if settled else None)
    _kept.setdefault(studio.database, {})[project] = counts
    units = [count for _, count in counts.values() if count is not None]
    return len(units), sum(units)


def _versions(
    connection: Connection, project: int, settings: ProjectSettings
) -> dict[int, Version]:
    """The finished items; what was said is only ever added to, so its number and end tell it."""
    query = (
        select(judgements.c.item, func.count(), func.max(judgements.c.id))
        .join(items, items.c.id == judgements.c.item)
        .where(items.c.project == project, items.c.purpose == "real", items.c.state == "done")
        .where(judgements.c.kind == "person")
        .group_by(judgements.c.item)
    )
    rows = connection.execute(query)
    return {item: (count, last, settings.has_sentences) for item, count, last in rows}


def _count_units(settled: Final, settings: ProjectSettings) -> int:
    """The labels that an audit looks at: of sentences, or of the whole where spans are marked."""
    return len(sentences(settled.judgement)) if settings.has_sentences else 1
