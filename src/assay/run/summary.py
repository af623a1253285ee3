"""A run in sums: how far it is, what was said, what failed and what it took."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import and_, func, select

from assay.core.judgements import Manifest
from assay.store.journal import Journal
from assay.store.runs import RunStore
from assay.store.tables import examples, judgements, units


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over all current judgements; a verdict without a label counts as `score only`.

    Units that belong to others which were judged as well are counted as `parts`.
    """

    examples: int
    kinds: Counter[str]
    labels: Counter[str]
    failures: Counter[str]
    parts: Counter[str]
    failed_parts: int
    characters: int
    characters_read: int

    @property
    def units(self) -> int:
        """How many units count."""
        return self.kinds.total()

    @property
    def coverage(self) -> float | None:
        """The share of units, parts aside, with a verdict; None without any unit."""
        failed = self.failures.total() - self.failed_parts
        return 1 - failed / self.units if self.units else None


@dataclass(frozen=True, slots=True)
class RunSummary:
    """All that can be said of a run in short."""

    name: str
    place: str
    state: str
    manifest: Manifest
    tally: Tally
    usage: dict[str, Any]
    adaptations: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        tally = self.tally
        coverage = tally.coverage
        return {
            "name": self.name,
            "place": self.place,
            "state": self.state,
            "done": tally.examples,
            "total": self.manifest.chosen,
            "units": tally.units,
            "labels": dict(tally.labels),
            "failures": dict(tally.failures),
            "coverage": None if coverage is None else round(coverage, 4),
            "usage": self.usage,
            "adaptations": list(self.adaptations),
            "manifest": asdict(self.manifest),
        }


def summarize(store: RunStore, name: str) -> RunSummary:
    """The sums of a run."""
    with store.open(name) as journal:
        return RunSummary(
            name=name,
            place=journal.place,
            state=state_of(store, journal),
            manifest=journal.manifest,
            tally=tally(journal),
            usage=journal.fact("usage", {}),
            adaptations=tuple(journal.fact("adaptations", [])),
        )


def state_of(store: RunStore, journal: Journal) -> str:
    """What happened to the run last; one that should be running and is not was killed."""
    if store.is_locked(journal.name):
        return "running"
    state = str(journal.fact("state", "new"))
    return "killed" if state == "running" else state


def tally(journal: Journal) -> Tally:
    """Counts the judgements that are there now, inside the database."""
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
    read = select(func.coalesce(func.sum(judgements.c.characters_read), 0)).where(current)
    whole = select(func.coalesce(func.sum(examples.c.source_characters), 0)).where(
        examples.c.run == journal.id
    )
    return Tally(
        journal.count(),
        kinds,
        labels,
        failures,
        parts,
        failed_parts,
        int(journal.select(whole)[0][0]),
        int(journal.select(read)[0][0]),
    )
