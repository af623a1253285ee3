"""A run in sums: how far it is, what was said, what failed and what it took."""

from dataclasses import dataclass, field
from typing import Any

from assay.core.judgements import Manifest
from assay.core.problems import Problem, Unread
from assay.core.results import Totals
from assay.store.journal import Journal
from assay.store.runs import RunStore
from assay.store.totals import count


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
    """The state of a run; one that should be running and is not was killed."""
    if store.is_locked(journal.name):
        return "running"
    state = str(journal.fact("state", "new"))
    return "killed" if state == "running" else state
