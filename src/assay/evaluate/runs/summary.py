"""A run in sums: how far it is, what was said, what failed and what it took."""

import json
from dataclasses import dataclass
from typing import Any

from assay.checking.totals import Totals
from assay.core.runs import Run
from assay.core.taxonomies import taxonomy
from assay.detectors.replay import Replay
from assay.store.folder import RunsFolder
from assay.store.journal import Journal
from assay.store.locking import is_locked
from assay.store.tallies import tally

_DESCRIBED = {
    "new": "has not begun",
    "running": "is running now",
    "killed": "was killed; --resume goes on",
    "interrupted": "was interrupted; --resume goes on",
    "stopped": "was stopped by an error; --resume goes on",
    "budget": "stopped because its budget is used up; --resume with more goes on",
    "complete": "is complete",
}


@dataclass(frozen=True, slots=True)
class RunSummary:
    """All that can be said of a run in short."""

    name: str
    file: str
    state: str
    run: Run
    totals: Totals
    usage: dict[str, Any]
    adaptations: tuple[str, ...]

    @property
    def state_in_words(self) -> str:
        """What happened to it last, and what can be done."""
        return _DESCRIBED[self.state]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        totals = self.totals
        coverage = totals.coverage
        return {
            "name": self.name,
            "file": self.file,
            "state": self.state,
            "done": totals.examples,
            "total": self.run.chosen,
            "units": totals.units,
            "labels": dict(totals.labels),
            "failures": dict(totals.failures),
            "coverage": None if coverage is None else round(coverage, 4),
            "usage": self.usage,
            "adaptations": list(self.adaptations),
            "run": self.run.to_dict(),
        }


def summarize(name: str, journal: Journal) -> RunSummary:
    """The sums of an open run."""
    counts = tally(journal)
    totals = Totals(
        examples=counts.examples,
        units=counts.kinds.total(),
        kinds=counts.kinds,
        labels=counts.labels,
        failures=counts.failures,
        parts=counts.parts,
        failed_parts=counts.failed_parts,
        characters=counts.characters,
        characters_read=counts.characters_read,
    )
    return RunSummary(
        name=name,
        file=str(journal.path),
        state=state_of(journal),
        run=journal.run,
        totals=totals,
        usage=journal.fact("usage", {}),
        adaptations=tuple(journal.fact("adaptations", [])),
    )


def state_of(journal: Journal) -> str:
    """What happened to the run last; one that should be running and is not was killed."""
    if is_locked(journal.path):
        return "running"
    state = str(journal.fact("state", "new"))
    return "killed" if state == "running" else state


def replay_run(folder: RunsFolder, name: str) -> tuple[Replay, RunSummary]:
    """A run as a detector that says again what it said, and its sums."""
    with folder.open(name) as journal:
        summary = summarize(name, journal)
        records = {record["id"]: record for record in map(json.loads, journal.lines())}
    run = summary.run
    replay = Replay(f"run {name}", taxonomy(run.taxonomy), run.unit_kind, f"run '{name}'", records)
    return replay, summary
