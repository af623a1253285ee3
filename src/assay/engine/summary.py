"""A run in sums: how far it is, what was said, what failed and what it took."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import and_, func, select

from assay.core.judgements import Manifest
from assay.core.problems import Problem, Unread
from assay.core.results import is_unsure
from assay.core.totals import UNSURE, Totals, peers_shown
from assay.store.journal import Journal
from assay.store.runs import RunStore
from assay.store.tables import examples, judgements, units

_UNSURE = '"unsure":true'  # as the record of a judgement writes it


@dataclass(frozen=True, slots=True)
class RunSummary:
    """All that can be said of a run in short."""

    name: str
    place: str
    state: str
    manifest: Manifest
    totals: Totals
    usage: dict[str, Any]
    adaptations: tuple[str, ...]
    unread: Unread = field(default_factory=Unread)  # rows of the data

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        totals = self.totals
        coverage = totals.coverage
        return {
            "name": self.name,
            "place": self.place,
            "state": self.state,
            "done": totals.examples,
            "total": self.manifest.chosen,
            "units": totals.units,
            "labels": dict(totals.labels),
            "failures": dict(totals.failures),
            "peers": {str(shown): n for shown, n in sorted(totals.peers.items())},
            "coverage": None if coverage is None else round(coverage, 4),
            "usage": self.usage,
            "adaptations": list(self.adaptations),
            **self.unread.to_dict(),
            "manifest": self.manifest.to_dict(),
        }


def summarize(store: RunStore, name: str) -> RunSummary:
    """The sums of a run."""
    with store.open(name) as journal:
        return RunSummary(
            name=name,
            place=journal.place,
            state=state_of(store, journal),
            manifest=journal.manifest,
            totals=count(journal),
            usage=journal.fact("usage", {}),
            adaptations=tuple(journal.fact("adaptations", [])),
            unread=_unread(journal),
        )


def keep_unread(journal: Journal, unread: Unread) -> None:
    """Keeps with a run which rows of its data could not be read."""
    if unread.count:
        first = [[each.where, each.message, each.field] for each in unread.first]
        journal.keep(unread={"count": unread.count, "first": first})


def _unread(journal: Journal) -> Unread:
    kept = journal.fact("unread", {"count": 0, "first": []})
    return Unread(kept["count"], tuple(Problem(*each) for each in kept["first"]))


def state_of(store: RunStore, journal: Journal) -> str:
    """What happened to the run last; one that should be running and is not was killed."""
    if store.is_locked(journal.name):
        return "running"
    state = str(journal.fact("state", "new"))
    return "killed" if state == "running" else state


def count(journal: Journal) -> Totals:
    """Counts the judgements that are there now, inside the database; peers are read from them."""
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
