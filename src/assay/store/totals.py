"""The totals of a run, counted inside its database, and a check that all of it can be read."""

from collections import Counter

from sqlalchemy import and_, func, select

from assay.core.codec import require_judgement
from assay.core.results import UNSURE, Totals, is_unsure, peers_shown
from assay.store.journal import Journal
from assay.store.tables import examples, judgements, units

_UNSURE = '"unsure":true'  # as the record of a judgement writes it


def count(journal: Journal) -> Totals:
    """The totals of the current judgements; how many peers were shown is read from them."""
    current = and_(judgements.c.run == journal.id, judgements.c.is_current)
    said = units.join(
        judgements,
        and_(
            units.c.run == judgements.c.run,
            units.c.position == judgements.c.position,
            units.c.round == judgements.c.round,
        ),
    )
    groups = (units.c.kind, units.c.is_part, units.c.label, units.c.is_scored, units.c.reason)
    rows = journal.select(
        select(*groups, func.count().label("n")).select_from(said).where(current).group_by(*groups)
    )
    kinds, labels, failures, parts = (Counter[str]() for _ in range(4))
    failed_parts = 0
    for row in rows:
        (parts if row.is_part else kinds)[row.kind] += row.n
        if row.reason:
            failures[row.reason] += row.n
            failed_parts += row.n if row.is_part else 0
        elif not row.is_part:
            labels[row.label or "score only"] += row.n
    for judgement in journal.read(having=_UNSURE):
        for finding in judgement.counted:
            if is_unsure(finding.outcome):
                labels[finding.label.name if finding.label else "score only"] -= 1
                labels[UNSURE] += 1
    peers: Counter[int] = Counter()
    if any(name.endswith("peers") for name in journal.manifest.prompt_digests):
        peers.update(shown for judgement in journal.read() for shown in peers_shown(judgement))
    read = select(func.coalesce(func.sum(judgements.c.characters_read), 0)).where(current)
    whole = select(func.coalesce(func.sum(examples.c.source_characters), 0)).where(
        examples.c.run == journal.id
    )
    return Totals(
        examples=journal.count(),
        units=kinds.total(),
        kinds=kinds,
        labels=+labels,  # without those of which none is left
        failures=failures,
        parts=parts,
        failed_parts=failed_parts,
        peers=peers,
        characters=int(journal.select(whole)[0][0]),
        characters_read=int(journal.select(read)[0][0]),
    )


def require_sound(journal: Journal) -> None:
    """Raises where something of a run is damaged, whatever of it the caller reads."""
    journal.failures()
    journal.select(select(func.count()).select_from(units))
    for record in journal.records():
        require_judgement(record, f"a judgement of the run '{journal.name}'")
